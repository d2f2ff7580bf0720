package import SafelightImage

/// A rectangle in a chain, `WxH+X+Y`: its columns and rows, and the column and row at which it begins.
struct DrawnRegion: Hashable, Sendable {
  /// The greatest number of a column or row, to either side.
  static let farthest = 1 << 17

  let region: Region

  /// Reads the parameter `region` of `filter`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a text that is no rectangle, or one without pixels.
  init(_ text: String, of filter: String) throws(SafelightError) {
    func refused(_ why: String) -> SafelightError {
      SafelightError(
        .usage, "\(filter)=region=\(text)", why: why,
        remedy: "write region=WxH+X+Y, for example region=64x48+10+20: 64 columns and 48 rows from column 10 and row 20"
      )
    }
    guard !text.isEmpty else { throw refused("it has no region") }
    guard let parts = text.wholeMatch(of: #/([0-9]{1,7})x([0-9]{1,7})([+-][0-9]{1,7})([+-][0-9]{1,7})/#)?.output,
      let width = Int(parts.1), let height = Int(parts.2), let x = Int(parts.3), let y = Int(parts.4)
    else { throw refused("'\(text)' is no rectangle") }
    guard width > 0, height > 0 else { throw refused("a rectangle of \(Size(width, height)) has no pixels") }
    guard [width, height, abs(x), abs(y)].allSatisfy({ $0 <= Self.farthest }) else {
      throw refused("its numbers reach beyond \(Self.farthest)")
    }
    region = Region(x: x, y: y, width: width, height: height)
  }

  /// Checks that a pixel of the rectangle lies in `image`.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported`.
  func check(in image: ImageDescriptor, of filter: String) throws(SafelightError) {
    try Self.check(region, in: image, of: filter, "its region of \(region)")
  }

  /// Checks that a pixel of `area`, which `subject` names, lies in `image`.
  static func check(
    _ area: Region, in image: ImageDescriptor, of filter: String, _ subject: String
  ) throws(SafelightError) {
    try ensure(
      !area.intersection(Region(size: image.size)).size.isEmpty, .unsupported, "filter '\(filter)'",
      why: "\(subject) lies wholly outside the picture of \(image.size)", remedy: "choose a place inside the picture")
  }
}

extension Region {
  /// Returns the pixels at most `thickness` columns or rows from an edge of the rectangle, in rectangles that do not
  /// overlap.
  func frame(of thickness: Int) -> [Region] {
    let (columns, rows) = (size.width - 2 * thickness, size.height - 2 * thickness)
    guard columns > 0, rows > 0 else { return [self] }
    let (right, bottom) = (x + thickness + columns, y + thickness + rows)
    return [
      Region(x: x, y: y, width: size.width, height: thickness),
      Region(x: x, y: y + thickness, width: thickness, height: rows),
      Region(x: right, y: y + thickness, width: thickness, height: rows),
      Region(x: x, y: bottom, width: size.width, height: thickness),
    ]
  }
}

extension ColorDescription {
  /// Returns the description; throws for premultiplied alpha and for samples of limited range, into which colors with
  /// straight alpha cannot be laid.
  package func ofColors(for filter: String) throws(SafelightError) -> ColorDescription {
    guard alpha != .premultiplied else { throw mismatch(filter, made: "straight alpha") }
    return try ofFullRange(for: filter)
  }
}

extension PassKernel {
  /// The cards' paragraph on colors that are laid over a picture.
  static var overColors: String {
    """
    A color is a name of CSS (help of pad) or #rrggbb or #rrggbbaa; in 16 bits each byte stands twice. It lies over the
    picture as over lays a picture: with alphas S of the color and B of the picture, and / rounded down,

        k = (B * (maximum - S) + maximum / 2) / maximum,  A = S + k
        out = (S * color + k * picture + A / 2) / A,  with alpha A

    If A is 0 the pixel stays. Premultiplied pictures are refused, and colors around gray in gray pictures.
    """
  }
}
