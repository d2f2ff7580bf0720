import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

@Suite struct ShaderLibraryTests {
  private static let pair = """
    // Both devices accept this.
    layout(std140, binding = 0) uniform P { uvec4 values; };
    #pragma kernel brighten
    layout(binding = 1) uniform sampler2D source;
    void main() {}
    #pragma fragment shade
    layout(binding = 2) uniform usampler2D source;
    void main() {}
    """

  private func device() throws -> Device { try Device.open(.cpu) }

  @Test func markedFunctionsShareWhatStandsBeforeThem() throws {
    let library = try device().makeLibrary(source: Self.pair)
    #expect(library.functionNames == ["brighten", "shade"])
    let brighten = try library.makeFunction(name: "brighten")
    #expect(brighten.name == "brighten")
    #expect(brighten.functionType == .kernel)
    #expect(brighten.arguments == [.sampledTexture(1), .bytes(0)])
    let shade = try library.makeFunction(name: "shade")
    #expect(shade.functionType == .fragment)
    #expect(shade.arguments == [.sampledTexture(2), .bytes(0)])
    #expect(try shade.assembly.text().contains("uvec4 values"))
    #expect(try !shade.assembly.text().contains("sampler2D source;\nvoid main() {}\n#pragma"))
  }

  @Test func aTextWithoutMarksIsOneFunction() throws {
    var options = CompileOptions()
    #expect(try device().makeLibrary(source: "void main() {}").functionNames == ["source"])
    options.name = "soften"
    #expect(try device().makeLibrary(source: "void main() {}", options: options).functionNames == ["soften"])
  }

  @Test(arguments: [
    ("#pragma kernel a\nvoid main() {}\n#pragma kernel a\nvoid main() {}", "source:3", "begins on line 1"),
    ("\n#pragma kernel\nvoid main() {}", "source:2", "names no function"),
    ("#pragma kernel a b\nvoid main() {}", "source:1", "names no function"),
  ])
  func wrongMarksAreRefused(_ text: String, _ what: String, _ why: String) {
    expectError(what: .whole(what), why: .containing(why)) { try device().makeLibrary(source: text) }
  }

  @Test func otherPragmasAreTheCompilers() throws {
    #expect(try device().makeLibrary(source: "#pragma optimize(off)\nvoid main() {}").functionNames == ["source"])
  }

  @Test func anUnknownFunctionIsRefusedWithTheOthers() throws {
    let library = try device().makeLibrary(source: Self.pair)
    expectError(.usage, why: .containing("'darken'"), remedy: "use one of brighten, shade") {
      try library.makeFunction(name: "darken")
    }
  }

  @Test func constantsAreSetAndOwnOnesGoBeforeTheLibrarys() throws {
    var options = CompileOptions()
    options.preprocessorMacros.setConstantValue(Int32(1), withName: "A")
    options.preprocessorMacros.setConstantValue(true, withName: "B")
    let library = try device().makeLibrary(source: "void main() {}", options: options)
    var values = FunctionConstantValues()
    values.setConstantValue(Float(0.5), withName: "F")
    values.setConstantValue(UInt32(7), withName: "A")
    values.setConstantValue(false, withName: "C")
    let text = try library.makeFunction(name: "source", constantValues: values).assembly.text()
    #expect(text.hasPrefix("#version 310 es\n#define B 1\n#define A 7u\n#define C 0\n#define F 0.5\n"))
  }

  /// The order in which values are set does not matter.
  @Test func equalValuesAreEqual() {
    var one = FunctionConstantValues()
    one.setConstantValue(Int32(1), withName: "A")
    one.setConstantValue(Int32(2), withName: "B")
    var two = FunctionConstantValues()
    two.setConstantValue(Int32(9), withName: "B")
    two.setConstantValue(Int32(1), withName: "A")
    #expect(one != two)
    two.setConstantValue(Int32(2), withName: "B")
    #expect(one == two)
    two.setConstantValue(UInt32(2), withName: "B")
    #expect(one != two)
  }

  @Test(arguments: ["", "1A", "A-B", "GL_A", "A__B", "Ä"])
  func wrongNamesOfConstantsStop(_ name: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [name] in
      var values = FunctionConstantValues()
      values.setConstantValue(Int32(1), withName: name)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("'\(name)' cannot name a constant"))
  }

  @Test func theDefaultLibraryHasEveryKernelOfThePackage() throws {
    let library = try device().makeDefaultLibrary()
    let points = [
      "color_matrix", "passthrough", "premultiply", "saturation", "threshold", "unpremultiply", "vibrance",
    ]
    let fragments = points.map { "\($0)_fragment" }
    #expect(library.functionNames == (points + fragments + ["full_screen"]).sorted())
    var values = FunctionConstantValues()
    values.setConstantValue(Int32(16), withName: "SAMPLE_BITS")
    let saturation = try library.makeFunction(name: "saturation", constantValues: values)
    #expect(saturation.arguments == [.sampledTexture(0), .storageTexture(1), .bytes(2)])
    expectError(why: .containing("needs a value for SAMPLE_BITS", "Common/pixels.glsl:")) {
      try library.makeFunction(name: "saturation")
    }
  }

  @Test func aFunctionOfTheWrongStageIsRefused() throws {
    let device = try device()
    let shade = try device.makeLibrary(source: Self.pair).makeFunction(name: "shade")
    expectError(why: .containing("fragment function, not a kernel")) {
      try device.makeComputePipelineState(shade.withTwin { _ in })
    }
  }

  // MARK: Files

  @Test func aFileIsALibraryAndAFolderIsOne() throws {
    let folder = try TemporaryFolder([
      "blur.comp": "#include \"parts/common.glsl\"\nvoid main() {}",
      "shade.frag": "uniform sampler2D s;\nvoid main() {}",
      "many.comp": Self.pair.replacing("fragment shade", with: "fragment glow"), "note.txt": "no",
      "parts/common.glsl": "layout(std140, binding = 5) uniform P { uint a; };", "unused.glsl": "no",
    ])
    let library = try device().makeLibrary(filepath: folder.path)
    #expect(library.functionNames == ["blur", "brighten", "glow", "shade"])
    let blur = try device().makeLibrary(filepath: "\(folder.path)/blur.comp")
    #expect(blur.functionNames == ["blur"])
    #expect(try blur.makeFunction(name: "blur").arguments == [.bytes(5)])
    #expect(try blur.makeFunction(name: "blur").functionType == .kernel)
  }

  @Test func twoFilesOfOneNameAreRefused() throws {
    let folder = try TemporaryFolder(["a.comp": "void main() {}", "a.frag": "void main() {}"])
    expectError(why: "function 'a' is in \(folder.path)/a.comp and in \(folder.path)/a.frag") {
      try device().makeLibrary(filepath: folder.path)
    }
  }

  @Test func whatIsNotThereIsMissing() throws {
    let folder = try TemporaryFolder(["a.glsl": "int a;"])
    for path in [folder.path, "\(folder.path)/no.comp", "/proc/self/mem/x"] {
      expectError(.missingInput, what: .whole(path)) { try device().makeLibrary(filepath: path) }
    }
  }

  @Test func aBrokenIncludeIsToldByMakeFunction() throws {
    let folder = try TemporaryFolder(["a.comp": "\n#include \"no.glsl\"\nvoid main() {}"])
    let library = try device().makeLibrary(filepath: "\(folder.path)/a.comp")
    expectError(.input, what: "\(folder.path)/a.comp:2") { try library.makeFunction(name: "a") }
  }

  @Test func stringsIncludeFromTheFolderOfTheOptions() throws {
    let folder = try TemporaryFolder(["common.glsl": "layout(std140, binding = 5) uniform P { uint a; };"])
    var options = CompileOptions()
    options.includeFolder = folder.path
    let library = try device().makeLibrary(source: "#include \"common.glsl\"\nvoid main() {}", options: options)
    #expect(try library.makeFunction(name: "source").arguments == [.bytes(5)])
  }
}
