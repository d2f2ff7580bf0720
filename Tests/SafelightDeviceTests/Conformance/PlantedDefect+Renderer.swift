extension PlantedDefect {
  static let renderer = [
    PlantedDefect(.coefficient, "renderer, linear, copy, render", "+ offset.xy", ""),
    PlantedDefect(.rounding, "renderer, linear, copy, compute", "second.y * lower + 32768u", "second.y * lower"),
    PlantedDefect(
      .rounding, "renderer, nearest, sourceOver, render", "MAXIMUM - front.a) + MAXIMUM / 2u", "MAXIMUM - front.a)"),
    PlantedDefect(
      .lastRow, "renderer, nearest, copy, compute", "if (isOutsideGrid()) return;",
      "if (isOutsideGrid() || gl_GlobalInvocationID.y + 1u == safelight_threadsPerGrid.y) return;"),
    PlantedDefect(
      .channel, "renderer, area, copy, render", "scaledPixel(uvec2(place) + offset.xy)",
      "scaledPixel(uvec2(place) + offset.xy).gbra"),
  ]
}
