/// The target of a render pass; Metal's `MTLRenderPassDescriptor` with one colour attachment.
public struct RenderPassDescriptor: Sendable {
  /// How the target begins.
  public enum LoadAction: Hashable, Sendable {
    /// Every pixel will be painted.
    case dontCare
    /// Earlier contents stay.
    case load
    /// Filled with red, green, blue and alpha from 0 to 1.
    case clear(Float, Float, Float, Float)
  }

  /// The target.
  public var texture: Texture
  /// How it begins.
  public var loadAction: LoadAction

  /// Describes a pass into `texture`.
  public init(texture: Texture, loadAction: LoadAction = .dontCare) {
    self.texture = texture
    self.loadAction = loadAction
  }
}
