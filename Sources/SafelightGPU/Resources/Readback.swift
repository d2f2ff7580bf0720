public import SafelightImage
internal import Synchronization

/// Bytes that a command buffer brings back; there once the buffer completed.
public final class Readback: Sendable {
  /// The number of bytes that will come.
  public let length: Int

  private let bytes = Mutex<[UInt8]?>(nil)

  /// Makes room for `length` bytes.
  public init(length: Int) { self.length = length }

  /// Makes room for the pixels of a picture.
  public convenience init(_ size: Size, _ pixelFormat: PixelFormat) {
    self.init(length: size.area * pixelFormat.bytesPerPixel)
  }

  /// The bytes; throws when the command buffer has not completed, or failed.
  public func contents() throws(SafelightError) -> [UInt8] {
    guard let contents = bytes.withLock({ $0 }) else {
      throw SafelightError(
        .usage, "readback", why: "the command buffer has not completed or failed",
        remedy: "await completed() and look at its error first")
    }
    return contents
  }

  func fill(_ contents: [UInt8]) { bytes.withLock { $0 = contents } }
}
