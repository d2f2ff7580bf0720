extension PlantedDefect {
  static let color = [
    PlantedDefect(.coefficient, "saturation=1.2", "weights.r * pixel.r", "(weights.r - 1u) * pixel.r"),
    PlantedDefect(.rounding, "saturation=1.2", "+ 2048", "+ 2047"),
  ]
}
