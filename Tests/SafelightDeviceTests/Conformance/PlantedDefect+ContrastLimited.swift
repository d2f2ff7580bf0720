extension PlantedDefect {
  static let contrastLimited = [
    PlantedDefect(.coefficient, "clahe=columns=2:rows=2", "uvec4(parameters.x)", "uvec4(parameters.x - 1u)"),
    PlantedDefect(.coefficient, "clahe=clip=0:columns=2:rows=2", "parameters.y", "(parameters.y + 4096u)"),
    PlantedDefect(.coefficient, "clahe=clip=0:columns=2:rows=2", "(bits.r << 16) | bits.g", "(bits.r << 16)"),
    PlantedDefect(.channel, "clahe=clip=0:columns=2:rows=2", "outputs[plane] = ", "outputs[2u - plane] = "),
    PlantedDefect(
      .channel, "clahe=clip=0:columns=2:rows=2", "plane * ENTRIES + samples[plane]",
      "plane * ENTRIES + samples[2u - plane]"),
    PlantedDefect(.lastRow, "clahe=clip=0:columns=2:rows=2", "min(top + 64, area.w)", "min(top + 64, area.w - 1)"),
    PlantedDefect(.rounding, "clahe=clip=0:columns=2:rows=2", "min(nearest(mixed", "min(truncated(mixed"),
    PlantedDefect(.rounding, "clahe=clip=0:columns=2:rows=2", "min(nearest(product", "min(truncated(product"),
  ]
}
