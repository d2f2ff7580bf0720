import SafelightKernels

extension KernelDefect {
  static let tone = lookups + stretches + cubes

  /// Tables are made and rounded on the CPU, for both; what a look-up can do wrong is to look elsewhere.
  private static let lookups = [
    "curves=red=0/0.07 1/0.93:points=0/0 0.3/0.5 1/1",
    "lut=file='data:,LUT_1D_SIZE 3%0A0 0.1 0%0A0.3 0.6 0.5%0A1 0.9 1'",
  ].flatMap { filter in
    [
      KernelDefect(.coefficient, filter, "int(value >> 8)", "int(value >> 9)"),
      KernelDefect(.coefficient, filter, "value & 255u", "value & 254u"),
      KernelDefect(.channel, filter, "pixel.g = outputs(pixel.g).g", "pixel.g = outputs(pixel.b).g"),
    ]
  }

  private static let stretches = [
    KernelDefect(
      .coefficient, "stretch=low=0.2:high=0.7", "after[plane] > below[plane]", "after[plane] >= below[plane]"),
    KernelDefect(.rounding, "stretch=low=0.2:high=0.7", "+ range / 2u", ""),
    KernelDefect(.channel, "stretch=low=0.2:high=0.7", "black[channel], white[channel]", "black[channel], white[0]"),
    KernelDefect(
      .channel, "stretch=channels=linked:low=0.2:high=0.7", "min(black.r, min(black.g, black.b))",
      "max(black.r, max(black.g, black.b))"),
    KernelDefect(.channel, "stretch=channels=luma:low=0.2:high=0.7", "white = white.rrrr", "white = white.rggg"),
    KernelDefect(
      .lastRow, "stretch=low=0.2:high=0.7", "entry < first + CHUNK; ++entry", "entry + 1u < first + CHUNK; ++entry"),
  ]

  private static let cubes = [
    KernelDefect(.coefficient, cube, "(shape.x - 1u);\n#endif", "shape.x;\n#endif"),
    KernelDefect(.coefficient, cube, "(middle - least) *", "(middle - least + 1u) *"),
    KernelDefect(.rounding, cube, "+ DIVISOR / 2u", ""),
    KernelDefect(.channel, cube, "greenBlue ? uvec3(0u, 1u, 0u) : uvec3(0u, 0u, 1u)", "uvec3(0u, 0u, 1u)"),
    KernelDefect(.channel, cube, "redGreen ? uvec3(0u, 1u, 0u) : uvec3(1u, 0u, 0u)", "uvec3(0u, 1u, 0u)"),
    KernelDefect(
      .channel, "lut=file='data:,DOMAIN_MIN 0.1 0 -0.2%0A\(table)'", "positionsOf(pixel.g).g", "positionsOf(pixel.g).r"),
  ]

  private static let table =
    "LUT_3D_SIZE 2%0A"
    + [
      "0.02 0.05 0", "0.9 0.1 0.3", "0.2 0.8 0.1", "0.7 1 0.4", "0.1 0 0.6", "0.8 0.2 1", "0.3 0.7 0.9", "1 0.94 0.97",
    ].joined(separator: "%0A")

  private static let cube = "lut=file='data:,\(table)'"
}
