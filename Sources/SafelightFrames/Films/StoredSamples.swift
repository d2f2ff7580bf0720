package import SafelightImage

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
