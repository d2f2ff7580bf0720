extension RenderPassDescriptor {
  /// What a render pass fills a target with; Metal's `MTLClearColor`.
  public struct ClearColor: Hashable, Sendable {
    /// Red, from 0 to 1 in normalised formats.
    public var red: Double
    /// Green, likewise.
    public var green: Double
    /// Blue, likewise.
    public var blue: Double
    /// Alpha, likewise.
    public var alpha: Double

    /// Makes a colour.
    public init(red: Double, green: Double, blue: Double, alpha: Double) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }
  }
}
