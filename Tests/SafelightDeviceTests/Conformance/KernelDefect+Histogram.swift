import SafelightKernels

extension KernelDefect {
  static let histogram = [
    KernelDefect(
      .lastRow, "histogram of 256 entries, private", "min(top + int(placement.y), area.y + area.w)",
      "min(top + int(placement.y), area.y + area.w - 1)"),
    KernelDefect(
      .channel, "histogram of 256 entries, shared", "binOf(samples[plane], plane)", "binOf(samples[plane ^ 1u], plane)"),
    KernelDefect(.coefficient, "histogram of 256 entries of luma, global", "19595u", "19594u"),
    KernelDefect(
      .rounding, "histogram of 1024 entries from 0.25 to 0.75, global",
      "(min(value, high[plane]) - low[plane]) * uint(ENTRIES)",
      "((min(value, high[plane]) - low[plane]) * uint(ENTRIES) + (high[plane] - low[plane]) / 2u)"),
  ]

  static let normalizedHistogram = [
    KernelDefect(
      .lastRow, "normalized histogram of 256 entries", "min(top + int(placement.y), area.y + area.w)",
      "min(top + int(placement.y), area.y + area.w - 1)"),
    KernelDefect(
      .channel, "normalized histogram of 256 entries", "words[4u + channel], greatest[channel]",
      "words[4u + channel], greatest[channel ^ 1u]"),
    KernelDefect(.coefficient, "normalized histogram of 256 entries of luma", "7471u", "7470u"),
    KernelDefect(
      .rounding, "normalized histogram of 1024 entries from 0.25 to 0.75",
      "(min(value, high[plane]) - low[plane]) * uint(ENTRIES)",
      "((min(value, high[plane]) - low[plane]) * uint(ENTRIES) + (high[plane] - low[plane]) / 2u)"),
  ]

  static let match = [
    KernelDefect(.coefficient, "match of luma with few values, render", "38470u", "38469u"),
    KernelDefect(
      .rounding, "match with few values, render", "return isLess(toUpper, toLower) ? above :", "return true ? above :"),
  ]
}
