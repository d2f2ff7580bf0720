internal import SafelightImage

extension ImageDifference {
  /// Where two samples differ.
  public struct Place: Hashable, Sendable, CustomStringConvertible {
    /// Column, from the left.
    public let x: Int
    /// Row, from the top.
    public let y: Int
    /// The sample's number in the pixel: 0 red or grey, 1 green, 2 blue, 3 alpha.
    public let channel: Int
    /// The channel's name: gray, red, green, blue or alpha.
    public let channelName: String
    /// The expected sample.
    public let expected: Int
    /// The actual sample.
    public let actual: Int

    /// The first channel that differs by `difference` in pixel `index`.
    init(_ index: Int, _ expected: Image, _ actual: Image, by difference: Int) {
      x = index % expected.size.width
      y = index / expected.size.width
      let (x, y) = (x, y)
      channel =
        expected.channels.sampleIndices.first {
          abs(expected[x: x, y: y, sample: $0] - actual[x: x, y: y, sample: $0]) == difference
        } ?? 0
      channelName = ImageDifference.name(of: channel, in: expected.channels)
      self.expected = expected[x: x, y: y, sample: channel]
      self.actual = actual[x: x, y: y, sample: channel]
    }

    /// For people: `(17, 11) green: 160 expected, 200 found`.
    public var description: String { "(\(x), \(y)) \(channelName): \(expected) expected, \(actual) found" }
  }

  /// The pixels that differ most, at most `count`, worst first and those that differ alike in scan order; each with its worst channel.
  public func worstPlaces(_ count: Int) -> [Place] {
    var places: [Place] = []
    var difference = maximum
    while difference > 0, places.count < count {
      places += map.places(differingBy: difference, limit: count - places.count).map {
        Place($0, expected, actual, by: difference)
      }
      difference = map.greatest(below: difference)
    }
    return places
  }
}
