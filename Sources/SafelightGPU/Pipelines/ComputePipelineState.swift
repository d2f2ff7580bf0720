internal import SafelightGLES
public import SafelightImage
package import SafelightShaders

/// A compute function ready to be dispatched; Metal's `MTLComputePipelineState`.
///
/// Make it once and keep it: a backend compiles it at the first dispatch in each ``ComputeVariant``, as GLSL fixes
/// sizes at compile time, and keeps the program.
public final class ComputePipelineState: Sendable {
  /// The function.
  public let function: ShaderFunction
  /// The number of threads that the device runs in step (`GL_SUBGROUP_SIZE_KHR`); 1 if it is unknown, and in a pipeline
  /// made for any device.
  public let threadExecutionWidth: Int
  /// The most threads in a threadgroup; 128, which every device runs, in a pipeline made for any device.
  public let maxTotalThreadsPerThreadgroup: Int

  /// Wraps `function` for any device.
  public convenience init(_ function: ShaderFunction) { self.init(function, .minimum) }

  init(_ function: ShaderFunction, _ capabilities: Capabilities) {
    self.function = function
    threadExecutionWidth = capabilities.threadExecutionWidth
    maxTotalThreadsPerThreadgroup = capabilities.maximumThreadsPerThreadgroup
  }

  /// The bindings of the function, by name and type.
  ///
  /// Throws if the text cannot be read, which a device has checked for the pipelines it makes.
  public var reflection: FunctionReflection { get throws(SafelightError) { try function.reflection(.standard) } }

  /// The bytes of threadgroup memory that the function itself declares, in threadgroups of 8×8; nil if unknown.
  public var staticThreadgroupMemoryLength: Int? {
    get throws(SafelightError) { try reflection.threadgroupMemoryLength }
  }
}

/// The sizes that GLSL fixes at compile time and Metal at the dispatch. Each variant in use compiles a program of its
/// own.
///
/// The text sees the macros `THREADGROUP_WIDTH`, `THREADGROUP_HEIGHT` and, for each index with memory,
/// `THREADGROUP_MEMORY_LENGTH_<index>` in bytes.
public struct ComputeVariant: Hashable, Sendable {
  /// Columns and rows of a threadgroup.
  public var threadsPerThreadgroup: Size
  /// Bytes of threadgroup memory by index.
  public var threadgroupMemoryLengths: [Int: Int]

  /// Describes a variant.
  public init(threadsPerThreadgroup: Size, threadgroupMemoryLengths: [Int: Int] = [:]) {
    self.threadsPerThreadgroup = threadsPerThreadgroup
    self.threadgroupMemoryLengths = threadgroupMemoryLengths
  }

  /// The variant in which a function is read before it is dispatched.
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
  /// Throws if a device with `capabilities` cannot run `function` in this variant; returns the function's bindings.
  @discardableResult
  func check(_ function: ShaderFunction, _ capabilities: Capabilities) throws(SafelightError) -> FunctionReflection {
    let size = threadsPerThreadgroup
    try ensure(
      size.area <= capabilities.maximumThreadsPerThreadgroup && size.width <= capabilities.maximumThreadgroupWidth
        && size.height <= capabilities.maximumThreadgroupHeight, .limit, function.name,
      why:
        "a threadgroup of \(size) exceeds this device's limit of \(capabilities.maximumThreadsPerThreadgroup) threads",
      remedy: "dispatch smaller threadgroups; 128 threads work everywhere")
    let reflection = try function.reflection(self)
    if let index = reflection.missingThreadgroupMemory.min() {
      throw SafelightError(
        .usage, function.name, why: "the length of threadgroup memory \(index) was not set",
        remedy: "call setThreadgroupMemoryLength(_:index: \(index))")
    }
    let asked = threadgroupMemoryLengths.values.reduce(0, +)
    let length = max(asked, reflection.threadgroupMemoryLength ?? 0)
    try ensure(
      length <= capabilities.maximumThreadgroupMemoryLength, .limit, function.name,
      why:
        "\(length) bytes of threadgroup memory exceed this device's limit of "
        + "\(capabilities.maximumThreadgroupMemoryLength)",
      remedy: "use less; 16384 bytes work everywhere")
    try reflection.check(capabilities, of: function.name)
    return reflection
  }
}
