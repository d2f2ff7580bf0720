internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// `ycbcr`: ``ImageRGBToYCbCr``, followed by ``ImageYCbCrToRGB``.
struct YCbCrFilter: PassKernel {
  /// The bits of the planes of 16-bit pictures.
  enum Bits: Int, Sendable, CaseIterable {
    case ten = 10
    case sixteen = 16
  }

  /// The layout of chroma.
  enum Planes: String, Sendable, CaseIterable {
    case biplanar, planar
  }

  var matrix = ColorMatrix.bt709
  var range = ColorRange.limited
  var chroma = ChromaSubsampling.yCbCr420
  var siting = ChromaSiting.left
  var bits = Bits.ten
  var planes = Planes.biplanar

  static let card = KernelCard<Self>(
    "ycbcr", "to Y'CbCr and back: what a video format leaves of the picture",
    discussion: """
      Planes by ITU-T H.273, with Kr and Kb of the matrix or as YCgCo, coefficients c in 2^-19. To a plane, with r, g
      and b sums of sixteen weights: chroma on a column of pixels has that and its neighbors by 1 : 2 : 1, chroma
      between two has both alike; so for rows.

          out = clamp(floor((c.r*r + c.g*g + c.b*b + 2^22) / 2^23) + zero, 0, largest)

      and back, with y sixteen times the luma above black, b and r the sixteenths of chroma less its middle, weighted
      between the four nearest samples:

          out = clamp(floor((c.y*y + c.b*b + c.r*r + 2^22) / 2^23), 0, maximum)

      Grays become grays; alpha stays. Pictures of limited range are refused.
      """,
    [
      .choice("matrix", "how luma is weighted", \.matrix),
      .choice("range", "which samples are black and white", \.range),
      .choice("chroma", "pixels that share chroma", \.chroma), .choice("siting", "where shared chroma lies", \.siting),
      .choice("bits", "bits of the planes of 16-bit pictures; those of 8-bit pictures have 8", \.bits),
      .choice("planes", "how chroma lies", \.planes),
    ],
    examples: [
      "ycbcr", "ycbcr=bt601:range=full:chroma=422:siting=center:bits=16:planes=planar",
      "ycbcr=bt2020:siting=topLeft:planes=planar", "ycbcr=bt601:range=full:chroma=444:siting=center",
      "ycbcr=siting=center:bits=16",
    ])

  /// Takes and makes red, green and blue of the full range.
  func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.ofFullRange(for: "ycbcr")
  }

  /// A pass for each plane, and one that makes a picture of them.
  func passes(for picture: PassPicture) throws(SafelightError) -> [Pass] {
    guard let layout = layout(picture.image.depth) else { return [] }
    let color = ColorDescription(matrix: matrix, range: range, siting: siting)
    let planes = layout.planeFormats.enumerated().map { index, format in
      Pass.Output.temporary(index, format, layout.planeSize(index, of: picture.size))
    }
    let hasAlpha = picture.pixelFormat.samplesPerPixel == 4
    return try ImageRGBToYCbCr(layout, color).passes(of: picture, to: planes)
      + [ImageYCbCrToRGB(layout, color).pass(from: planes.map(\.resource), alpha: hasAlpha ? .picture : nil)]
  }

  /// Returns the layout of the planes for pictures of `depth`.
  private func layout(_ depth: SampleDepth) -> PixelLayout? {
    PixelLayout.allCases.first { layout in
      guard let found = layout.yCbCr else { return false }
      return found.bits == (depth == .bits8 ? 8 : bits.rawValue) && found.subsampling == chroma
        && found.isBiPlanar == (planes == .biplanar)
    }
  }
}

extension ColorMatrix: ParameterWord {
  /// The matrices with a luma.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.bt601, "Kr 0.299, Kb 0.114"), (.bt709, "Kr 0.2126, Kb 0.0722"),
    (.bt2020, "Kr 0.2627, Kb 0.0593, non-constant luminance"), (.fcc, "Kr 0.30, Kb 0.11"),
    (.smpte240M, "Kr 0.212, Kb 0.087"), (.yCgCo, "luma R/4 + G/2 + B/4; chroma G/2 - (R + B)/4 and (R - B)/2"),
  ].map { ($0, $0.rawValue, $1) }
}

extension ColorRange: ParameterWord {
  /// The ranges with a black.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.limited, "16 and 235 of 8 bits, chroma from 16 to 240"), (.full, "0 and the largest"),
  ].map { ($0, $0.rawValue, $1) }
}

extension ChromaSubsampling: ParameterWord {
  /// The choices, by their digits.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.yCbCr420, "420", "two by two"), (.yCbCr422, "422", "two beside each other"), (.yCbCr444, "444", "none"),
  ]
}

extension ChromaSiting: ParameterWord {
  /// The sitings whose weights are defined.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.left, "on the left column, between rows"), (.center, "in the middle"),
    (.topLeft, "on the left column and the upper row"),
  ].map { ($0, $0.rawValue, $1) }
}

extension YCbCrFilter.Bits: ParameterWord {
  static let words: [(value: Self, word: String, summary: String)] = [(.ten, "10", "ten"), (.sixteen, "16", "sixteen")]
}

extension YCbCrFilter.Planes: ParameterWord {
  static let words: [(value: Self, word: String, summary: String)] = [
    (.biplanar, "two planes, as NV12 and P010"), (.planar, "three planes"),
  ].map { ($0, $0.rawValue, $1) }
}
