internal import SafelightImage
internal import SafelightKernels

extension FilterCatalogue {
  static let stretch = Entry(
    description: FilterDescription(
      name: "stretch",
      summary: "spreads the values between two percentiles of the picture over the whole range",
      discussion: """
        Per channel, with N pixels of which C(v) have the value v or less; low and high are kept in 1/65536:

            below = floor(N * low),  above = floor(N * (1 - high))
            black = the first v with C(v) > below
            white = the last v with N - C(v - 1) > above
            range = white - black
            out   = floor((clamp(v - black, 0, range) * maximum + floor(range / 2)) / range)

        A channel whose white is its black stays as it is. Alpha stays. Counts, table and look-up stay on the device.
        """,
      parameters: [
        KernelParameter("low", "the part of the pixels under black", .number(range: 0...1, default: 0.01)),
        KernelParameter("high", "the part that is not above white; above low", .number(range: 0...1, default: 0.99)),
        KernelParameter(
          "channels", "where the percentiles are taken from",
          .choice(
            [
              ParameterChoice("each", "red, green and blue, each its own"),
              ParameterChoice("linked", "the least black and the greatest white of the three serve all"),
              ParameterChoice("luma", "the luma of BT.601; they serve all three"),
            ], default: "each")),
      ]),
    examples: ["stretch", "stretch=low=0:high=1:channels=linked", "stretch=low=0.2:high=0.7:channels=luma"],
    formats: PixelFormat.pointFormats.filter { $0.samplesPerPixel != 2 },
    make: { call, device, form in
      guard let channels = ImageContrastStretch.Channels(rawValue: call.choice("channels")) else {
        trap("channels '\(call.choice("channels"))' are described but do not exist; add their case")
      }
      let (low, high) = (call.number("low"), call.number("high"))
      guard ImageContrastStretch.takes(low: low, high: high) else {
        throw SafelightError(
          .usage, "stretch=low=\(ParameterValue.number(low)):high=\(ParameterValue.number(high))",
          why: "low must lie below high by 1/65536 or more", remedy: "for example stretch=low=0.01:high=0.99")
      }
      return try StretchFilter(device: device, low: low, high: high, channels: channels, form: form)
    })
}
