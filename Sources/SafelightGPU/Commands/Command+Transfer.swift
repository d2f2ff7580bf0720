public import SafelightImage

extension Command {
  /// Pixels on their way to the device.
  public struct Upload: Sendable {
    /// The picture; shared, not copied.
    public var image: Image
    /// The part of it to copy.
    public var source: Region
    /// The texture it goes to.
    public var texture: Texture
    /// Where the part's top-left corner goes.
    public var destination: Region
  }

  /// Pixels on their way back.
  public struct TextureRead: Sendable {
    /// The texture.
    public var texture: Texture
    /// The part of it to copy.
    public var region: Region
    /// Where the bytes go.
    public var readback: Readback
    /// The place of the part in a picture of `readbackSize`.
    public var destination: Region
    /// Columns and rows of the picture that the readback holds.
    public var readbackSize: Size
  }
}
