internal import SafelightGLES
public import SafelightImage
package import SafelightShaders

/// A compute function ready to be dispatched; Metal's `MTLComputePipelineState`.
///
/// Made once and used for ever: a backend compiles it at its first dispatch in each ``ComputeVariant`` (GLSL fixes
/// sizes at compile time) and keeps the program.
public final class ComputePipelineState: Sendable {
  /// The function.
  public let function: ShaderFunction
  /// Threads that the device runs in step (`GL_SUBGROUP_SIZE_KHR`); 1 where it does not tell, and in a pipeline that was
  /// made for no device.
  public let threadExecutionWidth: Int
  /// The largest threadgroup that the device runs; the 128 of every device in a pipeline that was made for none.
  public let maxTotalThreadsPerThreadgroup: Int

  /// Wraps `function` for any device.
  public convenience init(_ function: ShaderFunction) { self.init(function, .minimum) }

  init(_ function: ShaderFunction, _ capabilities: Capabilities) {
    self.function = function
    threadExecutionWidth = capabilities.threadExecutionWidth
    maxTotalThreadsPerThreadgroup = capabilities.maximumThreadsPerThreadgroup
  }

  /// What the function is bound to, by name and type.
  ///
  /// Throws why its text cannot be read; a pipeline that a device made has been read.
  public var reflection: FunctionReflection {
    get throws(SafelightError) { try function.reflection(.standard) }
  }

  /// Bytes of threadgroup memory that the function declares by itself, in threadgroups of 8×8; nil where they cannot be
  /// known.
  public var staticThreadgroupMemoryLength: Int? {
    get throws(SafelightError) { try reflection.threadgroupMemoryLength }
  }
}

/// What GLSL fixes at compile time and Metal at the dispatch: a program is compiled for each that is used.
///
/// The text sees it as `THREADGROUP_WIDTH`, `THREADGROUP_HEIGHT` and, for each index that was set,
/// `THREADGROUP_MEMORY_LENGTH_<index>` in bytes.
public struct ComputeVariant: Hashable, Sendable {
  /// Threads in a threadgroup.
  public var threadsPerThreadgroup: Size
  /// Bytes of threadgroup memory by index.
  public var threadgroupMemoryLengths: [Int: Int]

  /// Describes a variant.
  public init(threadsPerThreadgroup: Size, threadgroupMemoryLengths: [Int: Int] = [:]) {
    self.threadsPerThreadgroup = threadsPerThreadgroup
    self.threadgroupMemoryLengths = threadgroupMemoryLengths
  }

  /// The one by which a function is read before it is dispatched.
  package static let standard = ComputeVariant(threadsPerThreadgroup: Size(8, 8))

  package var constants: [ShaderAssembly.Constant] {
    [
      ShaderAssembly.Constant("THREADGROUP_WIDTH", threadsPerThreadgroup.width),
      ShaderAssembly.Constant("THREADGROUP_HEIGHT", threadsPerThreadgroup.height),
    ]
      + threadgroupMemoryLengths.sorted { $0.key < $1.key }.map {
        ShaderAssembly.Constant("\(GLSLPreprocessor.threadgroupMemoryPrefix)\($0.key)", $0.value)
      }
  }
}

extension ComputeVariant {
  /// Throws where a device of `capabilities` cannot run `function` so; returns what the function is bound to.
  @discardableResult
  func check(
    _ function: ShaderFunction, _ capabilities: Capabilities
  ) throws(SafelightError) -> FunctionReflection {
    let size = threadsPerThreadgroup
    guard
      size.area <= capabilities.maximumThreadsPerThreadgroup, size.width <= capabilities.maximumThreadgroupWidth,
      size.height <= capabilities.maximumThreadgroupHeight
    else {
      throw SafelightError(
        .limit, function.name,
        why: "a threadgroup of \(size) exceeds this device's \(capabilities.maximumThreadsPerThreadgroup)",
        remedy: "dispatch smaller threadgroups; 128 threads work everywhere")
    }
    let reflection = try function.reflection(self)
    if let index = reflection.missingThreadgroupMemory.min() {
      throw SafelightError(
        .usage, function.name, why: "the length of threadgroup memory \(index) was not set",
        remedy: "call setThreadgroupMemoryLength(_:index: \(index))")
    }
    let asked = threadgroupMemoryLengths.values.reduce(0, +)
    let length = max(asked, reflection.threadgroupMemoryLength ?? 0)
    guard length <= capabilities.maximumThreadgroupMemoryLength else {
      throw SafelightError(
        .limit, function.name,
        why:
          "\(length) bytes of threadgroup memory exceed this device's \(capabilities.maximumThreadgroupMemoryLength)",
        remedy: "use less; 16384 bytes work everywhere")
    }
    try reflection.check(capabilities, of: function.name)
    return reflection
  }

  /// The variant with the least memory at each index that `function` cannot do without, so that it can be compiled ahead.
  func completed(for function: ShaderFunction) throws(SafelightError) -> ComputeVariant {
    var completed = self
    for index in try function.reflection(self).missingThreadgroupMemory {
      completed.threadgroupMemoryLengths[index] = 16
    }
    return completed
  }
}
