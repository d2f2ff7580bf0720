internal import SafelightKernels

extension FilterCatalogue {
  /// Filters that mix red, green and blue, or change what they mean.
  static let color: [Entry] =
    [Entry(ImageSaturation.self), Entry(ImageVibrance.self), gray] + colorMatrices + meanings + [yCbCr]

  private static let gray = Entry(
    description: FilterDescription(
      name: "gray",
      summary: "each pixel's luma in place of its colour",
      discussion: """
            R = G = B = (wr*R + wg*G + wb*B + 32768) >> 16

        with weights in 1/65536 and sum 65536. The picture keeps its samples, three of them now alike. Alpha stays; a grey
        picture stays as it is.
        """,
      parameters: [lumaWeights]),
    examples: ["gray", "gray=bt2020"],
    make: { call, device, form in
      ColorMatrixFilter("gray", device: device, ColorVectors(grayOf: weights(of: call)), form: form)
    })

  /// `weights`, which several filters have.
  static let lumaWeights = KernelParameter(
    "weights", "the luma's weights",
    .choice(
      [
        ParameterChoice("bt601", "0.299, 0.587, 0.114"),
        ParameterChoice("bt709", "0.2126, 0.7152, 0.0722"),
        ParameterChoice("bt2020", "0.2627, 0.6780, 0.0593"),
        ParameterChoice("average", "a third each"),
      ], default: "bt601"))

  /// What was chosen for ``lumaWeights``.
  static func weights(of call: FilterCall) -> LumaWeights {
    switch call.choice("weights") {
    case "bt709": .bt709
    case "bt2020": .bt2020
    case "average": .average
    default: .bt601
    }
  }
}
