internal import SafelightKernels

extension FilterCatalogue {
  /// Filters that mix red, green and blue.
  static let color: [Entry] = [saturation]

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
        FilterParameter(
          "weights", "the luma's weights",
          .choice(
            [
              FilterChoice("bt601", "0.299, 0.587, 0.114"),
              FilterChoice("bt709", "0.2126, 0.7152, 0.0722"),
            ], default: "bt601")),
      ]),
    examples: ["saturation=0", "saturation=1.2", "saturation=amount=4:weights=bt709"],
    make: { call, device, form in
      let weights = call.choice("weights") == "bt709" ? LumaWeights(0.2126, 0.7152, 0.0722) : .bt601
      let kernel = ImageSaturation(device: device, amount: call.number("amount"), weights: weights)
      return PointFilter { kernel.encode(to: $0, source: $1, destination: $2, form: form) }
    })
}
