import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

@Suite struct GLSLDeclarationsTests {
  private func declarations(_ text: String) throws -> GLSLDeclarations {
    GLSLDeclarations(try GLSLPreprocessor(AssembledShader(text: text, name: "f"), function: "f").tokens)
  }

  /// The sizes of the specification's rules (ES 3.1 §7.6.2.2).
  @Test(arguments: [
    ("float a;", 4, 4), ("uvec4 a;", 16, 16), ("float a; vec3 b; float c;", 32, 32), ("vec3 a; float b;", 16, 16),
    ("float a[3];", 48, 12), ("vec2 a[2];", 32, 16), ("vec3 a[2];", 32, 32), ("mat4 a;", 64, 64), ("mat3 a;", 48, 48),
    ("mat2 a;", 32, 16), ("mat2x3 a;", 32, 32), ("layout(row_major) mat2x3 a;", 48, 24), ("mat3x2 a[2];", 96, 48),
    ("S a;", 32, 24), ("S a; float b;", 36, 28), ("S a[2];", 64, 48), ("float a; S b;", 48, 32), ("bool a, b;", 8, 8),
    ("uint a; uint b[];", 32, 8), ("uvec3 a[];", 16, 16), ("float a[2][3];", 96, 24), ("float[2] a, b[3];", 128, 32),
    ("float a[N];", 80, 20), ("float a[N * 2 - 1];", 144, 36), ("highp vec2 a; mediump int b;", 12, 12),
  ])
  func sizesOfBlocks(_ members: String, _ std140: Int, _ std430: Int) throws {
    let read = try declarations(
      """
      const int N = 5;
      struct S { vec2 a; vec2 b; float c; };
      layout(std140, binding = 1) uniform A { \(members) };
      layout(std430, binding = 2) buffer B { \(members) } b;
      """)
    #expect(read.blocks.map(\.name) == ["A", "B"])
    #expect(GLSLLayout.std140.size(of: read.blocks[0].members, read.structures) == std140)
    #expect(GLSLLayout.std430.size(of: read.blocks[1].members, read.structures) == std430)
  }

  @Test(arguments: ["Unknown a;", "float a[M];", "float a[-1 + M];", "double a;", "vec5 a;", "mat5 a;", "mat2x2x2 a;"])
  func whatIsNotKnownHasNoSize(_ members: String) throws {
    let read = try declarations("layout(std140) uniform A { \(members) };")
    #expect(GLSLLayout.std140.size(of: read.blocks[0].members, read.structures) == nil)
  }

  @Test func functionsAndTheirBodiesAreNotDeclarations() throws {
    let read = try declarations(
      """
      precision highp float;
      void f(in sampler2D hidden, const int n);
      uniform sampler2D shown;
      uvec4 g(uint a[3]) { uniform sampler2D inside; if (true) { int b[2] = int[2](1, 2); } return uvec4(0u); }
      const float table[2] = float[2](1.0, 2.0);
      layout(local_size_x = 8) in;
      in vec2 place; out vec4 color;
      struct T { float a; } instance;
      uniform highp usampler2D also, third;
      """)
    #expect(read.uniforms.map(\.variable.name) == ["shown", "also", "third"])
    #expect(read.uniforms.map(\.variable.type) == ["sampler2D", "usampler2D", "usampler2D"])
    #expect(read.blocks.isEmpty)
    #expect(read.structures.keys.sorted() == ["T"])
  }

  @Test func layoutsOfAllBlocksAreTakenOver() throws {
    let read = try declarations(
      """
      layout(std430) buffer;
      layout(std140) uniform;
      layout(binding = 3) readonly buffer A { float a[3]; };
      layout(binding = 4) uniform B { float a[3]; };
      layout(std140, binding = 5) buffer C { float a[3]; };
      """)
    #expect(read.blocks.map(\.qualifiers.memory) == [.std430, .std140, .std140])
    #expect(read.blocks.map(\.qualifiers.isReadOnly) == [true, false, false])
    #expect(read.blocks.map(\.qualifiers.binding) == [3, 4, 5])
  }

  /// An invalid text must not hang or stop the reader.
  @Test(arguments: [
    "}", "{", "uniform", "layout(", "layout(binding = ) uniform X {", "struct", "struct S {", "buffer B { float", ";;;",
    "uniform sampler2D a[", "void f(", "const int N = ;", "layout() uniform A { int a; } b[2][", "= = =", "precision",
    "uniform A { , , };",
  ])
  func nonsenseEndsWell(_ text: String) throws {
    _ = try declarations(text)
  }
}

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
    ("#define F(x) [x]\nF(1\n+ 2) a", "[ 1 + 2 ] a"), ("#define F(x) [x]\nF\n(1)\na", "[ 1 ] a"),
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
