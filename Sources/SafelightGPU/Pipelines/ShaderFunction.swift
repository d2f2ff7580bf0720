public import SafelightShaders

/// One thing with two bodies: a GLSL function and its Swift twin, which give the same bytes.
public struct ShaderFunction: Sendable {
  /// The name that messages and debuggers show.
  public let name: String
  /// The GLSL body.
  public let assembly: ShaderAssembly
  /// What the function is bound to, by index.
  public let arguments: [ShaderArgument]
  /// The Swift body; nil for a function that runs on GPUs alone.
  public let twin: ShaderTwin?

  /// Joins both bodies.
  public init(name: String, assembly: ShaderAssembly, arguments: [ShaderArgument], twin: ShaderTwin? = nil) {
    self.name = name
    self.assembly = assembly
    self.arguments = arguments
    self.twin = twin
  }
}

/// One binding of a function; barriers are derived from these.
///
/// The index is the one of `setTexture`, `setBuffer` or `setBytes`, and in GLSL the `binding` of the declaration.
public enum ShaderArgument: Hashable, Sendable {
  /// A texture read with `texelFetch`: `uniform sampler2D` or `usampler2D`.
  case sampledTexture(Int)
  /// A texture written with `imageStore`: `writeonly uniform uimage2D`.
  case storageTexture(Int)
  /// A buffer that is only read: `readonly buffer`.
  case readBuffer(Int)
  /// A buffer that is read and written: `buffer`.
  case storageBuffer(Int)
  /// A block of bytes: `layout(std140) uniform`.
  case bytes(Int)
}

/// The Swift body of a function.
public struct ShaderTwin: Sendable {
  let body: @Sendable (TwinArguments) throws -> Void

  /// Wraps a body, which runs on the CPU executor's thread.
  public init(_ body: @escaping @Sendable (TwinArguments) throws -> Void) { self.body = body }
}
