/// One plane of a frame, laid out as a texture of its ``pixelFormat`` is.
public struct PixelPlane: Hashable, Sendable {
  /// Columns and rows; never empty.
  public let size: Size
  /// How a pixel lies in ``bytes``.
  public let pixelFormat: PixelFormat
  /// Bytes from one row to the next; at least those of a row, and a whole number of pixels.
  public let bytesPerRow: Int
  /// The rows from the top down; at least ``bytesPerRow`` × rows, but for the padding of the last.
  public let bytes: [UInt8]

  /// Adopts `bytes`; `bytesPerRow` is that of rows without padding unless given.
  public init(size: Size, pixelFormat: PixelFormat, bytesPerRow: Int? = nil, bytes: [UInt8]) {
    let rowBytes = size.width * pixelFormat.bytesPerPixel
    let bytesPerRow = bytesPerRow ?? rowBytes
    trap(unless: !size.isEmpty, "a plane needs at least one pixel; \(size) was given")
    trap(
      unless: bytesPerRow >= rowBytes && bytesPerRow % pixelFormat.bytesPerPixel == 0,
      "rows of \(size.width) \(pixelFormat) pixels are \(rowBytes) bytes apart or more, by whole pixels; \(bytesPerRow) was given"
    )
    let needed = bytesPerRow * (size.height - 1) + rowBytes
    trap(unless: bytes.count >= needed, "a plane of \(size) needs \(needed) bytes; \(bytes.count) were given")
    self.size = size
    self.pixelFormat = pixelFormat
    self.bytesPerRow = bytesPerRow
    self.bytes = bytes
  }

  /// True when one row follows the other without a gap, so that ``bytes`` can be copied at once.
  public var isPacked: Bool { bytesPerRow == size.width * pixelFormat.bytesPerPixel }

  /// The rows without what lies between and behind them.
  public var packedBytes: [UInt8] {
    let rowBytes = size.width * pixelFormat.bytesPerPixel
    if isPacked { return bytes.count == rowBytes * size.height ? bytes : Array(bytes.prefix(rowBytes * size.height)) }
    return (0..<size.height).flatMap { bytes[$0 * bytesPerRow..<$0 * bytesPerRow + rowBytes] }
  }
}
