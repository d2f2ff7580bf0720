import TestSupport
import Testing

@Suite struct DocumentedCodeTests {
  @Test func blocksAreFoundInTheirOrderAndWhole() {
    let code = DocumentedCode.lines("import A\nlet a = 1\n\n  let b = 2\nlet c = 3\n")
    #expect(code == ["let a = 1", "let b = 2", "let c = 3"])
    #expect(DocumentedCode.missing([["let a = 1", "let b = 2"], ["let c = 3"]], in: code) == [])
    #expect(DocumentedCode.missing([["let b = 2"], ["let a = 1"]], in: code) == [["let a = 1"]])
    #expect(DocumentedCode.missing([["let a = 1", "let c = 3"]], in: code) == [["let a = 1", "let c = 3"]])
  }
}
