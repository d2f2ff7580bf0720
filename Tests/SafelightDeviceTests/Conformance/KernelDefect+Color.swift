import SafelightKernels

extension KernelDefect {
  static let color =
    [
      KernelDefect(.coefficient, "gray", "row.g * high.g", "(row.g + 1) * high.g"),
      KernelDefect(.rounding, "gray=bt709", "l + 32768", "l"),
      KernelDefect(.coefficient, "channel-swap", "row.g * high.g", "(row.g + 1) * high.g"),
      KernelDefect(.channel, "channel-swap", "mixedSample(blueRow", "mixedSample(greenRow"),
    ]
    + meanings + yCbCr
    + colorMatrices.flatMap { filter in
      [
        KernelDefect(.coefficient, filter, "row.g * high.g", "(row.g + 1) * high.g"),
        KernelDefect(.rounding, filter, "l + 32768", "l"),
        KernelDefect(.channel, filter, "mixedSample(blueRow", "mixedSample(greenRow"),
      ]
    }

  private static let meanings = [
    KernelDefect(.coefficient, "srgb-to-linear", "value & 255u", "value & 254u"),
    KernelDefect(.coefficient, "linear-to-srgb", "value & 255u", "value & 254u"),
  ]

  /// A mistake of `rgb_to_ycbcr`, then those of `ycbcr_to_rgb`.
  private static let yCbCr = [
    KernelDefect(.coefficient, "ycbcr", "row.g * high.g", "(row.g + 512) * high.g"),
    KernelDefect(.channel, "ycbcr", "mixedSample(secondRow", "mixedSample(firstRow"),
    KernelDefect(.coefficient, "ycbcr", "row.y * high.y", "(row.y + 512) * high.y"),
    KernelDefect(.coefficient, "ycbcr", "quarters & 3", "quarters & 1"),
    KernelDefect(.channel, "ycbcr", "mixedSample(redRow", "mixedSample(blueRow"),
    KernelDefect(.rounding, "ycbcr=bt601:range=full:chroma=444:siting=center", "(l + (1 << 22))", "l"),
    KernelDefect(
      .lastRow, "ycbcr", "ivec2 place = ivec2(gl_FragCoord.xy);",
      "ivec2 place = ivec2(gl_FragCoord.xy);\n  if (place.y + 1 == textureSize(luma, 0).y) discard;"),
  ]

  /// One call of each filter that is a colour matrix and rounds.
  private static let colorMatrices = [
    "hue=30", "white-balance=9000", "color-matrix=rr=0.4:rg=0.3:gr=0.2:bg=-0.3", "channel-mix=rr=0.5:rg=0.7:rb=-0.2",
  ]
}
