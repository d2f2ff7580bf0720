import Glibc
public import SafelightImage

/// The difference of two pictures of one kind.
///
/// Every metric treats colors and alpha separately and gives the worse of the two, so that no color hides a defect in
/// alpha and no tolerance is blind to it. Gray is one channel; the opaque sample that pictures without alpha carry in
/// memory does not count. Integer metrics are exact: sums of integers, divided once. Perceptual metrics are computed on
/// demand.
public struct ImageDifference: Sendable {
  /// The picture as it should be.
  public let expected: Image
  /// The picture as it is.
  public let actual: Image
  /// The mask; nil if every pixel counts.
  public let mask: ImageMask?
  /// The number of pixels that count.
  public let pixels: Int
  /// The size that shares refer to; larger than the pictures if they are the only part of larger ones that differs.
  let extent: Size
  /// The number of pixels that each pixel stands for if ``extent`` itself is part of something larger.
  let weight: Double
  /// The greatest difference of two samples, of color or alpha, in steps of the pictures' depth.
  public let maximum: Int
  /// The first pixel in scan order that differs most, with its first channel that does; nil if none differs.
  public let place: Sample?
  /// The sums over each channel, in the order of ``channelNames``.
  let sums: [ChannelSums]
  /// The greatest difference in each pixel.
  let map: DifferenceMap

  /// Compares `actual` with `expected`.
  ///
  /// - Throws: ``SafelightError`` of kind `incomparable` if sizes, channels or depths differ, or the mask has another
  ///   size; of kind `missingInput` if the mask leaves nothing to compare.
  public init(expected: Image, actual: Image, mask: ImageMask? = nil) throws(SafelightError) {
    try Self.check(expected, actual, mask)
    self.init(expected, actual, mask, extent: expected.size)
  }

  /// Compares a part of a picture, with the figures of the whole picture.
  ///
  /// - Throws: ``SafelightError`` of kind `incomparable` if `actual` is not a picture of the part's kind.
  init(_ part: MutationPart, actual: Image) throws(SafelightError) {
    try Self.check(part.picture, actual, nil)
    self.init(part.picture, actual, part.mask, extent: part.extent, pixels: part.pixels, weight: part.weight)
  }

  /// Compares two pictures of one kind that contain every difference of pictures of the size `extent`, of which
  /// `pixels` count.
  init(
    _ expected: Image, _ actual: Image, _ mask: ImageMask? = nil, extent: Size, pixels: Int? = nil, weight: Double = 1
  ) {
    self.expected = expected
    self.actual = actual
    self.mask = mask
    self.extent = extent
    self.weight = weight
    self.pixels = pixels ?? (extent.area - (mask?.hidden ?? 0))
    let (sums, map) = DifferenceMap.measure(expected, mask?.hiding(in: actual, behind: expected) ?? actual)
    self.sums = sums
    self.map = map
    maximum = map.maximum
    place = map.places(differingBy: map.maximum, limit: 1).first.map { Sample($0, expected, actual, by: map.maximum) }
  }

  private static func check(_ expected: Image, _ actual: Image, _ mask: ImageMask?) throws(SafelightError) {
    let properties = [
      ("the size", expected.size.description, actual.size.description),
      ("the channels", expected.channels.rawValue, actual.channels.rawValue),
      ("a depth of", "\(expected.depth.rawValue)", "\(actual.depth.rawValue)"),
    ]
    for (property, own, other) in properties {
      try ensure(
        own == other, .incomparable, "pictures",
        why: "the expected picture has \(property) \(own), the actual one \(other)",
        remedy: "compare pictures of one kind; nothing is resized or converted silently")
    }
    try mask?.check(expected.size)
  }

  /// Columns and rows of both pictures.
  public var size: Size { expected.size }
  /// The meaning of their samples.
  public var channels: Channels { expected.channels }
  /// The bits in a sample.
  public var depth: SampleDepth { expected.depth }
  /// The names of the channels in ``bias`` and ``Sample/channel``: gray, or red, green and blue; then alpha if there is
  /// one.
  public var channelNames: [String] { channels.sampleIndices.map { Self.name(of: $0, in: channels) } }

  static func name(of channel: Int, in channels: Channels) -> String {
    channel == 3 ? "alpha" : channels.isGray ? "gray" : ["red", "green", "blue"][channel]
  }

  /// True if no sample that counts differs.
  public var isIdentical: Bool { maximum == 0 }
  /// The greatest difference in alpha alone; 0 without alpha.
  public var maximumOfAlpha: Int { channels.hasAlpha ? sums.last?.maximum ?? 0 : 0 }
  /// The mean absolute difference of a sample, in steps.
  public var mean: Double { worse { Double($0.absolute) } }
  /// The mean signed difference, actual minus expected, of each channel in the order of ``channelNames``, in steps.
  ///
  /// The only metric that tells truncation from rounding: truncated samples lie half a step below on average, none
  /// further than one.
  public var bias: [Double] { sums.map { Double($0.signed) / Double(pixels) } }
  /// The mean squared difference of a sample.
  public var mse: Double { worse { Double($0.squared) } }
  /// The square root of ``mse``, in steps.
  public var rmse: Double { mse.squareRoot() }
  /// The ratio of the peak (255 or 65535) squared to ``mse``, in decibels; nil for identical pictures.
  public var psnr: Double? {
    let peak = Double(expected.pixelFormat.maximum)
    return isIdentical ? nil : 10 * log10(peak * peak / mse)
  }

  /// The sums over the channels that are not alpha.
  var colorSums: ArraySlice<ChannelSums> { channels.hasAlpha ? sums.dropLast() : sums[...] }

  /// Returns the mean over the colors or over alpha, whichever is greater.
  private func worse(_ value: (ChannelSums) -> Double) -> Double {
    let mean = colorSums.reduce(0) { $0 + value($1) } / Double(colorSums.count * pixels)
    guard channels.hasAlpha, let alpha = sums.last else { return mean }
    return max(mean, value(alpha) / Double(pixels))
  }

  /// Returns the number of pixels in which a sample, of color or alpha, differs by more than `k` steps.
  public func over(_ k: Int) -> Int { map.over(k) }
}

extension ImageDifference {
  /// A sample that differs.
  public struct Sample: Hashable, Sendable, CustomStringConvertible {
    /// The column, from the left.
    public let x: Int
    /// The row, from the top.
    public let y: Int
    /// The sample's index in the pixel: 0 red or gray, 1 green, 2 blue, 3 alpha.
    public let channel: Int
    /// The channel's name: gray, red, green, blue or alpha.
    public let channelName: String
    /// The expected sample.
    public let expected: Int
    /// The actual sample.
    public let actual: Int

    /// Finds the first channel that differs by `difference` in pixel `index`.
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

    /// The text `(17, 11) green: 160 expected, 200 found`.
    public var description: String { "(\(x), \(y)) \(channelName): \(expected) expected, \(actual) found" }
  }

  /// Returns the pixels that differ most, at most `count`, worst first and ties in scan order, each with its worst
  /// channel.
  public func worstPlaces(_ count: Int) -> [Sample] {
    var places: [Sample] = []
    var difference = maximum
    while difference > 0, places.count < count {
      places += map.places(differingBy: difference, limit: count - places.count).map {
        Sample($0, expected, actual, by: difference)
      }
      difference = map.greatest(below: difference)
    }
    return places
  }
}
