public import SafelightImage
internal import Synchronization

/// Bytes that a command buffer reads for the process, available when it has completed.
///
/// A later command buffer may read into it again. Its memory is then reused if nobody holds the earlier contents.
public final class Readback: Sendable {
  /// The number of bytes.
  public let length: Int

  private struct State {
    var bytes: [UInt8]?
    var spare: [UInt8]?
  }

  private let state = Mutex(State())

  /// Makes a readback of `length` bytes.
  public init(length: Int) { self.length = length }

  /// Makes a readback of the pixels of a picture.
  public convenience init(_ size: Size, _ pixelFormat: PixelFormat) {
    self.init(length: size.area * pixelFormat.bytesPerPixel)
  }

  /// Returns the bytes; throws if the command buffer has not completed or has failed.
  public func contents() throws(SafelightError) -> [UInt8] {
    guard let contents = state.withLock({ $0.bytes }) else {
      throw SafelightError(
        .usage, "readback", why: "its command buffer failed, or has not completed",
        remedy: "await the command buffer's completed() and check its error first")
    }
    return contents
  }

  func fill(_ contents: [UInt8]) { state.withLock { $0.bytes = contents } }

  /// Discards earlier contents and keeps their memory for reuse; called when a command that fills it is recorded.
  func prepare() { state.withLock { if let bytes = $0.bytes.take() { $0.spare = bytes } } }

  /// Takes memory of earlier contents for the device to write into; it is copied on write if somebody still holds it.
  func takeSpare() -> [UInt8]? { state.withLock { $0.spare.take() } }
}
