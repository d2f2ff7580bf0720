import SafelightFrames
public import SafelightImage

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
