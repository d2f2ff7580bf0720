import CGoldenRows
import SafelightFrames
public import SafelightImage

/// The pixels that a comparison leaves out of every metric and of the hash.
public struct ImageMask: Hashable, Sendable {
  /// Columns and rows.
  public let size: Size
  /// True for each pixel that is left out, row by row.
  let isHidden: [Bool]
  /// The number of pixels that are left out.
  public let hidden: Int

  /// Leaves out `regions` of pictures of `size`; parts outside of the picture are ignored.
  public init(hiding regions: [Region], of size: Size) {
    var isHidden = [Bool](repeating: false, count: size.area)
    for region in regions {
      let part = region.intersection(Region(size: size))
      let row = [Bool](repeating: true, count: part.size.width)
      for y in part.y..<(part.y + part.size.height) {
        let first = y * size.width + part.x
        isHidden.replaceSubrange(first..<first + row.count, with: row)
      }
    }
    self.init(size: size, isHidden: isHidden)
  }

  /// Leaves out the black pixels of `image`; anything lighter is compared, including the soft edge of a brush.
  ///
  /// - Throws: ``SafelightError`` of kind `input` for pictures with alpha, since the meaning of transparent pixels
  ///   would be a guess.
  public init(_ image: Image) throws(SafelightError) {
    try ensure(
      !image.channels.hasAlpha, .input, "mask", why: "it has alpha, but only black and white say what to leave out",
      remedy: "save it without alpha: black is left out, white is compared")
    var isHidden = [Bool](repeating: false, count: image.size.area)
    unsafe cgolden_hide_zeros(image.bytes, image.bytes, image.rows, image.channels.counts, &isHidden)
    self.init(size: image.size, isHidden: isHidden)
  }

  /// Leaves out the pixels whose alpha is 0 in both pictures, which have alpha and one size, and those that `mask`
  /// hides.
  init(hidingWhatIsTransparentIn expected: Image, and actual: Image, besides mask: ImageMask?) {
    var isHidden = mask?.isHidden ?? [Bool](repeating: false, count: expected.size.area)
    unsafe cgolden_hide_zeros(expected.bytes, actual.bytes, expected.rows, [false, false, false, true], &isHidden)
    self.init(size: expected.size, isHidden: isHidden)
  }

  init(size: Size, isHidden: [Bool]) {
    self.size = size
    self.isHidden = isHidden
    hidden = unsafe cgolden_count_hidden(isHidden, isHidden.count)
  }

  /// The share of pixels that are left out, 0 to 1.
  public var coverage: Double { Double(hidden) / Double(size.area) }
  /// The ``coverage`` in words, such as `2.86 %`.
  package var percentage: String { DecimalText.percentage(hidden, of: size.area) }

  /// Returns `image` with zeros in the pixels that are left out, for its hash.
  ///
  /// - Throws: ``SafelightError`` of kind `incomparable` if the sizes differ, of kind `missingInput` if nothing is
  ///   left.
  public func clearing(_ image: Image) throws(SafelightError) -> Image {
    try check(image.size)
    return hiding(in: image, behind: image.replacing(bytes: [UInt8](repeating: 0, count: image.bytes.count)))
  }

  /// - Throws: ``SafelightError`` if the mask does not fit a picture of `size`, or leaves nothing of it.
  func check(_ size: Size) throws(SafelightError) {
    try ensure(
      self.size == size, .incomparable, "mask", why: "it is \(self.size), the picture is \(size)",
      remedy: "make a mask of the picture's size")
    try ensure(
      hidden < size.area, .missingInput, "mask", why: "it hides every pixel, so nothing is left to compare",
      remedy: "hide less: pixels outside the rectangles, or white in a mask picture, are compared")
  }

  /// Returns `image` with the pixels of `other` where pixels are left out.
  func hiding(in image: Image, behind other: Image) -> Image {
    if image.bytes == other.bytes { return image }
    var bytes = image.bytes
    unsafe cgolden_replace_hidden(&bytes, other.bytes, image.rows, isHidden)
    return image.replacing(bytes: bytes)
  }
}

/// The mask of every picture in a comparison.
public enum ComparisonMask: Sendable {
  /// A mask of the pictures' size.
  case picture(ImageMask)
  /// Rectangles, for pictures of any size.
  case regions([Region])

  /// Reads `text` as ``GoldenMask`` does: rectangles as `x,y,width,height` with spaces between, or the path of a PNG
  /// file that is black where nothing is compared; nil for `none`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if it is neither, or the error of reading the file.
  public init?(_ text: String) throws {
    switch try GoldenMask(text) {
    case .none: return nil
    case .regions(let regions): self = .regions(regions)
    case .file(let bytes): self = .picture(try ImageMask(PNGDecoder.decode(bytes, name: text).image))
    }
  }

  /// Returns the mask for pictures of `size`.
  ///
  /// - Throws: ``SafelightError`` of kind `incomparable` if the mask has another size or the rectangles lie outside,
  ///   `missingInput` if nothing is left to compare.
  func mask(of size: Size) throws(SafelightError) -> ImageMask {
    switch self {
    case .picture(let mask):
      try mask.check(size)
      return mask
    case .regions(let regions):
      let mask = ImageMask(hiding: regions, of: size)
      try ensure(
        mask.hidden > 0, .incomparable, "mask", why: "its rectangles lie outside of the picture, which is \(size)",
        remedy: "name rectangles of the picture as x,y,width,height")
      try mask.check(size)
      return mask
    }
  }
}

/// The mask of a golden: rectangles, or a picture of the golden's size that is black where nothing is compared.
public enum GoldenMask: Sendable {
  /// Everything counts.
  case none
  /// Rectangles of the picture.
  case regions([Region])
  /// The bytes of a PNG file, black where pixels are left out.
  case file([UInt8])

  /// Reads `text`: rectangles as `x,y,width,height` with spaces between, the path of a PNG file, or `none`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if it is none of these, or the error of reading the file.
  public init(_ text: String) throws {
    if text == "none" {
      self = .none
    } else if text.hasSuffix(".png") {
      self = try .file(readRegularFile(text))
    } else {
      self = try .regions(Self.regions(text))
    }
  }

  /// Returns the text of rectangles as ``init(_:)`` reads it.
  static func text(_ regions: [Region]) -> String {
    regions.map { "\($0.x),\($0.y),\($0.size.width),\($0.size.height)" }.joined(separator: " ")
  }

  /// True if Git LFS left only a pointer to the picture.
  var isPointer: Bool {
    if case .file(let bytes) = self { GitLFSPointer.isPointer(bytes) } else { false }
  }

  /// Returns the mask for a picture of `size`, or nil if everything counts.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if the file is no mask, `incomparable` if it has another size or
  ///   hides nothing, `missingInput` if nothing would be left to compare.
  public func mask(of size: Size, name: String) throws -> ImageMask? {
    let mask: ImageMask
    switch self {
    case .none: return nil
    case .regions(let regions): mask = ImageMask(hiding: regions, of: size)
    case .file(let bytes): mask = try ImageMask(PNGDecoder.decode(bytes, name: name).image)
    }
    try ensure(
      mask.size == size, .incomparable, name, why: "the mask is \(mask.size), the golden \(size)",
      remedy: "make a mask of the golden’s size")
    try ensure(
      mask.hidden > 0, .incomparable, name, why: "the mask hides nothing of the picture, which is \(size)",
      remedy: "hide the part that may change, or use no mask")
    try ensure(
      mask.hidden < size.area, .missingInput, name, why: "the mask hides every pixel, so nothing would be compared",
      remedy: "hide only what may change")
    return mask
  }

  private static func regions(_ text: String) throws(SafelightError) -> [Region] {
    let parts = text.split(separator: " ")
    let regions = parts.compactMap { part -> Region? in
      let numbers = part.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
      guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2], let height = numbers[3],
        x >= 0, y >= 0, width > 0, height > 0, [x, y, width, height].allSatisfy({ $0 <= Int(Int32.max) })
      else { return nil }
      return Region(x: x, y: y, width: width, height: height)
    }
    try ensure(
      !parts.isEmpty && regions.count == parts.count, .usage, "mask “\(text)”",
      why: "it is neither rectangles nor a .png file",
      remedy:
        "write x,y,width,height, with a space between rectangles, or name a .png file that is black in those places")
    return regions
  }
}

extension ImageMask? {
  /// Returns the hash of the pixels of `image` that count.
  package func hash(_ image: Image) throws(SafelightError) -> String {
    guard let self else { return image.pixelHash }
    return try self.clearing(image).pixelHash
  }
}
