import SafelightKernels

extension KernelDefect {
  /// A mistake of `rgb_to_ycbcr`, then those of `ycbcr_to_rgb`.
  static let yCbCr = [
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
}
