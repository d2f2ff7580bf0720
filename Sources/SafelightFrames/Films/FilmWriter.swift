public import SafelightImage

/// What takes the frames of a film in their order: the counterpart of an `AVAssetWriter` with one video input.
///
/// One task writes, a frame at a time, and then either finishes or abandons; whoever lets go of a writer abandons the film. A film that goes to a
/// file is there whole under its name once ``finish()`` returns, and never in part.
public protocol FilmWriter: Sendable {
  /// The file or the pipe, as messages call it.
  var name: String { get }
  /// What every frame must have: its size and its layout. The rate is that of the film, where its form has one.
  var format: VideoFormat { get }

  /// Appends `frame`; returns once its bytes are on their way, and waits where the reader of a pipe does.
  ///
  /// Throws a ``SafelightError`` of kind `input` for a frame of another size or layout, `transfer` where it cannot be written; abandon the film
  /// then.
  func write(_ frame: VideoFrame) async throws(SafelightError)

  /// Ends the film, and gives a file its name.
  ///
  /// Throws a ``SafelightError`` of kind `transfer` or `output` where that fails; nothing is left behind then.
  func finish() async throws(SafelightError)

  /// Gives the film up: no file is left behind. Does nothing after ``finish()``.
  func abandon() async
}

extension FilmWriter {
  /// Throws unless `frame` is one of this film, and returns it with its planes in the process's own memory.
  func own(_ frame: VideoFrame) throws(SafelightError) -> VideoFrame {
    guard frame.size == format.size else {
      throw SafelightError(
        .input, "frame \(frame.index + 1)", why: "it has \(frame.size); the film began with \(format.size)",
        remedy: "bring all frames to one size")
    }
    guard frame.layout == format.layout else {
      throw SafelightError(
        .input, "frame \(frame.index + 1)",
        why: "its pixels are \(frame.layout); those of the film are \(format.layout)",
        remedy: "bring all frames to one layout, or ask for luma and chroma, such as yuv444p", setting: .filmPixels)
    }
    if format.color.alpha == .opaque, [.straight, .premultiplied].contains(frame.color.alpha) {
      throw SafelightError(
        .input, "frame \(frame.index + 1)", why: "it has alpha; the film began without",
        remedy: "bring all frames to one kind: the alpha would be lost")
    }
    return try frame.copied()
  }
}

/// How the samples of a plane lie in a stream, where that is not as frames have them.
package enum StoredSamples: Hashable {
  /// As frames have them.
  case same
  /// Three samples of a pixel; the fourth, alpha, is opaque.
  case withoutAlpha(SampleDepth)
  /// Grey of 9 to 15 bits on the right of words; frames have it in 16. Of the full range the upper bits are repeated below, so that white is
  /// white; of the limited range samples are shifted, as its levels are (H.273 §8.3). The upper bits are the sample in both, and lead back.
  case gray(bits: Int, isLimited: Bool)

  /// Bytes of a plane that has `count` in a frame.
  package func storedByteCount(_ count: Int) -> Int {
    if case .withoutAlpha = self { return count / 4 * 3 }
    return count
  }

  /// A frame's samples of stored ones.
  package func samples(_ stored: [UInt8]) -> [UInt8] {
    switch self {
    case .same: stored
    case .withoutAlpha(let depth):
      Self.copied(stored, of: 3 * depth.rawValue / 8, to: 4 * depth.rawValue / 8, filled: 0xFF)
    case .gray(let bits, let isLimited):
      Self.eachWord(stored) { word in
        // Words above the largest sample count as it.
        let sample = min(word, UInt16(1) << bits - 1)
        return sample << (16 - bits) | (isLimited ? 0 : sample >> (2 * bits - 16))
      }
    }
  }

  /// What is stored of a frame's samples.
  package func stored(_ samples: [UInt8]) -> [UInt8] {
    switch self {
    case .same: samples
    case .withoutAlpha(let depth):
      Self.copied(samples, of: 4 * depth.rawValue / 8, to: 3 * depth.rawValue / 8, filled: 0)
    case .gray(let bits, _): Self.eachWord(samples) { $0 >> (16 - bits) }
    }
  }

  /// Pixels of `from` bytes as pixels of `to`, cut or filled at their ends.
  private static func copied(_ bytes: [UInt8], of from: Int, to: Int, filled: UInt8) -> [UInt8] {
    var result = [UInt8](repeating: filled, count: bytes.count / from * to)
    let shared = min(from, to)
    for pixel in 0..<bytes.count / from {
      for byte in 0..<shared { result[pixel * to + byte] = bytes[pixel * from + byte] }
    }
    return result
  }

  private static func eachWord(_ bytes: [UInt8], _ change: (UInt16) -> UInt16) -> [UInt8] {
    var result = bytes
    for place in stride(from: 0, to: bytes.count - 1, by: 2) {
      let word = change(UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
      (result[place], result[place + 1]) = (UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8))
    }
    return result
  }
}

/// How wide a pixel is shown for its height: 10 to 11 for NTSC's, 1 to 1 for square ones. Frames are carried as they are stored.
public struct PixelAspect: Hashable, Sendable, CustomStringConvertible {
  /// Above 0.
  public let width: Int
  /// Above 0.
  public let height: Int

  /// Makes a ratio.
  public init(_ width: Int, _ height: Int) {
    trap(unless: width > 0 && height > 0, "a pixel of \(width) to \(height) cannot be shown; pass numbers above 0")
    self.width = width
    self.height = height
  }

  /// As wide as high.
  public static let square = PixelAspect(1, 1)

  /// `10:11`.
  public var description: String { "\(width):\(height)" }
}

extension SafelightError {
  /// Fields of two moments in one picture would be mixed wherever pixels share chroma, or a filter looks around. `tag` is how the film says it.
  static func interlaced(_ name: String, _ tag: String) -> SafelightError {
    SafelightError(
      .unsupported, name, why: "its pictures are interlaced (\(tag)): each holds two moments",
      remedy: "deinterlace it first: ffmpeg -i INPUT -vf bwdif -f yuv4mpegpipe -")
  }
}
