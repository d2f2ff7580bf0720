import SafelightGPU
import SafelightShaders
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
