internal import CHarfBuzz
package import SafelightImage

/// A font of a file: which glyphs stand for a text, where they stand, and their outlines.
///
/// `@unchecked Sendable`: HarfBuzz's object is immutable from `init` on, and then any thread may read it.
@safe package final class Font: @unchecked Sendable {
  /// A glyph of a line of text, from the left. Numbers are the font's units; y grows upward.
  package struct Glyph: Hashable, Sendable {
    /// The number in the font; 0 is the box for characters that it lacks.
    package let number: UInt32
    /// The place of its origin, if the line begins at 0.
    package let x, y: Int
    /// The place in the text's UTF-8 of the character for which it stands.
    package let offset: Int
  }

  /// The path, or the name in errors.
  package let name: String
  /// The units of the height of the letters' square, which the size of a text is.
  package let unitsPerEm: Int
  /// The units above the base line and below it that a line of text takes, and those between two lines.
  package let ascent, descent, gap: Int

  private let library: HarfBuzzLibrary
  /// Never nil: without memory HarfBuzz has an empty font.
  private let font: OpaquePointer?

  /// Reads a font: TrueType or OpenType, of a collection the first.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` without HarfBuzz, and of kind `input` for what is no font.
  package init(_ bytes: [UInt8], name: String) throws(SafelightError) {
    library = try HarfBuzzLibrary.shared.get()
    self.name = name
    let harfbuzz = library.functions
    let blob = unsafe bytes.withUnsafeBytes { bytes in
      unsafe harfbuzz.hb_blob_create(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(truncatingIfNeeded: bytes.count),
        HB_MEMORY_MODE_DUPLICATE, nil, nil)
    }
    let face = unsafe harfbuzz.hb_face_create(blob, 0)
    let isFont = unsafe harfbuzz.hb_face_get_glyph_count(face) > 0
    unitsPerEm = unsafe max(1, Int(harfbuzz.hb_face_get_upem(face)))
    unsafe font = unsafe harfbuzz.hb_font_create(face)
    unsafe harfbuzz.hb_font_make_immutable(font)
    unsafe harfbuzz.hb_face_destroy(face)
    unsafe harfbuzz.hb_blob_destroy(blob)
    var extents = hb_font_extents_t()
    _ = unsafe harfbuzz.hb_font_get_h_extents(font, &extents)
    // Numbers of damaged fonts may be anything.
    func bounded(_ number: Int32) -> Int { min(max(Int(number), 0), 1 << 16) }
    (ascent, descent, gap) = (
      bounded(extents.ascender), bounded(0 &- extents.descender), bounded(extents.line_gap)
    )
    try ensure(
      isFont, .input, name, why: "it is no TrueType or OpenType font", remedy: "name a file .ttf, .otf or .ttc")
  }

  deinit { unsafe library.functions.hb_font_destroy(font) }

  /// Returns the glyphs of a line of text, in one direction and script: those of its first letters; and the units from
  /// its beginning to its end.
  package func shape(_ line: String) -> (glyphs: [Glyph], width: Int) {
    let harfbuzz = library.functions
    let buffer = unsafe harfbuzz.hb_buffer_create()
    defer { unsafe harfbuzz.hb_buffer_destroy(buffer) }
    let bytes = line.utf8.map { CChar(bitPattern: $0) }
    let count = Int32(truncatingIfNeeded: bytes.count)
    unsafe harfbuzz.hb_buffer_add_utf8(buffer, bytes, count, 0, count)
    unsafe harfbuzz.hb_buffer_guess_segment_properties(buffer)
    unsafe harfbuzz.hb_shape(font, buffer, nil, 0)
    var length: UInt32 = 0
    guard let infos = unsafe harfbuzz.hb_buffer_get_glyph_infos(buffer, &length),
      let positions = unsafe harfbuzz.hb_buffer_get_glyph_positions(buffer, &length)
    else { return ([], 0) }
    var (glyphs, x, y) = ([Glyph](), 0, 0)
    for index in 0..<Int(length) {
      let (info, position) = unsafe (infos[index], positions[index])
      glyphs.append(
        Glyph(
          number: info.codepoint, x: x + Int(position.x_offset), y: y + Int(position.y_offset),
          offset: Int(info.cluster)))
      x += Int(position.x_advance)
      y += Int(position.y_advance)
    }
    return (glyphs, x)
  }

  /// Returns the characters of `line` that the font lacks, and those whose glyphs have no outlines: fonts of colored
  /// pictures have bitmaps instead.
  package func unseen(in line: String) -> (missing: [Character], withoutOutline: [Character]) {
    let utf8 = Array(line.utf8)
    var unseen: (missing: [Character], withoutOutline: [Character]) = ([], [])
    for glyph in shape(line).glyphs where glyph.offset < utf8.count {
      guard let character = String(decoding: utf8[glyph.offset...], as: UTF8.self).first else { continue }
      if glyph.number == 0 {
        unseen.missing.append(character)
      } else if !character.isBlank, outline(of: glyph.number).isEmpty {
        unseen.withoutOutline.append(character)
      }
    }
    return unseen
  }

  /// Returns the outline of a glyph.
  package func outline(of glyph: UInt32) -> GlyphOutline {
    var outline = GlyphOutline()
    unsafe withUnsafeMutablePointer(to: &outline) { outline in
      unsafe library.functions.draw(font, glyph, library.pen, UnsafeMutableRawPointer(outline))
    }
    return outline
  }
}

extension Character {
  /// True if there is nothing to see: spaces, and what only says how other characters are written.
  fileprivate var isBlank: Bool {
    unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint }
  }
}
