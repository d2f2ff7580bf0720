import SafelightFrames
public import SafelightImage

/// What of a golden is left out of every comparison: rectangles, or a picture of the golden's size that is black there.
public enum GoldenMask: Sendable {
  /// Everything counts.
  case none
  /// Rectangles of the picture.
  case regions([Region])
  /// The bytes of a PNG file, black where pixels are left out.
  case file([UInt8])

  /// Reads `text`: rectangles as `x,y,width,height` with spaces between, the path of a PNG file, or `none`.
  ///
  /// Throws a ``SafelightError`` of kind `usage` where it is neither, or that of a file that cannot be read.
  public init(_ text: String) throws {
    if text == "none" {
      self = .none
    } else if text.hasSuffix(".png") {
      self = try .file(readRegularFile(text))
    } else {
      self = try .regions(Self.regions(text))
    }
  }

  /// Rectangles as ``init(_:)`` reads them.
  static func text(_ regions: [Region]) -> String {
    regions.map { "\($0.x),\($0.y),\($0.size.width),\($0.size.height)" }.joined(separator: " ")
  }

  /// True where Git LFS left only a pointer to the picture.
  var isPointer: Bool {
    if case .file(let bytes) = self { GitLFSPointer.isPointer(bytes) } else { false }
  }

  /// The mask for a picture of `size`.
  ///
  /// Throws a ``SafelightError`` of kind `input` where the file is no mask, `incomparable` where it has another size or hides nothing,
  /// `missingInput` where nothing would be left to compare.
  public func mask(of size: Size, name: String) throws -> ImageMask? {
    let mask =
      switch self {
      case .none: ImageMask?.none
      case .regions(let regions): ImageMask(hiding: regions, of: size)
      case .file(let bytes): try ImageMask(PNGDecoder.decode(bytes, name: name).image)
      }
    guard let mask else { return nil }
    if mask.size != size {
      throw SafelightError(
        .incomparable, name, why: "the mask is \(mask.size), the golden \(size)",
        remedy: "make one of the golden’s size")
    }
    if mask.hidden == 0 {
      throw SafelightError(
        .incomparable, name, why: "the mask hides nothing of the picture, which is \(size)",
        remedy: "hide what may change, or give none")
    }
    if mask.hidden == size.area {
      throw SafelightError(
        .missingInput, name, why: "the mask hides every pixel, so nothing would be compared",
        remedy: "hide only what may change")
    }
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
    guard !parts.isEmpty, regions.count == parts.count else {
      throw SafelightError(
        .usage, "mask “\(text)”", why: "it is neither rectangles nor a .png file",
        remedy:
          "write x,y,width,height, several with spaces between, or name a picture that is black where nothing is compared"
      )
    }
    return regions
  }
}

extension ImageMask? {
  /// The hash of the pixels of `image` that count.
  package func hash(_ image: Image) throws(SafelightError) -> String {
    guard let self else { return image.pixelHash }
    return try self.clearing(image).pixelHash
  }
}
