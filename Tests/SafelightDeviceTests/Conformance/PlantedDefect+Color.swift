extension PlantedDefect {
  static let color =
    [
      PlantedDefect(.coefficient, "saturation=1.2", "weights.r * pixel.r", "(weights.r - 1u) * pixel.r"),
      PlantedDefect(.rounding, "saturation=1.2", "+ 2048", "+ 2047"),
      PlantedDefect(.coefficient, "vibrance=-0.6", "weights.b * pixel.b", "(weights.b - 1u) * pixel.b"),
      PlantedDefect(.coefficient, "vibrance=0.6", "int gain = 4096", "int gain = 4095"),
      PlantedDefect(.rounding, "vibrance=0.6", "rest + MAXIMUM / 2u", "rest"),
      PlantedDefect(
        .channel, "vibrance=0.6", "min(min(pixel.r, pixel.g), pixel.b)", "min(min(pixel.r, pixel.g), pixel.g)"),
      PlantedDefect(.coefficient, "gray", "row.g * high.g", "(row.g + 1) * high.g"),
      PlantedDefect(.rounding, "gray=bt709", "l + 32768", "l"),
      PlantedDefect(.coefficient, "channel-swap", "row.g * high.g", "(row.g + 1) * high.g"),
      PlantedDefect(.channel, "channel-swap", "mixedSample(blueRow", "mixedSample(greenRow"),
    ]
    + meanings + yCbCr
    + colorMatrices.flatMap { filter in
      [
        PlantedDefect(.coefficient, filter, "row.g * high.g", "(row.g + 1) * high.g"),
        PlantedDefect(.rounding, filter, "l + 32768", "l"),
        PlantedDefect(.channel, filter, "mixedSample(blueRow", "mixedSample(greenRow"),
      ]
    }

  private static let meanings = [
    PlantedDefect(.coefficient, "srgb-to-linear", "value & 255u", "value & 254u"),
    PlantedDefect(.coefficient, "linear-to-srgb", "value & 255u", "value & 254u"),
    PlantedDefect(.coefficient, "premultiply", "/ MAXIMUM,", "/ (MAXIMUM - 1u),"),
    PlantedDefect(.rounding, "premultiply", "pixel.a + MAXIMUM / 2u", "pixel.a"),
    PlantedDefect(.coefficient, "unpremultiply", "pixel.rgb * MAXIMUM", "pixel.rgb * (MAXIMUM - 1u)"),
    PlantedDefect(.rounding, "unpremultiply", "MAXIMUM + pixel.a / 2u", "MAXIMUM"),
  ]

  /// A mistake of `rgb_to_ycbcr`, then those of `ycbcr_to_rgb`.
  private static let yCbCr = [
    PlantedDefect(.coefficient, "ycbcr", "row.g * high.g", "(row.g + 512) * high.g"),
    PlantedDefect(.channel, "ycbcr", "mixedSample(secondRow", "mixedSample(firstRow"),
    PlantedDefect(.coefficient, "ycbcr", "row.y * high.y", "(row.y + 512) * high.y"),
    PlantedDefect(.coefficient, "ycbcr", "quarters & 3", "quarters & 1"),
    PlantedDefect(.channel, "ycbcr", "mixedSample(redRow", "mixedSample(blueRow"),
    PlantedDefect(.rounding, "ycbcr=bt601:range=full:chroma=444:siting=center", "(l + (1 << 22))", "l"),
    PlantedDefect(
      .lastRow, "ycbcr", "ivec2 place = ivec2(gl_FragCoord.xy);",
      "ivec2 place = ivec2(gl_FragCoord.xy);\n  if (place.y + 1 == textureSize(luma, 0).y) discard;"),
  ]

  /// One call of each filter that is a colour matrix and rounds.
  private static let colorMatrices = [
    "hue=30", "white-balance=9000", "color-matrix=rr=0.4:rg=0.3:gr=0.2:bg=-0.3", "channel-mix=rr=0.5:rg=0.7:rb=-0.2",
  ]
}
