/// The meaning of a picture's samples as colors, as far as its source states it; after ITU-T H.273.
///
/// Nothing is guessed: a property that the source does not state is `unspecified`, and one that this type has no name
/// for is `other`.
public struct ColorDescription: Hashable, Sendable, CustomStringConvertible {
  /// The conversion from red, green and blue to the stored samples.
  public var matrix: ColorMatrix
  /// The samples that stand for black and white.
  public var range: ColorRange
  /// The curve from light to samples.
  public var transfer: ColorTransfer
  /// The chromaticities of red, green and blue.
  public var primaries: ColorPrimaries
  /// The position of chroma samples that several pixels share.
  public var siting: ChromaSiting
  /// The effect of alpha on the colors.
  public var alpha: AlphaMode

  /// Makes a description; omitted properties are unspecified.
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

  /// The description of a source that states nothing.
  public static let unspecified = ColorDescription()
  /// Full-range sRGB: the default meaning of PNG files and screens.
  public static let sRGB = ColorDescription(matrix: .identity, range: .full, transfer: .sRGB, primaries: .bt709)

  /// Returns this description with its unspecified and unknown properties taken from `other`.
  public func filled(by other: ColorDescription) -> ColorDescription {
    var color = self
    if matrix == .unspecified || matrix.isForeign, other.matrix != .unspecified { color.matrix = other.matrix }
    if range == .unspecified { color.range = other.range }
    if [.unspecified, .other].contains(transfer) && other.transfer != .unspecified { color.transfer = other.transfer }
    if [.unspecified, .other].contains(primaries) && other.primaries != .unspecified {
      color.primaries = other.primaries
    }
    if [.unspecified, .other].contains(siting) && other.siting != .unspecified { color.siting = other.siting }
    if alpha == .unspecified { color.alpha = other.alpha }
    return color
  }

  /// The description as text, such as `bt709 limited, transfer bt709, primaries bt709`; siting and alpha appear if
  /// specified.
  public var description: String {
    "\(matrix) \(range), transfer \(transfer), primaries \(primaries)"
      + (siting == .unspecified ? "" : ", chroma \(siting)") + (alpha == .unspecified ? "" : ", alpha \(alpha)")
  }
}

/// The conversion from red, green and blue to luma and chroma (H.273 table 4).
public enum ColorMatrix: String, Sendable, CaseIterable, CustomStringConvertible {
  case unspecified
  /// No conversion: the samples are red, green and blue, or gray.
  case identity
  /// Kr 0.299, Kb 0.114: standard definition with 525 or 625 lines, JPEG.
  case bt601
  /// Kr 0.2126, Kb 0.0722: high definition.
  case bt709
  /// Kr 0.2627, Kb 0.0593, non-constant luminance.
  case bt2020
  /// Kr 0.30, Kb 0.11: the first color television (47 CFR 73.682).
  case fcc
  /// Kr 0.212, Kb 0.087: the first high definition (SMPTE 240M).
  case smpte240M = "smpte240m"
  /// Half of green and a quarter each of red and blue; chroma is green less magenta, and red less blue.
  case yCgCo = "ycgco"
  /// BT.2020 with constant luminance, whose chroma depends on the sign of the difference.
  case bt2020Constant = "bt2020c"
  /// Differences of X and Z (SMPTE ST 2085).
  case smpte2085
  /// Kr and Kb that follow from the primaries.
  case chromaticityDerived = "chroma-derived-nc"
  /// The same with constant luminance.
  case chromaticityDerivedConstant = "chroma-derived-c"
  /// Intensity and two differences of cone responses (BT.2100).
  case iCtCp = "ictcp"
  case other

  /// Returns the matrix that players assume for films of `size` that name none: BT.709 above 576 rows or 1024 columns,
  /// else BT.601.
  public static func customary(for size: Size) -> ColorMatrix {
    size.height > 576 || size.width > 1024 ? .bt709 : .bt601
  }

  /// The weights Kr and Kb of red and blue in luma, from which all else follows; green has the rest. Nil if the matrix
  /// has none, or they are unknown.
  public var lumaWeights: (red: Double, blue: Double)? {
    switch self {
    case .bt601: (0.299, 0.114)
    case .bt709: (0.2126, 0.0722)
    case .bt2020: (0.2627, 0.0593)
    case .fcc: (0.30, 0.11)
    case .smpte240M: (0.212, 0.087)
    case .unspecified, .identity, .yCgCo, .bt2020Constant, .smpte2085, .chromaticityDerived,
      .chromaticityDerivedConstant, .iCtCp, .other:
      nil
    }
  }

  /// The name, such as `bt709`.
  public var description: String { rawValue }

  /// True if luma and chroma are sums of red, green and blue that are known here.
  package var isConvertible: Bool { self == .yCgCo || lumaWeights != nil }
  /// True if the source names a matrix by which nothing can be converted here.
  package var isForeign: Bool { ![.unspecified, .identity].contains(self) && !isConvertible }
}

/// The samples that stand for black and white, given here for 8 bits.
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
  /// Perceptual quantization (SMPTE ST 2084).
  case pq
  /// Hybrid log-gamma (ARIB STD-B67).
  case hlg
  case other
}

/// The chromaticities of red, green and blue (H.273 table 2).
public enum ColorPrimaries: String, Sendable, CaseIterable {
  case unspecified
  /// BT.709 and sRGB.
  case bt709
  /// BT.601 of 525 lines (SMPTE 170M).
  case bt601Lines525
  /// BT.601 of 625 lines (BT.470 BG).
  case bt601Lines625
  case bt2020
  /// Display P3: DCI-P3 with a daylight white point.
  case displayP3
  case other
}

/// The position of a chroma sample that several pixels of 4:2:0 or 4:2:2 share (H.273 §8.7;
/// `kCVImageBufferChromaLocation_…`).
public enum ChromaSiting: String, Sendable, CaseIterable {
  case unspecified
  /// On the left column, between two rows: the default of MPEG-2, H.264 and HEVC.
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
  /// On the right column, between two rows. This and the next two only result from turning pictures.
  case right
  /// On the right column and the upper row.
  case topRight
  /// On the right column and the lower row.
  case bottomRight
  case other

  private static let places: [ChromaSiting: [Int]] = [
    .topLeft: [0, 0], .top: [1, 0], .topRight: [2, 0], .left: [0, 1], .center: [1, 1], .right: [2, 1],
    .bottomLeft: [0, 2], .bottom: [1, 2], .bottomRight: [2, 2],
  ]

  /// The position within two columns and two rows, in half pixels from the upper left pixel; nil if it is not
  /// specified.
  package var place: (x: Int, y: Int)? { Self.places[self].map { ($0[0], $0[1]) } }

  /// Returns the position of chroma after a picture of even size is turned upright from `orientation`.
  package func turned(_ orientation: Orientation) -> ChromaSiting {
    Self.places.first { _, upright in
      let stored = orientation.sourcePosition(ofUprightX: upright[0], y: upright[1], in: Size(3, 3))
      return place.map { $0 == stored } ?? false
    }?.key ?? self
  }
}

/// The effect of alpha on the colors of a pixel.
public enum AlphaMode: String, Sendable, CaseIterable {
  /// Not stated; alpha, if any, is straight.
  case unspecified
  /// The picture has no alpha.
  case opaque
  /// Colors are independent of alpha, as in PNG.
  case straight
  /// Colors are multiplied by alpha.
  case premultiplied
}
