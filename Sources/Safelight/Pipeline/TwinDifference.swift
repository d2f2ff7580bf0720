internal import SafelightImage

/// Where a device and the CPU twins differ; there is none for equal pictures.
package struct TwinDifference: Hashable, Sendable {
  /// One sample that differs.
  package struct Sample: Hashable, Sendable {
    /// The pixel's column.
    package let x: Int
    /// The pixel's row.
    package let y: Int
    /// Which sample of the pixel, from 0.
    package let sample: Int
    /// What it should be.
    let expected: Int
    /// What it is.
    let actual: Int
  }

  /// Samples that differ.
  package let differing: Int
  /// Samples that the pictures have: three a pixel without alpha, although a fourth lies in memory.
  package let samples: Int
  /// The largest difference.
  package let maximum: Int
  /// The first that differs, reading from the top-left.
  package let first: Sample

  /// Compares sample by sample; nil where all are equal. Both pictures need the same size, channels and depth.
  package init?(expected: Image, actual: Image) {
    trap(
      unless: expected.size == actual.size && expected.channels == actual.channels && expected.depth == actual.depth,
      "only pictures of one size, kind and depth can be compared")
    if expected.bytes == actual.bytes { return nil }
    let meant = expected.channels.sampleIndices
    samples = expected.size.area * meant.count
    // What lies in memory and is no sample is told of only where nothing else differs.
    let all = Array(0..<expected.pixelFormat.samplesPerPixel)
    guard let found = Self.find(meant, expected, actual) ?? Self.find(all, expected, actual) else { return nil }
    (differing, maximum, first) = found
  }

  private static func find(
    _ samples: [Int], _ expected: Image, _ actual: Image
  ) -> (differing: Int, maximum: Int, first: Sample)? {
    var differing = 0
    var maximum = 0
    var first: Sample?
    for y in 0..<expected.size.height {
      for x in 0..<expected.size.width {
        for sample in samples {
          let a = expected[x: x, y: y, sample: sample]
          let b = actual[x: x, y: y, sample: sample]
          guard a != b else { continue }
          differing += 1
          maximum = max(maximum, abs(a - b))
          if first == nil { first = Sample(x: x, y: y, sample: sample, expected: a, actual: b) }
        }
      }
    }
    return first.map { (differing, maximum, $0) }
  }

  /// The difference between `device` and the CPU twins in the picture called `name`, as an error; `place` says which sample the first is.
  package func error(name: String, device: String, place: (Sample) -> String) -> SafelightError {
    SafelightError(
      .difference, name,
      why: """
        \(device) and the CPU twins differ in \(differing) of \(samples) samples, by up to \(maximum); first at \
        \(place(first)): \(first.expected) on the CPU, \(first.actual) on the device
        """, remedy: "report it with the name of the driver, and use the device cpu meanwhile")
  }
}
