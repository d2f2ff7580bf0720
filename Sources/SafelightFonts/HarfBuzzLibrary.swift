internal import CHarfBuzz
internal import Glibc
internal import SafelightImage

/// libharfbuzz, opened once per process, with the table of its functions.
///
/// `@unchecked Sendable`: the table never changes after `init`, and HarfBuzz's functions may be called from any thread.
@safe final class HarfBuzzLibrary: @unchecked Sendable {
  let functions: safelight_harfbuzz
  /// The functions by which HarfBuzz hands on the outline of a glyph.
  let pen: OpaquePointer?

  private init(_ functions: safelight_harfbuzz) {
    self.functions = functions
    unsafe pen = unsafe functions.hb_draw_funcs_create()
    unsafe functions.hb_draw_funcs_set_move_to_func(
      pen, { _, data, _, x, y, _ in unsafe GlyphOutline.reading(data) { $0.move(to: GlyphOutline.Point(x, y)) } }, nil,
      nil)
    unsafe functions.hb_draw_funcs_set_line_to_func(
      pen, { _, data, _, x, y, _ in unsafe GlyphOutline.reading(data) { $0.line(to: GlyphOutline.Point(x, y)) } }, nil,
      nil)
    unsafe functions.hb_draw_funcs_set_quadratic_to_func(
      pen,
      { _, data, _, x1, y1, x, y, _ in
        unsafe GlyphOutline.reading(data) { $0.curve([GlyphOutline.Point(x1, y1)], to: GlyphOutline.Point(x, y)) }
      }, nil, nil)
    unsafe functions.hb_draw_funcs_set_cubic_to_func(
      pen,
      { _, data, _, x1, y1, x2, y2, x, y, _ in
        unsafe GlyphOutline.reading(data) {
          $0.curve([GlyphOutline.Point(x1, y1), GlyphOutline.Point(x2, y2)], to: GlyphOutline.Point(x, y))
        }
      }, nil, nil)
  }

  /// The library, or why it cannot be loaded.
  static let shared: Result<HarfBuzzLibrary, SafelightError> = open()

  private static func open() -> Result<HarfBuzzLibrary, SafelightError> {
    guard let library = unsafe dlopen("libharfbuzz.so.0", RTLD_NOW | RTLD_LOCAL) else {
      let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason given"
      return .failure(
        SafelightError(
          .missingInput, "HarfBuzz library not found", why: reason, remedy: "apt-get install libharfbuzz0b"))
    }
    let table = UnsafeMutablePointer<safelight_harfbuzz>.allocate(capacity: 1)
    defer { unsafe table.deallocate() }
    if let missing = unsafe safelight_harfbuzz_load(library, table) {
      return .failure(
        SafelightError(
          .missingInput, "HarfBuzz library too old",
          why: "libharfbuzz.so.0 lacks \(unsafe String(cString: missing)), which version 4 has",
          remedy: "upgrade libharfbuzz0b"))
    }
    return .success(HarfBuzzLibrary(unsafe table.pointee))
  }
}

extension GlyphOutline {
  /// Calls `body` with the outline to which `data` of a drawing function leads.
  fileprivate static func reading(_ data: UnsafeMutableRawPointer?, _ body: (inout GlyphOutline) -> Void) {
    guard let outline = unsafe data?.assumingMemoryBound(to: GlyphOutline.self) else { return }
    unsafe body(&outline.pointee)
  }
}
