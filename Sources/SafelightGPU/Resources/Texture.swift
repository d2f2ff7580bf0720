public import SafelightImage

/// A two-dimensional image on a device; Metal's `MTLTexture`, one level, made zero.
///
/// A handle: safe to pass between threads, alive as long as anything, a recorded command included, refers to it. The
/// corresponding GL object is an immutable texture (`glTexStorage2D`).
public final class Texture: Sendable {
  /// Columns and rows.
  public let size: Size
  /// How a pixel lies in memory.
  public let pixelFormat: PixelFormat
  /// A name for messages and debuggers.
  public let label: String

  let lifetime = ResourceLifetime()

  package init(size: Size, pixelFormat: PixelFormat, label: String) {
    self.size = size
    self.pixelFormat = pixelFormat
    self.label = label
  }

  /// The rectangle of all pixels.
  public var bounds: Region { Region(size: size) }
}
