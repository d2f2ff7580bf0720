package import SafelightImage

/// Lines of text in a font: the pixels that they take, and the parts of pixels that their letters cover.
package struct TextBlock: Sendable {
  /// The heights of lines of text in pixels.
  package struct Metrics: Hashable, Sendable {
    /// The rows of a line above the base line, those below, and those between two lines.
    package let ascent, descent, gap: Int

    /// Returns those of a font whose letters' square has `size` pixels; each is rounded up.
    package init(_ font: Font, size: Int) {
      func rows(_ units: Int) -> Int { (units * size + font.unitsPerEm - 1) / font.unitsPerEm }
      (ascent, descent, gap) = (rows(font.ascent), rows(font.descent), rows(font.gap))
    }

    /// The rows of so many lines.
    package func height(lines: Int) -> Int { lines * (ascent + descent) + (lines - 1) * gap }
  }

  /// The columns and rows of all lines.
  package let size: Size

  private let font: Font
  private let pixels: Int
  private let metrics: Metrics
  private let lines: [(glyphs: [Font.Glyph], width: Int)]

  /// Sets `lines` in a font whose letters' square has `size` pixels.
  package init(_ lines: [String], in font: Font, size: Int) {
    self.font = font
    pixels = size
    metrics = Metrics(font, size: size)
    self.lines = lines.map { line in
      let shaped = font.shape(line)
      return (shaped.glyphs, max(0, (shaped.width * size + font.unitsPerEm - 1) / font.unitsPerEm))
    }
    self.size = Size(self.lines.map(\.width).max() ?? 0, metrics.height(lines: lines.count))
  }

  /// Returns the part of `region` that letters may cover, and of each of its pixels how much, from 0 to 65535; nil if
  /// they cover nothing there. `region` is measured from the block's upper left; a line of `width` columns begins in
  /// the column that `start` returns for it.
  package func coverage(in region: Region, start: (_ width: Int) -> Int) -> (area: Region, coverage: [UInt16])? {
    var outlines: [UInt32: GlyphOutline] = [:]
    var placed: [(outline: GlyphOutline, origin: ScanConversion.Point)] = []
    for (number, line) in lines.enumerated() {
      let base = metrics.ascent + number * (metrics.ascent + metrics.descent + metrics.gap)
      for glyph in line.glyphs {
        let outline = outlines[glyph.number] ?? font.outline(of: glyph.number)
        outlines[glyph.number] = outline
        guard !outline.isEmpty else { continue }
        placed.append((outline.moved(x: glyph.x, y: glyph.y), ScanConversion.Point(start(line.width), base)))
      }
    }
    var area: Region?
    for glyph in placed {
      let pixels = glyph.outline.pixels(at: glyph.origin, size: pixels, unitsPerEm: font.unitsPerEm)
        .intersection(region)
      if !pixels.size.isEmpty { area = area.map { $0.union(pixels) } ?? pixels }
    }
    guard let area else { return nil }
    var scan = ScanConversion(width: area.size.width, height: area.size.height)
    for glyph in placed {
      let origin = (glyph.origin &- ScanConversion.Point(area.x, area.y)) &* ScanConversion.unit
      scan.add(glyph.outline, at: origin, size: pixels, unitsPerEm: font.unitsPerEm)
    }
    return (area, scan.coverage)
  }
}

extension GlyphOutline {
  /// True if there is nothing to cover.
  var isEmpty: Bool { paths.allSatisfy(\.segments.isEmpty) }

  private var points: [Point] { paths.flatMap { [$0.start] + $0.segments.flatMap { $0.controls + [$0.end] } } }

  /// Returns the outline so many of the font's units to the right and higher.
  func moved(x: Int, y: Int) -> GlyphOutline {
    let way = Point(64 * x, 64 * y)
    var moved = GlyphOutline()
    for path in paths {
      moved.move(to: path.start &+ way)
      for segment in path.segments { moved.curve(segment.controls.map { $0 &+ way }, to: segment.end &+ way) }
    }
    return moved
  }

  /// Returns the pixels that the outline may touch, with its origin at the upper left of the pixel `origin`.
  func pixels(at origin: Point, size: Int, unitsPerEm: Int) -> Region {
    func pixel(_ number: Int) -> Int { ScanConversion.floor(number * size, 64 * unitsPerEm) }
    let (columns, rows) = (points.map(\.x), points.map(\.y))
    let left = origin.x + pixel(columns.min() ?? 0)
    let top = origin.y - pixel(rows.max() ?? 0) - 1
    let right = origin.x + pixel(columns.max() ?? 0) + 1
    let bottom = origin.y - pixel(rows.min() ?? 0)
    return Region(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }
}
