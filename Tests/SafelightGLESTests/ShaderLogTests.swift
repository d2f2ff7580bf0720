import SafelightImage
import Testing

@testable import SafelightGLES

/// Logs as the drivers write them.
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
  func theFirstErrorsLineIsFound(_ log: String) {
    #expect(ShaderLog(log).line == 17)
  }

  @Test(arguments: ["", "\n", "the driver gave no reason", "internal error", "error C9999", "0:9(1): warning: unused"])
  func aLogWithoutALineHasNone(_ log: String) {
    let error = ShaderLog(log).error(for: source(lines: 30))
    #expect(error.why == ShaderLog(log).text)
    #expect(!error.why.contains(" | "))
  }

  @Test func theErrorNamesTheFunctionTheLogAndTheLines() {
    let error = ShaderLog("\n" + Self.nvidia + "\n\n").error(for: source(lines: 30))
    #expect(error.kind == .driver)
    #expect(error.what == "compute function 'saturation' does not compile")
    #expect(error.why == Self.nvidia + "\n  16 | line 16\n  17 | line 17\n  18 | line 18")
    #expect(error.remedy != nil)
  }

  @Test func linesAtTheEndsOfTheTextAreShown() {
    #expect(ShaderLog("0:1(1): error: x").error(for: source(lines: 3)).why.hasSuffix("x\n  1 | line 1\n  2 | line 2"))
    #expect(ShaderLog("0:3(1): error: x").error(for: source(lines: 3)).why.hasSuffix("x\n  2 | line 2\n  3 | line 3"))
    #expect(ShaderLog("0:1(1): error: x").error(for: source(lines: 1)).why.hasSuffix("x\n  1 | line 1"))
  }

  @Test(arguments: [0, 4, 400])
  func aLineOutsideTheTextShowsNone(_ line: Int) {
    let log = "0:\(line)(1): error: x"
    #expect(ShaderLog(log).error(for: source(lines: 3)).why == log)
  }

  private func source(lines: Int) -> StageSource {
    let text = (1...lines).map { "line \($0)" }.joined(separator: "\n")
    return StageSource(stage: .compute, name: "saturation", text: text)
  }
}
