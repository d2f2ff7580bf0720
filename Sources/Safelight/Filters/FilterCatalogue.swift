internal import SafelightGPU
internal import SafelightKernels

/// Every filter there is: what it says of itself, and how it is made.
public enum FilterCatalogue {
  /// The descriptions, in the order in which they are listed.
  public static let descriptions: [FilterDescription] = entries.map(\.description)

  struct Entry: Sendable {
    let description: FilterDescription
    let make: @Sendable (FilterCall, Device, KernelForm) throws -> any ImageFilter
  }

  static let entries: [Entry] = [equalize, saturation, passthrough]

  private static let equalize = Entry(
    description: FilterDescription(
      name: "equalize",
      summary: "spreads the values of the picture evenly (histogram equalization)",
      discussion: """
        A look-up table is made from the picture's own histogram, one entry for every sample value (256 or 65536), so
        nothing is lost. Alpha stays. Rule normalized-sum, per channel, in integers:

            table(i) = floor((2 * maximum * C(i) + N) / (2 * N))

        C(i) counts the pixels up to value i, N all pixels, maximum is 255 or 65535. With channels=luma the luma
        Y = (19595*R + 38470*G + 7471*B + 32768) >> 16 of BT.601 is equalized and the chroma kept:
        d = table(Y) - Y, and R, G, B become clamp(v + d, 0, maximum). A picture of one value becomes the maximum.
        """,
      parameters: [
        FilterParameter(
          "rule", "how counts become a table",
          .choice(
            [FilterChoice("normalized-sum", "the normalised inclusive sum, rounded half up")], default: "normalized-sum"
          )),
        FilterParameter(
          "channels", "what is equalized",
          .choice(
            [
              FilterChoice("each", "red, green and blue, each by its own histogram"),
              FilterChoice("luma", "the luma; colours keep their chroma"),
            ], default: "each")),
      ]),
    make: { call, device, form in
      let channels: HistogramInfo.Channels = call.choice("channels") == "luma" ? .luma : .each
      return try EqualizeFilter(device: device, channels: channels, form: form)
    })

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
    make: { call, device, form in
      let weights = call.choice("weights") == "bt709" ? LumaWeights(0.2126, 0.7152, 0.0722) : .bt601
      let kernel = ImageSaturation(device: device, amount: call.number("amount"), weights: weights)
      return SaturationFilter(kernel: kernel, form: form)
    })

  private static let passthrough = Entry(
    description: FilterDescription(
      name: "passthrough",
      summary: "copies every sample as it is",
      discussion: "Upload, one pass over the picture, readback: what the road to the device costs."),
    make: { _, device, form in PassthroughFilter(kernel: ImagePassthrough(device: device), form: form) })
}
