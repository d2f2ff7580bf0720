import SafelightKernels

extension KernelDefect {
  static let contrastLimited = [
    KernelDefect(.coefficient, "clahe=columns=2:rows=2", "uvec4(parameters.x)", "uvec4(parameters.x - 1u)"),
    KernelDefect(.coefficient, "clahe=clip=0:columns=2:rows=2", "parameters.y", "(parameters.y + 4096u)"),
    KernelDefect(.coefficient, "clahe=clip=0:columns=2:rows=2", "(bits.r << 16) | bits.g", "(bits.r << 16)"),
    KernelDefect(.channel, "clahe=clip=0:columns=2:rows=2", "outputs[plane] = ", "outputs[2u - plane] = "),
    KernelDefect(
      .channel, "clahe=clip=0:columns=2:rows=2", "plane * ENTRIES + samples[plane]",
      "plane * ENTRIES + samples[2u - plane]"),
    KernelDefect(.lastRow, "clahe=clip=0:columns=2:rows=2", "min(top + 64, area.w)", "min(top + 64, area.w - 1)"),
    KernelDefect(.rounding, "clahe=clip=0:columns=2:rows=2", "min(nearest(mixed", "min(truncated(mixed"),
    KernelDefect(.rounding, "clahe=clip=0:columns=2:rows=2", "min(nearest(product", "min(truncated(product"),
  ]
}
