internal import Glibc

/// A GLSL text of this package, embedded in the binary; the raw value is its path in the Shaders folder, and its first
/// lines describe it. Texts that Swift code names have a constant here; the body of a kernel is found by its name.
///
/// If the variable `SAFELIGHT_SHADERS` is set to a folder, texts are read from there instead, so that a shader can be
/// changed without a build.
package struct ShaderSource: RawRepresentable, CaseIterable, Hashable, Sendable {
  package let rawValue: String

  private init(_ path: String) { rawValue = path }

  /// Finds the text by its path; returns nil if there is no such file.
  package init?(rawValue path: String) {
    guard PackageTexts.all[path] != nil else { return nil }
    self.init(path)
  }

  /// Finds the text in the file `NAME.glsl`; returns nil if there is no such file.
  package init?(named name: String) {
    guard let path = PackageTexts.all.keys.first(where: { $0.hasSuffix("/\(name).glsl") }) else { return nil }
    self.init(path)
  }

  /// All texts, in the order of their paths.
  package static var allCases: [ShaderSource] { PackageTexts.all.keys.sorted().map { Self($0) } }

  package static let prelude = Self("Common/prelude.glsl")
  package static let compute = Self("Common/compute.glsl")
  package static let pixels = Self("Common/pixels.glsl")
  package static let vertex = Self("Common/vertex.glsl")
  package static let clipSpace = Self("Common/clip_space.vert")
  package static let fullScreen = Self("Common/full_screen.vert")
  package static let pointCompute = Self("Common/point.comp")
  package static let pointFragment = Self("Common/point.frag")
  package static let inputs = Self("Common/inputs.glsl")
  package static let passCompute = Self("Common/pass.comp")
  package static let passFragment = Self("Common/pass.frag")
  package static let runCompute = Self("Common/run.comp")
  package static let numbers = Self("Common/numbers.glsl")
  package static let numbersCompute = Self("Common/numbers.comp")
  package static let threadgroupsCompute = Self("Common/threadgroups.comp")
  package static let grid = Self("Common/grid.glsl")
  package static let userBegin = Self("Common/user_begin.glsl")
  package static let userEnd = Self("Common/user_end.glsl")
  package static let passthrough = Self("Copy/passthrough.glsl")
  package static let saturation = Self("Color/saturation.glsl")
  package static let vibrance = Self("Color/vibrance.glsl")
  package static let colorMatrix = Self("Color/color_matrix.glsl")
  package static let premultiply = Self("Color/premultiply.glsl")
  package static let unpremultiply = Self("Color/unpremultiply.glsl")
  package static let threshold = Self("Tone/threshold.glsl")
  package static let histogram = Self("Histogram/histogram.glsl")

  /// The name of the file without its suffix: that of its function in libraries and captures.
  package var functionName: String { String(rawValue.drop { $0 != "/" }.dropFirst().prefix { $0 != "." }) }

  /// The text as written in the Shaders folder.
  package var text: String {
    guard let folder = getenv("SAFELIGHT_SHADERS"), folder.pointee != 0 else {
      return PackageTexts.all[rawValue] ?? "#error Shaders/ has no \(rawValue)"
    }
    let path = "\(String(cString: folder))/\(rawValue)"
    // Not an empty text, if the file cannot be read: the compiler reports this line.
    return ShaderFile.read(path) ?? "#error SAFELIGHT_SHADERS: \(path) cannot be read"
  }
}
