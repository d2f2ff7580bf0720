public import SafelightImage

/// The rules of a comparison: which samples count, and how much they may differ.
public struct ComparisonRules: Sendable {
  /// The tolerance.
  public let tolerance: Tolerance
  /// The mask of every pair; nil if everything counts.
  public let mask: ComparisonMask?
  /// True if a picture without alpha is compared with one that has alpha as if it were opaque.
  public let takesMissingAlphaForOpaque: Bool
  /// True if color does not count where both pictures are transparent.
  public let ignoresTransparent: Bool

  /// Makes rules under which all samples of pictures of one kind count, except as the other parameters say.
  public init(
    _ tolerance: Tolerance, mask: ComparisonMask? = nil, takesMissingAlphaForOpaque: Bool = false,
    ignoresTransparent: Bool = false
  ) {
    self.tolerance = tolerance
    self.mask = mask
    self.takesMissingAlphaForOpaque = takesMissingAlphaForOpaque
    self.ignoresTransparent = ignoresTransparent
  }

  /// Returns the pictures as they are to be compared, with their mask.
  func pair(_ expected: Image, _ actual: Image) throws(SafelightError) -> PicturePair {
    var (expected, actual) = (expected, actual)
    // The comparison itself refuses pictures of other kinds.
    guard expected.size == actual.size, expected.depth == actual.depth,
      expected.channels.isGray == actual.channels.isGray
    else { return PicturePair(expected: expected, actual: actual) }
    if expected.channels != actual.channels {
      try ensure(
        takesMissingAlphaForOpaque, .incomparable, "pictures", why: "one has alpha and the other has none",
        remedy: "treat the missing alpha as opaque", setting: .missingAlpha)
      (expected, actual) = (expected.withAlpha, actual.withAlpha)
    }
    let mask = try mask?.mask(of: expected.size)
    guard ignoresTransparent, expected.channels.hasAlpha else {
      return PicturePair(expected: expected, actual: actual, mask: mask)
    }
    let visible = ImageMask(hidingWhatIsTransparentIn: expected, and: actual, besides: mask)
    // If nothing visible is left, both look the same.
    if visible.hidden == expected.size.area {
      return PicturePair(expected: expected, actual: expected, mask: mask, invisible: visible)
    }
    return PicturePair(expected: expected, actual: actual, mask: visible.hidden == 0 ? nil : visible)
  }
}

/// The expected and the actual picture of one moment.
struct PicturePair: Sendable {
  let expected: Image
  let actual: Image
  /// The mask; nil if every pixel counts.
  var mask: ImageMask?
  /// Every pixel, if none can be seen in either picture.
  var invisible: ImageMask?

  /// Returns the mean over the samples of |(b − b′) − (a − a′)|, in steps, with a′ and b′ of `previous`; nil if the
  /// pictures are not all of one size, kind and depth. Pixels that either mask hides are left out.
  func flicker(since previous: PicturePair) -> Double? {
    let kind = expected.kind
    guard [actual, previous.expected, previous.actual].allSatisfy({ $0.kind == kind }) else { return nil }
    if expected.bytes == actual.bytes, previous.expected.bytes == previous.actual.bytes { return 0 }
    let masks = [mask, previous.mask].compactMap { $0 }
    var (sum, pixels) = (0, 0)
    for pixel in 0..<expected.size.area where !masks.contains(where: { $0.isHidden[pixel] }) {
      pixels += 1
      for index in expected.channels.sampleIndices {
        let place = pixel * expected.pixelFormat.samplesPerPixel + index
        let change = actual.value(at: place) - expected.value(at: place)
        sum += abs(change - (previous.actual.value(at: place) - previous.expected.value(at: place)))
      }
    }
    return Double(sum) / Double(max(1, pixels) * expected.channels.count)
  }
}

extension Image {
  /// The properties that comparable pictures share; the meaning of colors is not one.
  var kind: ImageDescriptor { ImageDescriptor(size: size, channels: channels, depth: depth) }

  /// The picture with opaque alpha, or itself if it has alpha.
  var withAlpha: Image {
    if channels.hasAlpha { return self }
    let bytesPerSample = pixelFormat.bytesPerSample
    let kind = ImageDescriptor(size: size, channels: channels.isGray ? .grayAlpha : .rgba, depth: depth, color: color)
    var bytes = [UInt8](repeating: 0xFF, count: size.area * kind.pixelFormat.bytesPerPixel)
    for pixel in 0..<size.area {
      let (from, to) = (pixel * pixelFormat.bytesPerPixel, pixel * kind.pixelFormat.bytesPerPixel)
      for sample in 0..<3 {
        for byte in 0..<bytesPerSample {
          bytes[to + sample * bytesPerSample + byte] =
            self.bytes[from + (channels.isGray ? 0 : sample * bytesPerSample) + byte]
        }
      }
    }
    return Image(kind, bytes: bytes)
  }
}

extension SafelightError.Setting {
  /// The meaning of a missing alpha channel.
  public static let missingAlpha = Self("missingAlpha")
}
