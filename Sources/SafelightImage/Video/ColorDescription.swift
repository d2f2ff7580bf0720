/// What the samples of a picture mean as colours, as far as their source says so; after ITU-T H.273.
///
/// Nothing is guessed: what a source leaves open is `unspecified`, and what it says in a way unknown here is `other`.
public struct ColorDescription: Hashable, Sendable, CustomStringConvertible {
  /// From red, green, blue to the stored samples.
  public var matrix: ColorMatrix
  /// Which samples are black and white.
  public var range: ColorRange
  /// From light to samples.
  public var transfer: ColorTransfer
  /// Which red, green and blue.
  public var primaries: ColorPrimaries
  /// Where chroma samples lie that several pixels share.
  public var siting: ChromaSiting
  /// What alpha has done to the colours.
  public var alpha: AlphaMode

  /// Makes a description; what is left out is unspecified.
  public init(
    matrix: ColorMatrix = .unspecified, range: ColorRange = .unspecified, transfer: ColorTransfer = .unspecified,
    primaries: ColorPrimaries = .unspecified, siting: ChromaSiting = .unspecified, alpha: AlphaMode = .unspecified
  ) {
    self.matrix = matrix
    self.range = range
    self.transfer = transfer
    self.primaries = primaries
    self.siting = siting
    self.alpha = alpha
  }

  /// A source that says nothing.
  public static let unspecified = ColorDescription()

  /// Red, green, blue as PNG files and screens have it where nothing else is said: sRGB, full range.
  public static let sRGB = ColorDescription(matrix: .identity, range: .full, transfer: .sRGB, primaries: .bt709)

  /// The same, with what `other` says wherever this says nothing, or something unknown.
  public func filled(by other: ColorDescription) -> ColorDescription {
    var color = self
    if [.unspecified, .other].contains(matrix) && other.matrix != .unspecified { color.matrix = other.matrix }
    if range == .unspecified { color.range = other.range }
    if [.unspecified, .other].contains(transfer) && other.transfer != .unspecified { color.transfer = other.transfer }
    if [.unspecified, .other].contains(primaries) && other.primaries != .unspecified {
      color.primaries = other.primaries
    }
    if [.unspecified, .other].contains(siting) && other.siting != .unspecified { color.siting = other.siting }
    if alpha == .unspecified { color.alpha = other.alpha }
    return color
  }

  /// `bt709 limited, transfer bt709, primaries bt709`; siting and alpha where they are said.
  public var description: String {
    "\(matrix) \(range), transfer \(transfer), primaries \(primaries)"
      + (siting == .unspecified ? "" : ", chroma \(siting)") + (alpha == .unspecified ? "" : ", alpha \(alpha)")
  }
}

/// How luma and chroma were made of red, green and blue (H.273 table 4).
public enum ColorMatrix: String, Sendable, CaseIterable {
  case unspecified
  /// Not at all: the samples are red, green, blue, or one grey.
  case identity
  /// Kr 0.299, Kb 0.114: standard definition of 525 and 625 lines, JPEG.
  case bt601
  /// Kr 0.2126, Kb 0.0722: high definition.
  case bt709
  /// Kr 0.2627, Kb 0.0593, non-constant luminance.
  case bt2020
  /// Named by the source, and not one of these.
  case other

  /// The one that players take films of `size` to have that name none: that of high definition above 576 rows or 1024 columns, else that of
  /// standard definition.
  public static func customary(for size: Size) -> ColorMatrix {
    size.height > 576 || size.width > 1024 ? .bt709 : .bt601
  }

  /// The weights Kr and Kb of red and blue in luma; green has the rest. Nil where there is no luma, or where it is unknown.
  public var lumaWeights: (red: Double, blue: Double)? {
    switch self {
    case .bt601: (0.299, 0.114)
    case .bt709: (0.2126, 0.0722)
    case .bt2020: (0.2627, 0.0593)
    case .unspecified, .identity, .other: nil
    }
  }
}

/// Which samples stand for black and white, told for 8 bits.
public enum ColorRange: String, Sendable, CaseIterable {
  case unspecified
  /// 0 and 255.
  case full
  /// 16 and 235; chroma from 16 to 240.
  case limited
}

/// The curve from light to samples (H.273 table 3).
public enum ColorTransfer: String, Sendable, CaseIterable {
  case unspecified
  /// The curve of BT.709, which BT.601 and BT.2020 share.
  case bt709
  case sRGB
  case linear
  /// Powers of 2.2 and 2.8.
  case gamma22, gamma28
  /// Perceptual quantisation (SMPTE ST 2084).
  case pq
  /// Hybrid log-gamma (ARIB STD-B67).
  case hlg
  /// Named by the source, and not one of these.
  case other
}

/// The colours of the three lights (H.273 table 2).
public enum ColorPrimaries: String, Sendable, CaseIterable {
  case unspecified
  /// BT.709, and sRGB.
  case bt709
  /// BT.601 of 525 lines (SMPTE 170M).
  case bt601Lines525
  /// BT.601 of 625 lines (BT.470 BG).
  case bt601Lines625
  case bt2020
  /// DCI-P3 with the white of daylight: Display P3.
  case displayP3
  /// Named by the source, and not one of these.
  case other
}

/// Where a chroma sample lies that pixels of 4:2:0 or 4:2:2 share (H.273 §8.7; `kCVImageBufferChromaLocation_…`).
public enum ChromaSiting: String, Sendable, CaseIterable {
  case unspecified
  /// On the left column, between two rows: MPEG-2, H.264, HEVC where nothing else is said.
  case left
  /// In the middle: JPEG, MPEG-1.
  case center
  /// On the left column and the upper row: BT.2020.
  case topLeft
  /// Between two columns, on the upper row.
  case top
  /// On the left column and the lower row.
  case bottomLeft
  /// Between two columns, on the lower row.
  case bottom
  /// On the right column, between two rows: only where pictures were turned, as the two that follow.
  case right
  /// On the right column and the upper row.
  case topRight
  /// On the right column and the lower row.
  case bottomRight
  /// Named by the source, and not one of these.
  case other

  private static let places: [ChromaSiting: [Int]] = [
    .topLeft: [0, 0], .top: [1, 0], .topRight: [2, 0], .left: [0, 1], .center: [1, 1], .right: [2, 1],
    .bottomLeft: [0, 2], .bottom: [1, 2], .bottomRight: [2, 2],
  ]

  /// Where it lies among two columns and two rows, in halves of a pixel from the upper left one; nil if it does not
  /// say.
  package var place: (x: Int, y: Int)? { Self.places[self].map { ($0[0], $0[1]) } }

  /// Where chroma lies in pictures of even size that were turned upright from `orientation`.
  package func turned(_ orientation: Orientation) -> ChromaSiting {
    Self.places.first { _, upright in
      let stored = orientation.sourcePosition(ofUprightX: upright[0], y: upright[1], in: Size(3, 3))
      return place.map { $0 == stored } ?? false
    }?.key ?? self
  }
}

/// What alpha has done to the colours of a pixel.
public enum AlphaMode: String, Sendable, CaseIterable {
  /// Nothing is said: straight, where a picture has alpha.
  case unspecified
  /// There is none.
  case opaque
  /// Nothing: colours are as if the pixel were opaque. PNG has it so.
  case straight
  /// Colours are multiplied by it.
  case premultiplied
}
