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
