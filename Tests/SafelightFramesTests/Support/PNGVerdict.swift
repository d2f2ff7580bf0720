import SafelightFrames
import SafelightImage

/// What became of a file: all that it says, or why it was refused.
enum PNGVerdict: Equatable {
  case read(PNGFile)
  case refused(SafelightError)

  init(_ bytes: [UInt8], by backend: PNGCodec.Backend) throws {
    do {
      self = .read(try PNGDecoder.decode(bytes, name: "a.png", codec: PNGCodec(backend)))
    } catch let error as SafelightError {
      self = .refused(error)
    }
  }

  var isRead: Bool {
    if case .read = self { true } else { false }
  }
}
