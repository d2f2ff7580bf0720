public import SafelightImage

/// A drawable's pixels after its command buffer completed, on their way to a sink.
///
/// A value that shares the drawable's memory: what a sink keeps beyond its call costs the view new memory for a later
/// frame, what it lets go is used again.
public struct PresentedFrame: Sendable {
  /// The drawable's number, from 1 in the order in which drawables were handed out; gaps are drawables never presented.
  public let drawableID: Int
  /// The frame's place in the order of presentation, from 0.
  public let index: Int
  /// Columns and rows.
  public let size: Size
  /// How a pixel lies in ``bytes``.
  public let pixelFormat: PixelFormat
  /// The rows from the top down, without padding; `size.area × pixelFormat.bytesPerPixel` bytes.
  public let bytes: [UInt8]
  /// When the frame is to be shown, as it was given with the drawable; nil where it was not.
  public let presentationTime: MediaTime?

  /// Bytes from one row to the next.
  public var bytesPerRow: Int { size.width * pixelFormat.bytesPerPixel }

  /// The frame as a picture: grey for one channel, else red, green, blue and alpha, whatever the order in memory.
  ///
  /// Throws a ``SafelightError`` of kind `unsupported` for formats that are no picture's, such as floats.
  public func image() throws(SafelightError) -> Image {
    try Image(size: size, pixelFormat: pixelFormat, bytes: bytes)
  }
}

/// A drawable that was presented and never became a frame, because its command buffer failed or a sink did.
public struct LostFrame: Sendable {
  /// The drawable's number.
  public let drawableID: Int
  /// The frame's place in the order of presentation, from 0.
  public let index: Int
  /// When it was to be shown.
  public let presentationTime: MediaTime?
  /// Why it was lost.
  public let error: SafelightError
}
