import FoundationEssentials
import Glibc
import SafelightShaders
import Testing

@Suite struct ShaderSourceTests {
  @Test func everyFileIsEmbedded() throws {
    let files = try ShaderFolder.files()
    #expect(!files.isEmpty)
    #expect(files.sorted() == ShaderSource.allCases.map(\.rawValue))
    #expect(ShaderSource(rawValue: "Common/missing.glsl") == nil)
    #expect(ShaderSource(named: "missing") == nil)
  }

  @Test func everyConstantNamesAFile() throws {
    let constants = try ShaderFolder.text("ShaderSource.swift").matches(of: /= Self\("(.+)"\)/).map { String($0.1) }
    #expect(constants.count > 20)
    #expect(Set(constants).isSubset(of: try ShaderFolder.files()))
  }

  @Test(arguments: ShaderSource.allCases)
  func embeddedTextIsTheFile(_ source: ShaderSource) throws {
    #expect(source.text == (try ShaderFolder.text(source.rawValue)))
  }

  @Test func filesAreSmall() throws {
    for file in try ShaderFolder.files() {
      let length = try ShaderFolder.text(file).utf8.count
      #expect(length > 0 && length < 4096, "\(file) has \(length) bytes")
    }
  }

  /// What an exact kernel must not contain: results that a driver may choose, or precision that only some drivers
  /// lower.
  @Test(arguments: ShaderSource.allCases)
  func nothingThatADriverMayRound(_ source: ShaderSource) {
    #expect(Self.inexact(in: source.text) == [], "in \(source.rawValue)")
  }

  @Test(arguments: [
    ("mediump float x;", "mediump"), ("lowp vec4 c;", "lowp"), ("v = texture(s, p);", "texture("),
    ("v = textureLod (s, p, 0.0);", "textureLod("), ("x = pow(a, b);", "pow("), ("x = 1.0 + exp(a);", "exp("),
    ("x = exp2(a);", "exp2("), ("x = round(a);", "round("), ("x = a; /* no */ y = round(a); // round", "round("),
    ("// mediump, pow(a) and round(b)", nil), ("uvec4 textureCoordinate;", nil), ("v = texelFetch(s, p, 0);", nil),
    ("uint background(uint x);", nil), ("/* exp(x)\n texture(s) */ int x;", nil), ("vec4 lowpass;", nil),
  ])
  func theSearchFindsWhatItLooksFor(_ text: String, _ found: String?) {
    #expect(Self.inexact(in: text) == [found].compactMap(\.self))
  }

  private static func inexact(in text: String) -> [String] {
    let calls = text.withoutComments.matches(
      of:
        #/
        \b(texture|textureLod|textureGrad|textureProj|textureGather|pow|exp|exp2|log|log2|sqrt|inversesqrt|sin|cos|tan
        |round|roundEven)\s*\(
        /#
    ).map { "\($0.output.1)(" }
    let words = text.withoutComments.matches(of: /\b(mediump|lowp)\b/).map { String($0.output.1) }
    return words + calls
  }
}

/// The Shaders folder of this checkout.
enum ShaderFolder {
  static let path: String = {
    var parts = #filePath.split(separator: "/")
    parts.removeLast(3)
    return "/" + parts.joined(separator: "/") + "/Shaders"
  }()

  /// Everything one folder down, as `Folder/file`; Swift files lie beside the folders.
  static func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path)
      .filter { $0.contains("/") && !$0.hasSuffix(".swift") && !$0.contains("/.") }
  }

  static func text(_ file: String) throws -> String {
    try String(contentsOfFile: "\(path)/\(file)", encoding: .utf8)
  }
}

extension String {
  fileprivate var withoutComments: String {
    replacing(/\/\*(.|\n)*?\*\//, with: " ").replacing(/\/\/[^\n]*/, with: "")
  }
}

/// The variable is the process's, so each test has one of its own.
@Suite struct ShaderFolderTests {
  @Test func textsAreReadFromTheFolder() async {
    await #expect(processExitsWith: .success) {
      let folder = FileManager.default.temporaryDirectory.path + "/safelight-shaders-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try FileManager.default.createDirectory(atPath: "\(folder)/Copy", withIntermediateDirectories: true)
      try "changed\n".write(toFile: "\(folder)/Copy/passthrough.glsl", atomically: false, encoding: .utf8)
      setenv("SAFELIGHT_SHADERS", folder, 1)
      let missing = ShaderSource.saturation.text
      #expect(ShaderSource.passthrough.text == "changed\n")
      // A file that cannot be read must stop the compiler, with its path.
      #expect(missing.hasPrefix("#error "))
      #expect(missing.contains("\(folder)/Color/saturation.glsl"))
    }
  }
}
