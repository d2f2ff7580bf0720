internal import SafelightKernels

extension FilterCatalogue {
  /// Filters that mix red, green and blue, or change what they mean.
  static let color: [Entry] = [saturation, vibrance, gray] + colorMatrices + meanings + [yCbCr]

  private static let saturation = Entry(
    description: FilterDescription(
      name: "saturation",
      summary: "mixes each pixel with its luma: weaker or stronger colour",
      discussion: """
        With a the amount in 1/4096 and the weights in 1/65536, in integers:

            gray = (wr*R + wg*G + wb*B + 32768) >> 16
            out  = clamp((gray * 4096 + (v - gray) * a + 2048) >> 12, 0, maximum)

        Amount 0 gives grey, 1 the picture as it is. Alpha stays; a grey picture stays as it is.
        """,
      parameters: [
        FilterParameter("amount", "strength of the colour", .number(range: ImageSaturation.amounts, default: 1)),
        lumaWeights,
      ]),
    examples: ["saturation=0", "saturation=1.2", "saturation=amount=4:weights=bt709"],
    make: { call, device, form in
      let kernel = ImageSaturation(device: device, amount: call.number("amount"), weights: weights(of: call))
      return PointFilter { kernel.encode(to: $0, source: $1, destination: $2, form: form) }
    })

  private static let vibrance = Entry(
    description: FilterDescription(
      name: "vibrance",
      summary: "saturation that spares strong colours",
      discussion: """
        With a the amount in 1/4096 and gray the luma as saturation has it, in integers:

            rest = maximum - (max(R, G, B) - min(R, G, B))
            gain = 4096 +- floor((|a| * rest + floor(maximum / 2)) / maximum), minus where a is negative
            out  = clamp((gray * 4096 + (v - gray) * gain + 2048) >> 12, 0, maximum)

        A pixel of full colour stays; with amount -1 a pixel keeps as much of its colour as it has. Alpha stays; a grey
        picture stays as it is.
        """,
      parameters: [
        FilterParameter("amount", "strength of the change", .number(range: ImageVibrance.amounts, default: 0.5)),
        lumaWeights,
      ]),
    examples: ["vibrance=0.75", "vibrance=-1:weights=average"],
    make: { call, device, form in
      let kernel = ImageVibrance(device: device, amount: call.number("amount"), weights: weights(of: call))
      return PointFilter { kernel.encode(to: $0, source: $1, destination: $2, form: form) }
    })

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
  static let lumaWeights = FilterParameter(
    "weights", "the luma's weights",
    .choice(
      [
        FilterChoice("bt601", "0.299, 0.587, 0.114"),
        FilterChoice("bt709", "0.2126, 0.7152, 0.0722"),
        FilterChoice("bt2020", "0.2627, 0.6780, 0.0593"),
        FilterChoice("average", "a third each"),
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
