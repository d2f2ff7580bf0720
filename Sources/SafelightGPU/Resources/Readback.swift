public import SafelightImage
internal import Synchronization

/// Bytes that a command buffer brings back; there once the buffer completed.
///
/// May be read into again by a later command buffer; its memory is then used again, without a new allocation where nobody holds the
/// earlier contents.
public final class Readback: Sendable {
  /// The number of bytes that will come.
  public let length: Int

  private struct State {
    var bytes: [UInt8]?
    /// Memory of an earlier frame.
    var spare: [UInt8]?
  }

  private let state = Mutex(State())

  /// Makes room for `length` bytes.
  public init(length: Int) { self.length = length }

  /// Makes room for the pixels of a picture.
  public convenience init(_ size: Size, _ pixelFormat: PixelFormat) {
    self.init(length: size.area * pixelFormat.bytesPerPixel)
  }

  /// The bytes; throws when the command buffer has not completed, or failed.
  public func contents() throws(SafelightError) -> [UInt8] {
    guard let contents = state.withLock({ $0.bytes }) else {
      throw SafelightError(
        .usage, "readback", why: "the command buffer has not completed or failed",
        remedy: "await completed() and look at its error first")
    }
    return contents
  }

  func fill(_ contents: [UInt8]) { state.withLock { $0.bytes = contents } }

  /// Called when a command that fills it is recorded: what an earlier command buffer brought goes, its memory is used again.
  func prepare() {
    state.withLock { state in
      guard let bytes = state.bytes else { return }
      state.spare = bytes
      state.bytes = nil
    }
  }

  /// Memory of an earlier frame, for the device to write into; copied on write where somebody still holds it.
  func takeSpare() -> [UInt8]? {
    state.withLock { state in
      defer { state.spare = nil }
      return state.spare
    }
  }
}
