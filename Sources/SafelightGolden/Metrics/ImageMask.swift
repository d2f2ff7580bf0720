import SafelightFrames
public import SafelightImage

/// Which pixels a comparison leaves out: from every metric, and from the hash.
public struct ImageMask: Hashable, Sendable {
  /// Columns and rows.
  public let size: Size
  /// True for each pixel that is left out, row by row.
  let isHidden: [Bool]
  /// Pixels that are left out.
  public let hidden: Int

  /// Leaves out `regions` of pictures of `size`; what lies outside the picture is nothing.
  public init(hiding regions: [Region], of size: Size) {
    var isHidden = [Bool](repeating: false, count: size.area)
    for region in regions {
      let part = region.intersection(Region(size: size))
      for y in part.y..<(part.y + part.size.height) {
        for x in part.x..<(part.x + part.size.width) { isHidden[y * size.width + x] = true }
      }
    }
    self.init(size: size, isHidden: isHidden)
  }

  /// Leaves out what is black in `image`; anything lighter is compared, the soft edge of a brush too.
  ///
  /// - Throws: ``SafelightError`` of the kind `input` for pictures with alpha: whether what is transparent counts would be a guess.
  public init(_ image: Image) throws(SafelightError) {
    guard !image.channels.hasAlpha else {
      throw SafelightError(
        .input, "mask", why: "it has alpha, which says nothing about what to leave out",
        remedy: "save it without alpha: black is left out, white is compared")
    }
    let samples = image.channels.sampleIndices
    var isHidden: [Bool] = []
    isHidden.reserveCapacity(image.size.area)
    for y in 0..<image.size.height {
      for x in 0..<image.size.width { isHidden.append(samples.allSatisfy { image[x: x, y: y, sample: $0] == 0 }) }
    }
    self.init(size: image.size, isHidden: isHidden)
  }

  /// Leaves out the pixels whose alpha is 0 in both pictures, which have alpha and one size, and what `mask` hides.
  init(hidingWhatIsTransparentIn expected: Image, and actual: Image, besides mask: ImageMask?) {
    let (size, format) = (expected.size, expected.pixelFormat)
    var isHidden = mask?.isHidden ?? [Bool](repeating: false, count: size.area)
    for pixel in 0..<size.area where !isHidden[pixel] {
      let alpha = (pixel * 4 + 3) * format.bytesPerSample..<(pixel + 1) * format.bytesPerPixel
      isHidden[pixel] = alpha.allSatisfy { expected.bytes[$0] == 0 && actual.bytes[$0] == 0 }
    }
    self.init(size: size, isHidden: isHidden)
  }

  init(size: Size, isHidden: [Bool]) {
    self.size = size
    self.isHidden = isHidden
    hidden = isHidden.reduce(0) { $0 + ($1 ? 1 : 0) }
  }

  /// The share of pixels that are left out, 0 to 1.
  public var coverage: Double { Double(hidden) / Double(size.area) }

  /// `image` with zeros where pixels are left out, for its hash.
  ///
  /// - Throws: ``SafelightError`` of the kind `incomparable` if the sizes differ, of the kind `missingInput` if nothing is left.
  public func clearing(_ image: Image) throws(SafelightError) -> Image {
    try check(image.size)
    return hiding(in: image, behind: image.replacing(bytes: [UInt8](repeating: 0, count: image.bytes.count)))
  }

  /// Throws if the mask does not suit a picture of `size`, or leaves nothing of it.
  func check(_ size: Size) throws(SafelightError) {
    guard self.size == size else {
      throw SafelightError(
        .incomparable, "mask", why: "it is \(self.size), the picture is \(size)",
        remedy: "make a mask of the picture's size")
    }
    guard hidden < size.area else {
      throw SafelightError(
        .missingInput, "mask", why: "it hides every pixel, so nothing is left to compare",
        remedy: "make what should be compared white")
    }
  }

  /// `image` with the pixels of `other` where they are left out.
  func hiding(in image: Image, behind other: Image) -> Image {
    if image.bytes == other.bytes { return image }
    let pixel = image.pixelFormat.bytesPerPixel
    var bytes = image.bytes
    for index in isHidden.indices where isHidden[index] {
      let range = (index * pixel)..<((index + 1) * pixel)
      bytes.replaceSubrange(range, with: other.bytes[range])
    }
    return image.replacing(bytes: bytes)
  }
}

/// What is left out of every picture of a comparison.
public enum ComparisonMask: Sendable {
  /// What a mask of the pictures' size hides.
  case picture(ImageMask)
  /// Rectangles, whatever the pictures' size.
  case regions([Region])

  /// Reads `text` as ``GoldenMask`` does: rectangles as `x,y,width,height` with spaces between, or the path of a PNG file that is black where
  /// nothing is compared; nil for `none`.
  ///
  /// Throws a ``SafelightError`` of kind `usage` if it is neither, or what reading the file throws.
  public init?(_ text: String) throws {
    switch try GoldenMask(text) {
    case .none: return nil
    case .regions(let regions): self = .regions(regions)
    case .file(let bytes): self = .picture(try ImageMask(PNGDecoder.decode(bytes, name: text).image))
    }
  }

  /// The mask for pictures of `size`.
  ///
  /// Throws a ``SafelightError`` of kind `incomparable` if the mask has another size or the rectangles lie outside, `missingInput` if nothing
  /// is left to compare.
  func mask(of size: Size) throws(SafelightError) -> ImageMask {
    switch self {
    case .picture(let mask):
      try mask.check(size)
      return mask
    case .regions(let regions):
      let mask = ImageMask(hiding: regions, of: size)
      guard mask.hidden > 0 else {
        throw SafelightError(
          .incomparable, "mask", why: "its rectangles lie outside of the picture, which is \(size)",
          remedy: "name rectangles of the picture as x,y,width,height")
      }
      try mask.check(size)
      return mask
    }
  }
}
