import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

@Suite struct GLSLPreprocessorTests {
  private func words(_ text: String) throws -> String {
    try GLSLPreprocessor(AssembledShader(text: text, name: "f"), function: "f").tokens.map(\.text)
      .joined(separator: " ")
  }

  @Test(arguments: [
    // Comments and continued lines.
    ("a // b\nc", "a c"), ("a /* b\n c */ d", "a d"), ("a/**/b", "a b"), ("a /* // */ b", "a b"),
    ("#define A 1 \\\n + 2\nA", "1 + 2"), ("a / b", "a / b"),
    // Macros.
    ("#define A b\nA AA", "b AA"), ("#define A B\n#define B A\nA", "A"), ("#define A 1\n#undef A\nA", "A"),
    ("#define F(x, y) y + x\nF(1, g(2, 3))", "g ( 2 , 3 ) + 1"), ("#define F(x) [x]\nF F(F(1))", "F [ [ 1 ] ]"),
    ("#define A (1)\nA", "( 1 )"), ("#define A 1\n#define A2 A\nA2", "1"), ("#define U\nU a U", "a"),
    // Conditions.
    ("#if 1\na\n#else\nb\n#endif\nc", "a c"), ("#if 0\na\n#elif 2 > 1\nb\n#elif 1\nd\n#else\ne\n#endif", "b"),
    ("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c"), ("#ifdef A\na\n#endif\n#ifndef A\nb\n#endif", "b"),
    ("#define A 3\n#if A == 3 && defined(A) && !defined B\na\n#endif", "a"),
    ("#if defined(X) && X > 3\na\n#else\nb\n#endif", "b"), ("#if 1 || X\na\n#endif", "a"),
    ("#if 0\n#if NOTHING\na\n#endif\n#endif\nb", "b"), ("#if GL_ES && __VERSION__ == 310\na\n#endif", "a"),
    ("#ifdef A\n#define B 1\n#endif\nB", "B"),
    ("#  if (1 + 2 * 3 == 7) && -1 < 0 && 0x10 == 16 && 8u >> 1 == 4\na\n# endif", "a"),
    ("#if GL_EXT_nothing\na\n#else\nb\n#endif", "b"),
    ("#extension GL_X : require\n#ifdef GL_X\na\n#endif", "a"),
    ("#extension GL_X : enable\n#if defined(GL_X) && GL_X == 1\na\n#endif", "a"),
    ("#extension GL_X : disable\n#ifdef GL_X\na\n#else\nb\n#endif", "b"), ("#pragma x\n#error y\na", "a"),
  ])
  func whatTheCompilerSees(_ text: String, _ seen: String) throws {
    #expect(try words(text) == seen)
  }

  @Test func aConditionWithoutAValueNamesItAndItsLine() {
    expectError(
      what: "function 'f'", why: "#if at f:2 needs a value for SAMPLE_BITS, which has none",
      remedy: .containing("constant")
    ) { try words("a\n#if SAMPLE_BITS == 8\n#endif") }
  }

  @Test(arguments: [
    "#if", "#if 1 +", "#if (1", "#if 1 / 0", "#if 1.5", "#if \"x\"", "#endif\n#else\n#elif 1", "#if 1\n",
  ])
  func nonsenseEndsWell(_ text: String) {
    _ = try? words(text)
  }

  @Test func threadgroupMemoryThatWasNotGivenIsNoted() throws {
    let text = "#if 0\nTHREADGROUP_MEMORY_LENGTH_9\n#endif\n#define THREADGROUP_MEMORY_LENGTH_1 16\n"
    let used = "shared uint a[THREADGROUP_MEMORY_LENGTH_0 / 4], b[THREADGROUP_MEMORY_LENGTH_1];"
    let read = try GLSLPreprocessor(AssembledShader(text: text + used, name: "f"), function: "f")
    #expect(read.missingThreadgroupMemory == [0])
  }

  @Test(arguments: [
    ("1+2*3", 7), ("(1+2)*3", 9), ("7/2%2", 1), ("-3 + ~0", -4), ("1<<4|1", 17), ("6&3^1", 3), ("!0 == 1", 1),
    ("2 < 1 || 3 >= 3", 1), ("N * 4u", 20), ("uint(N) + int(2)", 7), ("017 + 0x1F", 46), ("1 - 1 - 1", -1),
  ])
  func expressions(_ text: String, _ value: Int) {
    let found = GLSLExpression.value(of: GLSLToken.tokens(of: Array(text.utf8))) { $0 == "N" ? 5 : nil }
    #expect(found == .known(value))
  }
}
