public import SafelightImage

/// A writer of the frames of a film, in their order: the counterpart of an `AVAssetWriter` with one video input.
///
/// One task writes the frames, one at a time, and then either finishes or abandons the film; deallocating a writer
/// abandons it. A file appears whole once ``finish()`` returns, and never in part.
public protocol VideoWriter: Sendable {
  /// The name of the file or the pipe in messages.
  var name: String { get }
  /// The format that every frame must have: its size and its layout. The rate is that of the film, if the container has
  /// one.
  var format: VideoFormat { get }

  /// Appends `frame`; returns once its bytes are on their way, and waits for the reader of a pipe.
  ///
  /// - Throws: ``SafelightError`` of kind `input` for a frame of another size or layout, `transfer` if it cannot be
  ///   written; abandon the film then.
  func write(_ frame: VideoFrame) async throws(SafelightError)

  /// Ends the film, and gives a file its name. On an error nothing is left behind.
  ///
  /// - Throws: ``SafelightError`` of kind `transfer` or `output` if that fails.
  func finish() async throws(SafelightError)

  /// Abandons the film, leaving no file behind. Does nothing after ``finish()``.
  func abandon() async
}

extension VideoWriter {
  /// Returns `frame` with its planes in the process's own memory; throws unless it has the film's format.
  func own(_ frame: VideoFrame) throws(SafelightError) -> VideoFrame {
    func refused(_ why: String, _ remedy: String, _ setting: SafelightError.Setting? = nil) -> SafelightError {
      SafelightError(.input, "frame \(frame.index + 1)", why: why, remedy: remedy, setting: setting)
    }
    guard frame.size == format.size else {
      throw refused(
        "it is \(frame.size), but the film began with \(format.size)", "scale or crop all frames to one size")
    }
    guard frame.layout == format.layout else {
      throw refused(
        "its pixels are \(Self.name(frame.layout, frame.color)), but the film began with "
          + Self.name(format.layout, format.color),
        "convert all frames to one layout, or ask for luma and chroma, such as yuv444p", .filmPixels)
    }
    if format.color.alpha == .opaque, [.straight, .premultiplied].contains(frame.color.alpha) {
      throw refused(
        "it has alpha, which would be lost, since the film began without alpha", "give all frames alpha, or none")
    }
    return try frame.copied()
  }

  /// The name of a layout in messages, which does not mention an alpha that is only room.
  private static func name(_ layout: PixelLayout, _ color: ColorDescription) -> String {
    let hasAlpha = layout.hasAlpha && [.straight, .premultiplied].contains(color.alpha)
    return hasAlpha ? layout.words.replacing("RGB", with: "RGB with alpha") : layout.words
  }
}

extension PixelLayout {
  /// The layout as people know it: `gray of 8 bits`, `RGB of 16 bits`, `luma and chroma of 10 bits in 4:2:0`.
  package var words: String {
    let bits = "\(bits) bits"
    guard let yCbCr else { return isGray ? "gray of \(bits)" : "RGB of \(bits)" }
    return "luma and chroma of \(bits) in \(yCbCr.subsampling.rawValue)" + (yCbCr.isBiPlanar ? ", in two planes" : "")
  }
}

/// The layout of a plane's samples in a stream, which may differ from that in frames.
package enum StoredSamples: Hashable {
  case same
  /// Three samples per pixel; the fourth, alpha, is opaque.
  case withoutAlpha(SampleDepth)
  /// Blue, green, red and alpha of 8 bits; frames hold red first.
  case blueFirst
  /// Gray of 9 to 15 bits in the low bits of words; frames hold it in 16 bits.
  ///
  /// Full-range samples repeat their upper bits below, so that white is white; limited-range samples are shifted, as
  /// their levels are (H.273 §8.3). In both the upper bits are the original sample.
  case gray(bits: Int, isLimited: Bool)
  /// Samples of 8 bits; frames hold them in 16, in both bytes.
  case halves

  /// Returns the stored bytes of a plane that has `count` bytes in a frame.
  package func storedByteCount(_ count: Int) -> Int {
    switch self {
    case .same, .blueFirst, .gray: count
    case .withoutAlpha: count / 4 * 3
    case .halves: count / 2
    }
  }

  /// Returns a frame's samples for stored ones.
  package func samples(_ stored: [UInt8]) -> [UInt8] {
    switch self {
    case .same: stored
    case .withoutAlpha(let depth):
      Self.copied(stored, of: 3 * depth.rawValue / 8, to: 4 * depth.rawValue / 8, filled: 0xFF)
    case .blueFirst: Self.exchanged(stored)
    case .gray(let bits, let isLimited):
      Self.eachWord(stored) { word in
        // Larger words count as the largest sample.
        let sample = min(word, UInt16(1) << bits - 1)
        return sample << (16 - bits) | (isLimited ? 0 : sample >> (2 * bits - 16))
      }
    case .halves: stored.twice
    }
  }

  /// Returns the stored samples for a frame's.
  package func stored(_ samples: [UInt8]) -> [UInt8] {
    switch self {
    case .same: samples
    case .withoutAlpha(let depth):
      Self.copied(samples, of: 4 * depth.rawValue / 8, to: 3 * depth.rawValue / 8, filled: 0)
    case .blueFirst: Self.exchanged(samples)
    case .gray(let bits, _): Self.eachWord(samples) { $0 >> (16 - bits) }
    case .halves: stride(from: 1, to: samples.count, by: 2).map { samples[$0] }
    }
  }

  /// Exchanges the first and the third byte of each four.
  private static func exchanged(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    for pixel in stride(from: 0, to: bytes.count - 3, by: 4) { result.swapAt(pixel, pixel + 2) }
    return result
  }

  /// Converts pixels of `from` bytes to pixels of `to` bytes, truncated or padded.
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
