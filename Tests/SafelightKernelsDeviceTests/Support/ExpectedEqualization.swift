import SafelightImage
import SafelightKernels

/// What the rule `normalized-sum` makes of each of `values`, by sorting, where the kernels count.
///
/// After sorting, C(v) is the place behind the last v; the output is floor((2 · maximum · C + N) / (2 · N)).
func normalizedSum(_ values: [Int], maximum: Int) -> [Int: Int] {
  var outputs: [Int: Int] = [:]
  let sorted = values.sorted()
  for (index, value) in sorted.enumerated() where index + 1 == sorted.count || sorted[index + 1] != value {
    outputs[value] = (2 * maximum * (index + 1) + sorted.count) / (2 * sorted.count)
  }
  return outputs
}

/// The samples of `picture` equalized with its own complete histogram.
func expectedEqualization(_ picture: Picture, _ channels: HistogramInfo.Channels) -> [Int] {
  var result = picture.samples
  let maximum = picture.format.maximum
  let isGray = picture.format.samplesPerPixel == 1
  if channels == .luma && !isGray {
    let luma = picture.luma
    let outputs = normalizedSum(luma, maximum: maximum)
    for (pixel, value) in luma.enumerated() {
      let shift = (outputs[value] ?? 0) - value
      for index in pixel * 4..<pixel * 4 + 3 { result[index] = min(max(result[index] + shift, 0), maximum) }
    }
    return result
  }
  for channel in 0..<(isGray ? 1 : 3) {
    let outputs = normalizedSum(picture.channel(channel), maximum: maximum)
    for index in stride(from: channel, to: result.count, by: picture.format.samplesPerPixel) {
      result[index] = outputs[result[index]] ?? 0
    }
  }
  return result
}
