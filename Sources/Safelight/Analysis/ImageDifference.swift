public import SafelightImage

/// Where two pictures of one kind differ; there is none for equal ones.
public struct ImageDifference: Hashable, Sendable {
  /// Samples that differ.
  public let differing: Int
  /// Samples compared.
  public let samples: Int
  /// The largest difference.
  public let maximum: Int
  /// The first pixel that differs, reading from the top-left.
  public let first: (x: Int, y: Int, sample: Int, expected: Int, actual: Int)

  /// Compares sample by sample; nil where all are equal. Both pictures need the same size, channels and depth.
  public init?(expected: Image, actual: Image) {
    precondition(
      expected.size == actual.size && expected.channels == actual.channels && expected.depth == actual.depth,
      "only pictures of one size, kind and depth can be compared")
    if expected.bytes == actual.bytes { return nil }
    var differing = 0
    var maximum = 0
    var first: (x: Int, y: Int, sample: Int, expected: Int, actual: Int)?
    let count = expected.pixelFormat.samplesPerPixel
    for y in 0..<expected.size.height {
      for x in 0..<expected.size.width {
        for sample in 0..<count {
          let a = expected[x: x, y: y, sample: sample]
          let b = actual[x: x, y: y, sample: sample]
          guard a != b else { continue }
          differing += 1
          maximum = max(maximum, abs(a - b))
          if first == nil { first = (x, y, sample, a, b) }
        }
      }
    }
    guard let first else { return nil }
    self.differing = differing
    self.maximum = maximum
    self.first = first
    samples = expected.size.area * count
  }

  /// The difference as an error between `device` and the CPU twins.
  func error(device: String) -> SafelightError {
    let channel = ["red", "green", "blue", "alpha"][first.sample]
    return SafelightError(
      .difference, "",
      why:
        """
        \(device) and the CPU twins differ in \(differing) of \(samples) samples, by up to \(maximum); first at \
        (\(first.x), \(first.y)) \(channel): \(first.expected) on the CPU, \(first.actual) on the device
        """, remedy: "report it with the output of safelight devices, and use --device cpu meanwhile")
  }

  /// Equal when every figure is.
  public static func == (a: Self, b: Self) -> Bool {
    a.differing == b.differing && a.samples == b.samples && a.maximum == b.maximum && a.first == b.first
  }

  /// Feeds every figure but the position.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(differing)
    hasher.combine(maximum)
  }
}
