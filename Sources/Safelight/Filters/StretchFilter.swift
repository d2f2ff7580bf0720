internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// `stretch`: ``ImageContrastStretch`` by the histogram of the picture itself.
struct StretchFilter: ImageKernel {
  var low = 0.01
  var high = 0.99
  var channels = ImageContrastStretch.Channels.each
  var counts = CountedPixels.visible

  static let card = KernelCard<Self>(
    "stretch", "spreads the values between two percentiles of the picture over the whole range",
    discussion: """
      Per channel, with N pixels of which C(v) have the value v or less; low and high are kept in 1/65536:

          below = floor(N * low),  above = floor(N * (1 - high))
          black = the first v with C(v) > below
          white = the last v with N - C(v - 1) > above
          range = white - black
          out   = floor((clamp(v - black, 0, range) * maximum + floor(range / 2)) / range)

      A channel whose white is its black stays as it is. Alpha stays. Pixels of alpha 0 are not counted where alpha is
      straight, unless counts=all; if there are no others, the picture stays as it is. Counts, table and look-up stay on
      the device.
      """,
    [
      .number("low", "the part of the pixels below the black point", \.low, in: 0...1),
      .number("high", "the part of the pixels not above the white point; greater than low", \.high, in: 0...1),
      .choice("channels", "the channels whose percentiles count", \.channels),
      .choice("counts", "the pixels that are counted", \.counts),
    ],
    examples: [
      "stretch", "stretch=low=0:high=1:channels=linked", "stretch=low=0.2:high=0.7:channels=luma", "stretch=counts=all",
    ])

  static let formats = PixelFormat.pictureFormats

  func check() throws(SafelightError) {
    try ensure(
      ImageContrastStretch.takes(low: low, high: high), .usage,
      "stretch=low=\(ParameterValue.number(low)):high=\(ParameterValue.number(high))",
      why: "low must be less than high by at least 1/65536", remedy: "write, for example, stretch=low=0.01:high=0.99")
  }

  func makeStage(on device: Device, form: KernelForm) throws -> any ImageStage {
    try HistogramStage(self, on: device, form: form) { depth in
      ImageContrastStretch(device: device, depth: depth, low: low, high: high, channels: channels, pixels: counts)
    }
  }
}

extension ImageContrastStretch.Channels: ParameterWord {
  /// The choices, by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.each, "red, green and blue, each its own"),
    (.linked, "the least black and the greatest white of the three, for all"),
    (.luma, "those of the luma of BT.601, for all three"),
  ].map { ($0, $0.rawValue, $1) }
}
