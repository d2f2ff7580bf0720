public import SafelightImage

/// How two pictures of one kind differ.
public struct ImageDifference: Sendable {
  /// Where two samples differ.
  public struct Place: Hashable, Sendable {
    /// Column, from the left.
    public let x: Int
    /// Row, from the top.
    public let y: Int
    /// The channel's number in the pixel; 3 is alpha.
    public let channel: Int
    /// The expected sample.
    public let expected: Int
    /// The actual sample.
    public let actual: Int
  }

  /// The greatest difference of two samples.
  public let maximum: Int
  /// The first sample in scan order that differs most; nil where none differs.
  public let place: Place?

  /// Compares `actual` with `expected`.
  ///
  /// - Throws: ``SafelightError`` of the kind `incomparable` where size, channels or depth differ.
  public init(expected: Image, actual: Image) throws(SafelightError) {
    guard expected.size == actual.size, expected.channels == actual.channels, expected.depth == actual.depth else {
      throw SafelightError(.incomparable, "pictures", why: "their sizes, channels or depths differ")
    }
    maximum = zip(expected.bytes, actual.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
    place = nil
  }
}
