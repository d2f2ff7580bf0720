public import SafelightImage

/// How far two runs of bytes are apart, sample by sample.
public struct CaptureDifference: Hashable, Sendable {
  /// Samples that differ; words of a buffer, bytes where it has no whole words.
  public let differing: Int
  /// Samples compared.
  public let count: Int
  /// The first that differs, from 0.
  public let first: Int
  /// The largest difference, in the numbers of the format.
  public let largest: Double

  /// Nil where both are equal; both must be as long.
  public init?(expected: [UInt8], actual: [UInt8], pixelFormat: PixelFormat?) {
    trap(unless: expected.count == actual.count, "only as many bytes can be compared")
    if expected == actual { return nil }
    let width = Self.width(expected, pixelFormat)
    let isFloat = pixelFormat?.sampleKind == .float
    var differing = 0
    var first: Int?
    var largest = 0.0
    for index in 0..<expected.count / width {
      let range = index * width..<(index + 1) * width
      if expected[range] == actual[range] { continue }
      differing += 1
      if first == nil { first = index }
      let distance = abs(
        Self.value(expected[range], isFloat: isFloat) - Self.value(actual[range], isFloat: isFloat))
      largest = distance.isNaN ? .infinity : max(largest, distance)
    }
    self.differing = differing
    self.first = first ?? 0
    self.largest = largest
    count = expected.count / width
  }

  private static func value(_ bytes: ArraySlice<UInt8>, isFloat: Bool) -> Double {
    let bits = bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard isFloat else { return Double(bits) }
    return Double(
      bytes.count == 2 ? PixelFormat.float(halfBits: UInt16(truncatingIfNeeded: bits)) : Float(bitPattern: bits))
  }
}

extension CaptureDifference {
  /// How many samples are compared in bytes of a format: words of a buffer, bytes where it has no whole words.
  public static func count(_ bytes: [UInt8], pixelFormat: PixelFormat?) -> Int {
    bytes.count / width(bytes, pixelFormat)
  }

  private static func width(_ bytes: [UInt8], _ pixelFormat: PixelFormat?) -> Int {
    pixelFormat?.bytesPerSample ?? (bytes.count % 4 == 0 ? 4 : 1)
  }
}
