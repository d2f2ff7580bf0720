import SafelightImage
import SafelightKernels

/// The histogram of `picture` by its documentation: planar, each value in entry clamp((v − low) · entries / (high − low)).
///
/// `low` and `high` stand for the range of `info`, in sample values; the whole range where nil.
func expectedCounts(
  _ picture: Picture, _ info: HistogramInfo = HistogramInfo(), low: [Int]? = nil, high: [Int]? = nil,
  clip: Region? = nil
) -> [Int] {
  let isGray = picture.format.samplesPerPixel == 1
  let planes = isGray ? [0] : info.histogramForAlpha ? [0, 1, 2, 3] : [0, 1, 2]
  let columns = info.channels == .luma ? [picture.luma] : planes.map(picture.channel)
  var counts = [Int](repeating: 0, count: columns.count * info.entries)
  for (plane, values) in columns.enumerated() {
    let low = low?[plane] ?? 0
    let high = high?[plane] ?? picture.format.maximum
    for (index, value) in values.enumerated() {
      let x = index % picture.size.width
      let y = index / picture.size.width
      if let clip, x < clip.x || y < clip.y || x >= clip.x + clip.size.width || y >= clip.y + clip.size.height {
        continue
      }
      counts[plane * info.entries + binOf(value, low, high, info.entries)] += 1
    }
  }
  return counts
}

/// The entry of a value.
func binOf(_ value: Int, _ low: Int, _ high: Int, _ entries: Int) -> Int {
  value < low ? 0 : min((value - low) * entries / (high - low), entries - 1)
}
