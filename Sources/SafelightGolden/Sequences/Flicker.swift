import SafelightImage

/// Two pictures of one moment: what should be, and what is.
struct PicturePair: Sendable {
  let expected: Image
  let actual: Image
  /// What is left out; nil if every pixel counts.
  var mask: ImageMask?

  /// The mean over the samples of |(b − b′) − (a − a′)|, in steps, with a′ and b′ of `previous`; nil if the pictures are not all of one size,
  /// kind and depth. What either mask hides is left out.
  func flicker(since previous: PicturePair) -> Double? {
    let kind = expected.kind
    guard [actual, previous.expected, previous.actual].allSatisfy({ $0.kind == kind }) else { return nil }
    if expected.bytes == actual.bytes, previous.expected.bytes == previous.actual.bytes { return 0 }
    let format = expected.pixelFormat
    let wide = format.bytesPerSample == 2
    let (a, b) = (expected.bytes, actual.bytes)
    let (c, d) = (previous.expected.bytes, previous.actual.bytes)
    func sample(_ bytes: [UInt8], _ place: Int) -> Int {
      wide ? Int(bytes[place]) | Int(bytes[place + 1]) << 8 : Int(bytes[place])
    }
    let masks = [mask, previous.mask].compactMap { $0 }
    var (sum, pixels) = (0, 0)
    for pixel in 0..<expected.size.area where !masks.contains(where: { $0.isHidden[pixel] }) {
      pixels += 1
      for index in expected.channels.sampleIndices {
        let place = pixel * format.bytesPerPixel + index * format.bytesPerSample
        sum += abs((sample(b, place) - sample(a, place)) - (sample(d, place) - sample(c, place)))
      }
    }
    return Double(sum) / Double(max(1, pixels) * expected.channels.count)
  }
}

extension Image {
  /// What must be equal for samples to be comparable; what colors mean is not in it.
  fileprivate var kind: ImageDescriptor { ImageDescriptor(size: size, channels: channels, depth: depth) }
}
