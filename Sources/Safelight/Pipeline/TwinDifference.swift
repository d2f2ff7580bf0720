internal import SafelightImage

/// Where a device and the CPU twins differ, in any sample that lies in memory; there is none for equal pictures.
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
  /// Samples compared.
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
    var differing = 0
    var maximum = 0
    var first: Sample?
    let count = expected.pixelFormat.samplesPerPixel
    for y in 0..<expected.size.height {
      for x in 0..<expected.size.width {
        for sample in 0..<count {
          let a = expected[x: x, y: y, sample: sample]
          let b = actual[x: x, y: y, sample: sample]
          guard a != b else { continue }
          differing += 1
          maximum = max(maximum, abs(a - b))
          if first == nil { first = Sample(x: x, y: y, sample: sample, expected: a, actual: b) }
        }
      }
    }
    guard let first else { return nil }
    self.differing = differing
    self.maximum = maximum
    self.first = first
    samples = expected.size.area * count
  }

  /// The difference between `device` and the CPU twins in the picture called `name`, as an error.
  package func error(name: String, device: String) -> SafelightError {
    let channel = ["red", "green", "blue", "alpha"][first.sample]
    return SafelightError(
      .difference, name,
      why: """
        \(device) and the CPU twins differ in \(differing) of \(samples) samples, by up to \(maximum); first at \
        (\(first.x), \(first.y)) \(channel): \(first.expected) on the CPU, \(first.actual) on the device
        """, remedy: "report it with the output of safelight devices, and use --device cpu meanwhile")
  }
}
