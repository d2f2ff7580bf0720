internal import SafelightImage
internal import SafelightKernels

extension FilterCatalogue {
  /// Filters that change what samples mean, and the picture's tags with it.
  static let meanings: [Entry] = [
    linearize, encode, Entry(ImagePremultiply.self), Entry(ImageUnpremultiply.self),
  ]

  private static let linearize = Entry(
    description: FilterDescription(
      name: "srgb-to-linear",
      summary: "samples of sRGB become linear light (IEC 61966-2-1)",
      discussion: """
        A table of an entry for each value, v and the output from 0 to 1:

            light  = v / 12.92 where v <= 0.04045, else ((v + 0.055) / 1.055) ^ 2.4
            output = floor(light * maximum + 1/2)

        In 8 bits the dark steps are lost: 256 values become 183. Use 16 bits. The picture is tagged linear; one that says
        nothing is taken as sRGB, one tagged otherwise, or of limited range, is refused. Alpha stays.
        """),
    examples: ["srgb-to-linear"],
    make: { call, device, form in
      let kernel = ImageLookup(device: device) { ChannelTables(.linearOfSRGB($0)) }
      return transfer(kernel, from: .sRGB, to: .linear, by: call.name, form: form)
    })

  private static let encode = Entry(
    description: FilterDescription(
      name: "linear-to-srgb",
      summary: "samples of linear light become sRGB (IEC 61966-2-1)",
      discussion: """
        A table of an entry for each value, v and the output from 0 to 1:

            sRGB   = 12.92 * v where v <= 0.0031308, else 1.055 * v ^ (1 / 2.4) - 0.055
            output = floor(sRGB * maximum + 1/2)

        The picture is tagged sRGB; one that says nothing is taken as linear, one tagged otherwise, or of limited range, is
        refused. Alpha stays.
        """),
    examples: ["linear-to-srgb"],
    make: { call, device, form in
      let kernel = ImageLookup(device: device) { ChannelTables(.sRGBOfLinear($0)) }
      return transfer(kernel, from: .linear, to: .sRGB, by: call.name, form: form)
    })

  // MARK: Tags

  /// A look-up that changes the curve, and the tag of it.
  private static func transfer(
    _ kernel: ImageLookup, from: ColorTransfer, to: ColorTransfer, by filter: String, form: KernelForm
  ) -> PointFilter {
    PointFilter(meaning: { (color) throws(SafelightError) in
      try transferred(color, from: from, to: to, by: filter)
    }) { kernel.encode(to: $0, source: $1, destination: $2, form: form) }
  }

  /// The description after a change of the curve; what says nothing of its lights has those of sRGB.
  private static func transferred(
    _ color: ColorDescription, from: ColorTransfer, to: ColorTransfer, by filter: String
  ) throws(SafelightError) -> ColorDescription {
    guard color.transfer == .unspecified || color.transfer == from else {
      throw color.mismatch(filter, made: "transfer \(from)")
    }
    let color = try color.ofFullRange(for: filter)
    let lit = with(color, \.primaries, color.primaries == .unspecified ? .bt709 : color.primaries)
    return with(lit, \.transfer, to)
  }

  private static func with<Value>(
    _ color: ColorDescription, _ part: WritableKeyPath<ColorDescription, Value>, _ value: Value
  ) -> ColorDescription {
    var color = color
    color[keyPath: part] = value
    return color
  }
}
