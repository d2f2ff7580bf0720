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
    + colorMatrices.flatMap { filter in
      [
        PlantedDefect(.coefficient, filter, "row.g * high.g", "(row.g + 1) * high.g"),
        PlantedDefect(.rounding, filter, "l + 32768", "l"),
        PlantedDefect(.channel, filter, "mixedSample(blueRow", "mixedSample(greenRow"),
      ]
    }

  /// One call of each filter that is a colour matrix and rounds.
  private static let colorMatrices = [
    "hue=30", "white-balance=9000", "color-matrix=rr=0.4:rg=0.3:gr=0.2:bg=-0.3", "channel-mix=rr=0.5:rg=0.7:rb=-0.2",
  ]
}
