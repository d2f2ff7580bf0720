import SafelightGLES
import SafelightImage
import SafelightShaders
import Testing

/// Compile logs as drivers write them.
@Suite struct ShaderLogTests {
  private static let mesa = """
    0:9(12): warning: `old' used uninitialized
    0:17(5): error: `missing' undeclared
    0:21(1): error: syntax error
    """
  private static let mesaPreprocessor = "0:17(25): preprocessor error: unexpected HASH_TOKEN, expecting NEWLINE\n"
  private static let nvidia = """
    0(9) : warning C7050: "old" might be used before being initialized
    0(17) : error C1503: undefined variable "missing"
    0(21) : error C0000: syntax error
    """
  private static let adreno = """
    Fragment shader compilation failed with these errors.
    ERROR: 0:17: '>>' :  wrong operand types
    ERROR: 1 compilation errors.  No code generated.
    """
  private static let mali = """
    0:17: L0001: Expected token ';', found 'identifier (value)'
    0:21: S0001: Type mismatch
    """

  @Test(arguments: [mesa, mesaPreprocessor, nvidia, adreno, mali])
  func theFirstErrorsLineIsFound(_ log: String) { #expect(ShaderLog(log).line == 17) }

  @Test(arguments: ["", "\n", "the driver gave no reason", "internal error", "error C9999", "0:9(1): warning: unused"])
  func aLogWithoutALineHasNone(_ log: String) {
    let error = ShaderLog(log).error(for: source(lines: 30))
    #expect(!error.why.contains("\nat "))
    #expect(!error.why.contains(" | "))
  }

  @Test func theErrorNamesTheFunctionTheLogAndTheLines() {
    let error = ShaderLog("\n" + Self.nvidia + "\n\n").error(for: source(lines: 30))
    #expect(error.kind == .driver)
    #expect(error.what == "compute function 'saturation' does not compile")
    #expect(
      error.why == """
        saturation:9 : warning C7050: "old" might be used before being initialized
        saturation:17 : error C1503: undefined variable "missing"
        saturation:21 : error C0000: syntax error
        at saturation:17
          16 | line 16
          17 | line 17
          18 | line 18
        """)
    #expect(error.remedy != nil)
  }

  /// Every notation of a place becomes the author's own file and line.
  @Test(arguments: [
    ("0:17(5): error: x", "saturation:17(5): error: x"), ("0(17) : error x", "saturation:17 : error x"),
    ("ERROR: 0:17: 'x'", "ERROR: saturation:17: 'x'"), ("0:17: L0001: x", "saturation:17: L0001: x"),
  ])
  func placesAreRewritten(_ row: String, _ written: String) {
    #expect(ShaderLog(row).error(for: source(lines: 30)).why.hasPrefix(written + "\nat saturation:17\n"))
  }

  @Test func linesOfIncludesAreTheirs() throws {
    let shader = try ShaderAssembly(texts: ["int first;\n#include \"Common/compute.glsl\"\nint last;"]).assembled()
    let rows = shader.text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(rows.firstIndex { $0.hasPrefix("bool isOutsideGrid") }) + 1
    let source = StageSource(stage: .compute, name: "soften", shader: shader)
    let why = ShaderLog("0:\(line)(1): error: x").error(for: source).why
    let text = ShaderSource.compute.text.split(separator: "\n", omittingEmptySubsequences: false)
    let own = try #require(text.firstIndex { $0.hasPrefix("bool isOutsideGrid") }) + 1
    #expect(
      why == """
        Common/compute.glsl:\(own)(1): error: x
        at Common/compute.glsl:\(own), included from source:2
          \(own - 1) | \(text[own - 2])
          \(own) | \(text[own - 1])
          \(own + 1) | \(text[own])
        """)
  }

  @Test func linesAtTheEndsOfTheTextAreShown() {
    #expect(excerpt("0:1(1): error: x", lines: 3) == ["  1 | line 1", "  2 | line 2"])
    #expect(excerpt("0:3(1): error: x", lines: 3) == ["  2 | line 2", "  3 | line 3"])
    #expect(excerpt("0:1(1): error: x", lines: 1) == ["  1 | line 1"])
  }

  private func excerpt(_ log: String, lines: Int) -> [Substring] {
    ShaderLog(log).error(for: source(lines: lines)).why.split(separator: "\n").filter { $0.contains(" | ") }
  }

  @Test(arguments: [0, 4, 400])
  func aLineOutsideTheTextShowsNone(_ line: Int) {
    let log = "0:\(line)(1): error: x"
    #expect(ShaderLog(log).error(for: source(lines: 3)).why == log)
  }

  private func source(lines: Int) -> StageSource {
    let text = (1...lines).map { "line \($0)" }.joined(separator: "\n")
    return StageSource(stage: .compute, name: "saturation", shader: AssembledShader(text: text, name: "saturation"))
  }
}
