/// A kernel to start from: a package with one Swift file and one shader.
///
/// In the texts, those of `Templates/`, NAME is the kernel's name, FUNCTION that of its function, and TYPE that of its
/// type.
enum KernelTemplate: String, CaseIterable {
  case point
  case window
  case twoPass = "two-pass"
  case twoPictures = "two-pictures"
  case statistics

  /// True if the shader runs by itself, as the filter `shader`.
  var runsAlone: Bool { self == .point || self == .window }

  /// Returns the files of the package, by their paths. Without the folder of Safelight's package, `safelight`, the
  /// author has to state it.
  func package(named name: String, dependingOn safelight: String?) -> [(path: String, text: String)] {
    let function = Self.function(name)
    let type = "Image" + name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    func filled(_ text: String) -> String {
      text.replacing("NAME", with: name).replacing("FUNCTION", with: function).replacing("TYPE", with: type)
    }
    let path = (safelight ?? "../safelight").replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return [
      ("Package.swift", filled(PackageTexts.Package_swift_txt).replacing("PATH", with: "\"\(path)\"")),
      ("Sources/\(name)/\(type).swift", filled(texts.kernel + PackageTexts.tool_swift_txt)),
      ("Sources/\(name)/\(function).glsl", shader),
    ]
  }

  /// Returns the name of a kernel's function in GLSL.
  static func function(_ name: String) -> String { name.replacing("-", with: "_") }

  /// The shader.
  var shader: String { texts.shader }

  /// The Swift file without the tool, and the shader.
  private var texts: (kernel: String, shader: String) {
    switch self {
    case .point: (PackageTexts.point_swift_txt, PackageTexts.point_glsl)
    case .window: (PackageTexts.window_swift_txt, PackageTexts.window_glsl)
    case .twoPass: (PackageTexts.two_pass_swift_txt, PackageTexts.two_pass_glsl)
    case .twoPictures: (PackageTexts.two_pictures_swift_txt, PackageTexts.two_pictures_glsl)
    case .statistics: (PackageTexts.statistics_swift_txt, PackageTexts.statistics_glsl)
    }
  }
}
