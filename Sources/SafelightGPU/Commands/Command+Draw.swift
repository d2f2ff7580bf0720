extension Command {
  /// A draw into one target.
  public struct Draw: Sendable {
    /// The functions.
    public var pipeline: RenderPipelineState
    /// What the fragment function is bound to.
    public var bindings: Bindings
    /// The target and how it begins.
    public var pass: RenderPassDescriptor
    /// The first corner.
    public var vertexStart: Int
    /// The number of corners.
    public var vertexCount: Int
  }
}
