internal import SafelightImage
internal import SafelightKernels

extension FilterCatalogue {
  /// Filters that change how light or dark each pixel is.
  static let tone: [Entry] = [
    levels, gamma, exposure, brightnessContrast, curves, lookup, stretch, Entry(ImageThreshold.self), posterize, invert,
  ]

  /// What all of them do with a function of 0 to 1.
  private static let quantized = """
    The function is worked out once for each of the 256 or 65536 values v there are, with x = v / maximum, and what it gives is rounded,
    out = floor(y * maximum + 1/2): pixels are looked up. Alpha stays. A setting of one channel refuses grey pictures.
    """

  private static let levels = Entry(
    description: FilterDescription(
      name: "levels",
      summary: "moves black, white and the middle",
      discussion: """
            t = clamp((x - black) / (white - black), 0, 1)
            y = output-black + (output-white - output-black) * t^(1 / gamma)

        \(quantized)
        """,
      parameters: [
        KernelParameter("black", "what becomes output-black; below white", .number(range: 0...1, default: 0)),
        KernelParameter("white", "what becomes output-white", .number(range: 0...1, default: 1)),
        KernelParameter("gamma", "the bend between them; above 1 is lighter", .number(range: 0.1...10, default: 1)),
        KernelParameter("output-black", "what black becomes", .number(range: 0...1, default: 0)),
        KernelParameter("output-white", "what white becomes", .number(range: 0...1, default: 1)),
        ToneChannels.parameter,
      ]),
    examples: [
      "levels=black=0.1:white=0.9:gamma=1.2", "levels=output-black=0.91:output-white=0.23:channels=green",
      "levels=gamma=0.45:channels=red",
    ],
    formats: PixelFormat.pointFormats,
    make: { call, device, form in
      let (black, white) = (call.number("black"), call.number("white"))
      guard black < white else {
        throw SafelightError(
          .usage, "levels=black=\(black):white=\(white)", why: "black must lie below white",
          remedy: "to turn light into dark, set output-black above output-white")
      }
      let levels = Levels(
        black: black, white: white, gamma: call.number("gamma"), outputBlack: call.number("output-black"),
        outputWhite: call.number("output-white"))
      return LookupFilter("levels", device: device, form: form, channels: ToneChannels(call)) {
        SampleTable(quantizing: levels.output, depth: $0)
      }
    })

  private static let gamma = Entry(
    description: FilterDescription(
      name: "gamma",
      summary: "makes the middle lighter or darker",
      discussion: """
            y = x^(1 / gamma)

        \(quantized)
        """,
      parameters: [
        KernelParameter("gamma", "above 1 is lighter, below 1 darker", .number(range: 0.1...10, default: 1)),
        ToneChannels.parameter,
      ]),
    examples: ["gamma=2.2", "gamma=0.5:channels=blue"],
    formats: PixelFormat.pointFormats,
    make: { call, device, form in
      let levels = Levels(gamma: call.number("gamma"))
      return LookupFilter("gamma", device: device, form: form, channels: ToneChannels(call)) {
        SampleTable(quantizing: levels.output, depth: $0)
      }
    })

  private static let exposure = Entry(
    description: FilterDescription(
      name: "exposure",
      summary: "doubles or halves the light, in stops",
      discussion: """
        The light is that behind the curve of sRGB, IEC 61966-2-1, whatever curve the picture is tagged with:

            light = x / 12.92 up to 0.04045, ((x + 0.055) / 1.055)^2.4 above
            more  = min(light * 2^stops, 1)
            y     = 12.92 * more up to 0.0031308, 1.055 * more^(1 / 2.4) - 0.055 above

        A picture of limited range is refused.

        \(quantized)
        """,
      parameters: [
        KernelParameter("stops", "how often the light is doubled, halved below 0", .number(range: -10...10, default: 0))
      ]),
    examples: ["exposure=1", "exposure=-1.5"],
    formats: PixelFormat.pointFormats,
    make: { call, device, form in
      let exposure = Exposure(stops: call.number("stops"))
      return LookupFilter(
        "exposure", device: device, form: form,
        meaning: { (color) throws(SafelightError) in try color.ofFullRange(for: "exposure") }
      ) {
        SampleTable(quantizing: exposure.output, depth: $0)
      }
    })

  private static let brightnessContrast = Entry(
    description: FilterDescription(
      name: "brightness-contrast",
      summary: "stretches values about the middle, and moves them",
      discussion: """
            y = clamp((x - 1/2) * contrast + 1/2 + brightness, 0, 1)

        \(quantized)
        """,
      parameters: [
        KernelParameter("brightness", "what is added; 1 is all there is", .number(range: -1...1, default: 0)),
        KernelParameter("contrast", "the factor of the distance from the middle", .number(range: 0...10, default: 1)),
        ToneChannels.parameter,
      ]),
    examples: ["brightness-contrast=0.1:contrast=1.3", "brightness-contrast=-0.2:contrast=0.5:channels=red"],
    formats: PixelFormat.pointFormats,
    make: { call, device, form in
      let function = BrightnessContrast(brightness: call.number("brightness"), contrast: call.number("contrast"))
      return LookupFilter("brightness-contrast", device: device, form: form, channels: ToneChannels(call)) {
        SampleTable(quantizing: function.output, depth: $0)
      }
    })

  private static let invert = Entry(
    description: FilterDescription(
      name: "invert",
      summary: "turns light into dark",
      discussion: "    out = maximum - v\n\nfor red, green and blue, or grey. Alpha stays."),
    examples: ["invert"],
    formats: PixelFormat.pointFormats,
    make: { _, device, form in LookupFilter("invert", device: device, form: form) { .inverted($0) } })

  private static let posterize = Entry(
    description: FilterDescription(
      name: "posterize",
      summary: "leaves so many values a channel",
      discussion: """
            k   = floor(v * levels / (maximum + 1))
            out = floor((2 * k * maximum + levels - 1) / (2 * (levels - 1)))

        for red, green and blue, or grey. Alpha stays.
        """,
      parameters: [KernelParameter("levels", "how many values are left", .integer(range: 2...256, default: 4))]),
    examples: ["posterize=2", "posterize=7"],
    formats: PixelFormat.pointFormats,
    make: { call, device, form in
      let levels = call.integer("levels")
      return LookupFilter("posterize", device: device, form: form) { .posterized($0, levels: levels) }
    })
}
