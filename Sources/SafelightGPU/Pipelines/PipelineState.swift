public import SafelightShaders

/// A compute function ready to be dispatched; Metal's `MTLComputePipelineState`.
///
/// Made once and used for ever: an executor compiles it at its first dispatch with each threadgroup size (GLSL fixes
/// that size at compile time) and keeps the program.
public final class ComputePipelineState: Sendable {
  /// The function.
  public let function: ShaderFunction

  /// Wraps `function`.
  public init(_ function: ShaderFunction) { self.function = function }
}

/// A vertex and a fragment function ready to draw; Metal's `MTLRenderPipelineState`.
public final class RenderPipelineState: Sendable {
  /// The vertex function's text.
  public let vertex: ShaderAssembly
  /// The fragment function; its twin paints the whole target.
  public let fragment: ShaderFunction

  /// Pairs `fragment` with the corners of the full-screen strip.
  public init(fullScreen fragment: ShaderFunction) {
    vertex = ShaderAssembly([.fullScreen])
    self.fragment = fragment
  }
}
