public import SafelightShaders

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
