package import SafelightImage

/// Straight lines between entries at equal distances, for each channel, as in a `.cube` file of one dimension.
package struct ChannelCurves: ChannelTableSource {
  /// Red, green and blue of each entry.
  package let samples: [Double]
  let domainMin: SIMD3<Double>
  let domainMax: SIMD3<Double>

  /// Adopts `samples`, of two entries or more, of which the first are for ``domainMin`` and the last for ``domainMax``.
  package init(samples: [Double], domainMin: SIMD3<Double>, domainMax: SIMD3<Double>) {
    self.samples = samples
    self.domainMin = domainMin
    self.domainMax = domainMax
  }

  /// Hashes some of the samples, since there are many.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(domainMin)
    hasher.combine(domainMax)
    for place in stride(from: 0, to: samples.count, by: max(1, samples.count / 64)) { hasher.combine(samples[place]) }
  }

  /// True if red, green and blue have different curves.
  package var makesColors: Bool {
    func isGray(_ color: SIMD3<Double>) -> Bool { color.x == color.y && color.y == color.z }
    guard isGray(domainMin), isGray(domainMax) else { return true }
    return stride(from: 0, to: samples.count, by: 3).contains { !isGray(SIMD3(samples[$0..<$0 + 3])) }
  }

  package func tables(_ depth: SampleDepth) -> ChannelTables {
    func table(_ channel: Int) -> SampleTable { SampleTable(quantizing: { output($0, channel) }, depth: depth) }
    return ChannelTables(red: table(0), green: table(1), blue: table(2))
  }

  /// Returns the output of a channel for `value`; outside the domain, the output at the nearer end.
  func output(_ value: Double, _ channel: Int) -> Double {
    let last = samples.count / 3 - 1
    let place = (value - domainMin[channel]) / (domainMax[channel] - domainMin[channel])
    let position = min(max(place, 0), 1) * Double(last)
    let entry = min(Int(position), last - 1)
    let part = position - Double(entry)
    return samples[3 * entry + channel] * (1 - part) + samples[3 * (entry + 1) + channel] * part
  }
}
