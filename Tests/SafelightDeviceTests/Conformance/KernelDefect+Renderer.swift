import SafelightKernels

extension KernelDefect {
  static let renderer = [
    KernelDefect(.coefficient, "renderer, linear, copy, render", "+ offset.xy", ""),
    KernelDefect(.rounding, "renderer, linear, copy, compute", "second.y * lower + 32768u", "second.y * lower"),
    KernelDefect(
      .rounding, "renderer, nearest, sourceOver, render", "MAXIMUM - front.a) + MAXIMUM / 2u", "MAXIMUM - front.a)"),
    KernelDefect(
      .lastRow, "renderer, nearest, copy, compute", "if (isOutsideGrid()) return;",
      "if (isOutsideGrid() || gl_GlobalInvocationID.y + 1u == safelight_threadsPerGrid.y) return;"),
    KernelDefect(
      .channel, "renderer, area, copy, render", "scaledPixel(uvec2(place) + offset.xy)",
      "scaledPixel(uvec2(place) + offset.xy).gbra"),
  ]
}
