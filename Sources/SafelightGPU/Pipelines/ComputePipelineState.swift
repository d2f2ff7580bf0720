internal import SafelightGLES
internal import SafelightImage

/// A compute function ready to be dispatched; Metal's `MTLComputePipelineState`.
///
/// Made once and used for ever: an executor compiles it at its first dispatch in each ``ComputeVariant`` (GLSL fixes
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
