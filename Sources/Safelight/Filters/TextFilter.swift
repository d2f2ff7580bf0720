internal import SafelightFonts
internal import SafelightFrames
internal import SafelightImage
internal import SafelightKernels

/// `text`: draws letters and numbers into each frame.
struct TextFilter: FramePictureKernel, PlacedKernel {
  var text = ""
  var font = ""
  var size = 32
  var color = "white"
  var gravity = Gravity.southwest
  var margin = 16
  var x = 0
  var y = 0
  /// A color, or empty for none.
  var shadow = ""
  /// A color, or empty for none.
  var background = ""
  var start = "00:00:00:00"
  var rate = 24.0
  var mayLieOutside = false
  /// The font; nil until ``prepared()`` has read it.
  private var face: Font?

  static let card = KernelCard<Self>(
    "text", "draws text: a name, a frame number, a timecode",
    discussion: """
      text='{name} {frame}' draws the same or other words into each frame; quotes keep spaces, commas and colons.

          {name}      the file's name without folder and ending, or the film's
          {frame}     the last number in the file's name, or the number in the film, else the position from 1; {frame:4}
                      has zeros before it, up to 4 digits
          {time}      hours, minutes, seconds and thousandths of the position: the first frame of the sequence is at 0,
                      and each takes 1 / rate seconds
          {timecode}  hours, minutes, seconds and frames (SMPTE ST 12-1) of the position, from start on. With a
                      semicolon before its frames, start='01:00:00;00':rate=29.97, numbers are dropped to keep up with
                      the clock: the first 2 of each minute (4 at 59.94) that is no multiple of ten.
          {{          a brace

      Times count frames that are missing before a frame, as the numbers in the names show: behind shot_1004.png a
      missing shot_1005.png leaves its timecode out.

      A line break in the text begins a line; a line is written in one direction, that of its first letters. Letters
      are those of DejaVu Sans (Debian package fonts-dejavu-core), or of a font file of TrueType or OpenType, of a
      collection the first. HarfBuzz chooses and places the glyphs (package libharfbuzz0b). For characters that the font
      lacks its box stands, and glyphs that are bitmaps, as of emoji, are left out; warnings name both.

      size is the height of the letters' square (em) in pixels. The lines together have the width of the longest, and
      height rows: for each line the font's ascent and descent, each rounded up, and its gap between two lines. Of a
      picture of w columns they begin in column

          margin + x             gravity=northwest, west, southwest; lines begin at the same column
          (w - width) / 2 + x    north, center, south; lines are centered, all rounded down
          w - width - margin - x northeast, east, southeast; lines end at the same column

      and so the rows, with y. What lies beyond the picture is cut off, and so are marks more than half of size above or
      below the lines.

      background=COLOR lies behind the lines and size / 4 pixels around them, shadow=COLOR behind the letters, size / 16
      to the right and below, both at least 1 and rounded down.

      Outlines are not hinted, and no library has a part in a pixel beside the choice and the places of glyphs. A point
      of the font, in 64ths of its units, becomes floor(point * size * 1024 / unitsPerEm + 1/2) 65536ths of a pixel; a
      curve becomes 1, 2, 4 ... 64 lines, the fewest that are within 1/64 pixel of it. A pixel's coverage is the area
      that the lines enclose, in 65535ths, halves up, where their places at the edges of rows and columns are 65536ths,
      rounded down: no more than a few 65535ths from the exact area. Where outlines overlap, it is at most the whole. It
      multiplies the color's alpha, halves up. Background, shadow and letters lie over one another and over the frame as
      over lays pictures.

      Colors are words of CSS (help of pad), #rrggbb or #rrggbbaa. Premultiplied frames are refused, and colors around
      gray in gray frames.
      """,
    [
      .text("text", "the text", \.text, form: "a text in quotes, such as '{name} {frame}'"),
      .file("font", "the font; without one DejaVu Sans", \.font, form: "a font: .ttf, .otf or .ttc", isRequired: false),
      .integer("size", "the height of the letters' square in pixels", \.size, in: 1...2048),
      .text("color", "the color of the letters", \.color, form: "a color, such as white or #ff8000"),
      .choice("gravity", "where the text lies", \.gravity),
      .integer("margin", "columns and rows between the text and the edges at which it lies", \.margin, in: 0...1 << 16),
      .integer("x", "columns from there inward, or to the right of the middle", \.x, in: -(1 << 16)...1 << 16),
      .integer("y", "rows from there inward, or below the middle", \.y, in: -(1 << 16)...1 << 16),
      .text("shadow", "the color of a shadow; none without", \.shadow, form: "a color, such as black or #000000a0"),
      .text("background", "the color behind the text; none without", \.background, form: "a color, such as #00000080"),
      .text("start", "the timecode of the first frame", \.start, form: "a timecode, '01:00:00:00' or '01:00:00;00'"),
      .number("rate", "frames a second, for {time} and {timecode}", \.rate, in: 1...1000),
    ],
    examples: [
      "text='A{frame}':size=22:gravity=center:shadow=black:background=#40404080",
      "text=Ag:size=21:gravity=center:color=#80808090:background=#00000070",
      "text='{timecode} {name}':size=9:gravity=northeast:margin=0:x=-3:y=8:start='00:00:59;20':rate=29.97",
    ])

  // MARK: Parameters

  func check() throws(SafelightError) {
    let template = try TextTemplate(text)
    try LaidColors.check(color, "color", of: "text")
    try LaidColors.check(shadow, "shadow", of: "text", isOptional: true)
    try LaidColors.check(background, "background", of: "text", isOptional: true)
    let usual = Self()
    try ensure(
      start == usual.start || template.has(.timecode), .usage, "text=start=\(start)",
      why: "the text has no {timecode}", remedy: "add {timecode} to the text, or leave start out")
    try ensure(
      rate == usual.rate || template.has(.timecode) || template.has(.time), .usage,
      "text=rate=\(ParameterValue.number(rate))", why: "the text has neither {timecode} nor {time}",
      remedy: "add one to the text, or leave rate out")
    guard Timecode(start, rate: rate) == nil else { return }
    let isDropping = start.contains(";") && !Timecode.drops(at: rate)
    throw SafelightError(
      .usage, "text=start=\(start)",
      why: isDropping
        ? "a semicolon drops numbers, which is for rates of 29.97 and 59.94, and the rate is "
          + "\(ParameterValue.number(rate))"
        : "it is no timecode at \(ParameterValue.number(rate)) frames a second, or one that is dropped",
      remedy: isDropping ? "write rate=29.97, or a colon before the frames" : "write, for example, start='01:00:00:00'")
  }

  func check(_ frame: ImageDescriptor) throws(SafelightError) {
    for color in [color, shadow, background] { try LaidColors.check(color, over: frame, of: "text") }
    try ensure(
      mayLieOutside || face == nil || !seenStrip(in: frame.size).size.isEmpty, .unsupported, "filter 'text'",
      why: "its lines lie wholly above or below the picture of \(frame.size)", remedy: "choose another y or margin")
  }

  func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.ofColors(for: "text")
  }

  // MARK: The font

  func prepared() throws -> Self {
    var filter = self
    filter.face = try openedFont()
    return filter
  }

  private func openedFont() throws -> Font {
    let path = font.isEmpty ? try Self.installedFont() : font
    return try Font(InlineFile.read(path, limit: 1 << 28), name: InlineFile.name(path))
  }

  /// Returns the path of DejaVu Sans.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` that names its package.
  static func installedFont() throws(SafelightError) -> String {
    let folders = ["truetype/dejavu", "dejavu-sans-fonts", "dejavu", "TTF", "ttf-dejavu"]
    let paths = folders.map { "/usr/share/fonts/\($0)/DejaVuSans.ttf" }
    guard let path = paths.first(where: isFile) else {
      throw SafelightError(
        .missingInput, "DejaVuSans.ttf", why: "it is not where Linux distributions have it, in \(paths[0])",
        remedy: "apt-get install fonts-dejavu-core, or name another font: text=font=FILE.ttf")
    }
    return path
  }

  /// Returns a warning for each of `calls` with characters that its font lacks, in frames of these `names`.
  static func warnings(of calls: [FilterCall], for names: [String]) throws -> [String] {
    try calls.flatMap { call -> [String] in
      guard call.name == card.name, let filter = try FilterCatalogue.entry(call).kernel(call) as? TextFilter else {
        return []
      }
      let (font, template) = (try filter.openedFont(), try TextTemplate(filter.text))
      let frames = template.has(.name) ? names : [names.first ?? ""]
      let unseen = frames.flatMap { filter.lines(template, for: FrameIdentity(name: $0)) }.map(font.unseen)
      let missing = listed(unseen.flatMap(\.missing)).map {
        "\(font.name) has no \($0): the font's box stands for what it lacks"
      }
      let blank = listed(unseen.flatMap(\.withoutOutline)).map {
        "\(font.name) has no outline of \($0): nothing is drawn for it"
      }
      return [missing, blank].compactMap { $0 }
    }
  }

  /// Returns characters as words of a sentence, each once; nil for none.
  private static func listed(_ characters: [Character]) -> String? {
    var known: Set<Character> = []
    let different = characters.filter { known.insert($0).inserted }
    guard !different.isEmpty else { return nil }
    let named = different.prefix(8).map { character in
      let points = character.unicodeScalars.map { "U+" + String($0.value, radix: 16, uppercase: true) }
      return "'\(character)' (\(points.joined(separator: " ")))"
    }
    return alternatives(named) + (different.count > 8 ? " and \(different.count - 8) others" : "")
  }

  // MARK: The picture

  var hasPictureForEachFrame: Bool { TextTemplate.Field.allCases.contains(where: has) }
  // A name without a number leaves the position.
  var picturesDependOnPosition: Bool { has(.time) || has(.timecode) || has(.frame) }
  var picturesDependOnName: Bool { has(.name) || has(.frame) }

  private func has(_ field: TextTemplate.Field) -> Bool { (try? TextTemplate(text))?.has(field) ?? false }

  func passes(for frame: PassPicture) -> [Pass] { Pass.painting(secondOver: strip(in: frame.size), in: frame) }

  func framePicture(like frame: ImageDescriptor) -> ImageDescriptor {
    LaidColors.descriptor(of: strip(in: frame.size).size, for: frame)
  }

  func framePicture(for frame: FrameIdentity, like image: ImageDescriptor) throws(SafelightError) -> Image {
    let (strip, face) = (strip(in: image.size), preparedFont)
    if seenStrip(in: image.size).size.isEmpty { return LaidColors(size: strip.size, for: image).picture }
    let block = TextBlock(lines(try TextTemplate(text), for: frame), in: face, size: size)
    let left = gravity.columns.place(of: block.size.width, in: image.size.width, margin: margin, offset: x)
    let place = Region(x: left, y: top(in: image.size), size: block.size).translated(x: 0, y: -strip.y)
    var colors = LaidColors(size: strip.size, for: image)
    if !background.isEmpty { colors.lay(background, over: place.grown(by: max(1, size / 4))) }
    let seen = Region(size: strip.size)
    let offset = max(1, size / 16)
    for (color, offset) in [(shadow, offset), (color, 0)] where !color.isEmpty {
      let origin = (x: place.x + offset, y: place.y + offset)
      let covered = block.coverage(in: seen.translated(x: -origin.x, y: -origin.y)) { width in
        gravity.columns.place(of: width, in: block.size.width, margin: 0, offset: 0)
      }
      guard let covered else { continue }
      colors.lay(color, over: covered.area.translated(x: origin.x, y: origin.y), coverage: covered.coverage)
    }
    return colors.picture
  }

  private func lines(_ template: TextTemplate, for frame: FrameIdentity) -> [String] {
    guard let start = Timecode(start, rate: rate) else { trap("text was not checked; call check()") }
    return template.lines(for: frame, from: start, FrameRate(rate))
  }

  private var preparedFont: Font {
    guard let face else { trap("text was asked for its picture before it read its font; call prepared()") }
    return face
  }

  private var blockHeight: Int {
    TextBlock.Metrics(preparedFont, size: size).height(lines: (try? TextTemplate(text))?.lineCount ?? 1)
  }

  /// Returns the row of a frame in which the lines begin.
  private func top(in frame: Size) -> Int {
    gravity.rows.place(of: blockHeight, in: frame.height, margin: margin, offset: y)
  }

  /// Returns the rows of a frame on which text may lie, whatever its words are; a pixel if it lies outside, where it
  /// leaves the frame as it is.
  private func strip(in frame: Size) -> Region {
    let seen = seenStrip(in: frame)
    return seen.size.isEmpty ? Region(x: 0, y: 0, width: 1, height: 1) : seen
  }

  private func seenStrip(in frame: Size) -> Region {
    let around = (size + 1) / 2
    return Region(x: 0, y: top(in: frame) - around, width: frame.width, height: blockHeight + 2 * around)
      .intersection(Region(size: frame))
  }
}

extension Region {
  /// Returns the rectangle with so many columns and rows more at each side.
  fileprivate func grown(by count: Int) -> Region {
    Region(x: x - count, y: y - count, width: size.width + 2 * count, height: size.height + 2 * count)
  }
}
