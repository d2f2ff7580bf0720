/// What the samples of a picture mean.
public enum Channels: String, Codable, Sendable, CaseIterable {
  /// One sample, luminance.
  case gray
  /// Luminance and alpha; in memory red, green and blue all carry the luminance.
  case grayAlpha
  /// Red, green, blue; in memory a fourth, opaque sample follows.
  case rgb
  /// Red, green, blue and alpha; straight (not premultiplied) unless ``Image/color`` says otherwise.
  case rgba

  /// Samples of a pixel as a file stores them: 1 to 4.
  public var count: Int {
    switch self {
    case .gray: 1
    case .grayAlpha: 2
    case .rgb: 3
    case .rgba: 4
    }
  }

  /// The samples of a pixel in memory that a file stores, in its order: 0 red or grey, 1 green, 2 blue, 3 alpha.
  public var sampleIndices: [Int] {
    switch self {
    case .gray: [0]
    case .grayAlpha: [0, 3]
    case .rgb: [0, 1, 2]
    case .rgba: [0, 1, 2, 3]
    }
  }

  /// True when the picture has no colours.
  public var isGray: Bool { self == .gray || self == .grayAlpha }

  /// True when the picture carries transparency.
  public var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
}
