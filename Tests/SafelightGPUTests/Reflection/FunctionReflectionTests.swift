import SafelightGLES
import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

@Suite struct FunctionReflectionTests {
  private static let text = """
    layout(binding = 0) uniform sampler2D source;
    layout(binding = 4) uniform usampler2D planes[2];
    layout(binding = 1, rgba8ui) writeonly uniform uimage2D destination;
    layout(binding = 6, rgba16ui) readonly uniform uimage2D mask;
    layout(std430, binding = 0) readonly buffer Table { uint entries[]; };
    layout(std430, binding = 1) buffer Counts { uvec4 first; uint rest[]; };
    layout(std140, binding = 2) uniform Parameters { uvec4 weights; float amount; };
    uniform uvec2 safelight_threadsPerGrid;
    shared uint sums[64];
    void main() {}
    """

  private func function(_ text: String = text, stated: [ShaderArgument]? = nil) -> ShaderFunction {
    ShaderFunction("soften", text, arguments: stated)
  }

  @Test func everyBindingIsReadWithNameTypeAndSize() throws {
    let read = try function().reflection(.standard)
    #expect(
      read.arguments.map { "\($0.binding) \($0.name) \($0.type)" } == [
        "sampledTexture(0) source sampler2D", "sampledTexture(4) planes[0] usampler2D",
        "sampledTexture(5) planes[1] usampler2D", "storageTexture(1) destination uimage2D",
        "loadedTexture(6) mask uimage2D", "readBuffer(0) Table buffer", "storageBuffer(1) Counts buffer",
        "bytes(2) Parameters uniform",
      ])
    #expect(read.arguments.map(\.dataSize) == [nil, nil, nil, nil, nil, 4, 20, 20])
    #expect(read.arguments.map(\.storageFormat) == [nil, nil, nil, "rgba8ui", "rgba16ui", nil, nil, nil])
    #expect(read.threadgroupMemoryLength == 256)
  }

  @Test func argumentsThatAreNotStatedAreRead() {
    #expect(
      function().arguments == [
        .sampledTexture(0), .sampledTexture(4), .sampledTexture(5), .storageTexture(1), .loadedTexture(6),
        .readBuffer(0), .storageBuffer(1), .bytes(2),
      ])
  }

  @Test func arraysOfBlocksTakeOneIndexEach() throws {
    let read = try function("layout(std140, binding = 2) uniform P { uvec4 v; } pair[2]; void main() {}")
      .reflection(.standard)
    #expect(read.arguments.map(\.name) == ["P[0]", "P[1]"])
    #expect(read.arguments.map(\.binding) == [.bytes(2), .bytes(3)])
  }

  /// Tests before the function would contradict the order of the twins.
  @Test(arguments: [
    "layout(early_fragment_tests) in;", "layout(early_fragment_tests) in; layout(origin_upper_left) in;",
  ])
  func earlyTestsAreRefused(_ text: String) throws {
    expectError(.unsupported, what: "'soften'", why: .containing("layout(early_fragment_tests)"), remedy: .something) {
      try function(text + "void main() {}").reflection(.standard)
    }
  }

  @Test func constantsDecideWhatIsDeclared() throws {
    let text = "#if DEEP\nuniform usampler2D s;\n#else\nuniform sampler2D s;\n#endif\nvoid main() {}"
    for (isDeep, type) in [(true, "usampler2D"), (false, "sampler2D")] {
      let function = ShaderFunction(
        name: "f", assembly: ShaderAssembly(texts: [text], constants: [.init("DEEP", isDeep)]))
      #expect(try function.reflection(.standard).arguments.map(\.type) == [type])
    }
    expectError(why: .containing("DEEP")) { try function(text).reflection(.standard) }
  }

  /// Stated arguments must be those of the text.
  @Test(arguments: [
    (
      [ShaderArgument.sampledTexture(0)], "its GLSL declares bytes 2 'P', which is not among its arguments", ".bytes(2)"
    ),
    ([.sampledTexture(0), .bytes(2), .bytes(3)], "its arguments state bytes 3, which its GLSL does not declare", "3"),
    (
      [.storageTexture(0), .bytes(2)], "its arguments state .storageTexture(0), but 's' is a sampler2D",
      ".sampledTexture(0)"
    ),
    ([.sampledTexture(1), .bytes(2)], "its arguments state texture 1, which its GLSL does not declare", "1"),
  ])
  func wrongStatementsAreRefused(_ stated: [ShaderArgument], _ why: String, _ remedy: String) {
    let function = function(
      "uniform sampler2D s; layout(std140, binding = 2) uniform P { uint a; }; void main() {}", stated: stated)
    expectError(.usage, what: "'soften'", why: .whole(why), remedy: .containing(remedy)) {
      try function.reflection(.standard)
    }
  }

  @Test func aBufferThatIsWrittenCannotBeStatedAsRead() throws {
    let text = "layout(std430, binding = 0) buffer B { uint a; }; void main() {}"
    expectError(why: .containing("buffer 0 'B' is only read")) {
      try function(text, stated: [.readBuffer(0)]).reflection(.standard)
    }
    let readonly = text.replacing("buffer B", with: "readonly buffer B")
    _ = try function(readonly, stated: [.storageBuffer(0)]).reflection(.standard)
    _ = try function(readonly, stated: [.readBuffer(0)]).reflection(.standard)
  }

  /// Barriers follow the statements.
  @Test(
    arguments: [
      ("", .loadedTexture(0), "texture 0 'a' is only read, but its GLSL may write it"),
      ("writeonly", .loadedTexture(0), "texture 0 'a' is only read, but its GLSL may write it"),
      ("readonly", .storageTexture(0), "texture 0 'a' is written, but its GLSL declares it readonly"),
      ("readonly", .readWriteTexture(0), "texture 0 'a' is written, but its GLSL declares it readonly"),
      ("", .storageTexture(0), "texture 0 'a' is only written, but its GLSL may read it"),
    ] as [(String, ShaderArgument, String)])
  func anImageIsStatedAsItIsDeclared(_ qualifier: String, _ statement: ShaderArgument, _ why: String) throws {
    let text = "layout(binding = 0, r32ui) \(qualifier) uniform uimage2D a; void main() {}"
    expectError(why: .containing(why)) { try function(text, stated: [statement]).reflection(.standard) }
  }

  @Test(arguments: [
    ("uniform float amount; void main() {}", "'amount' of 'soften'", "float"),
    ("uniform vec2 a[2]; void main() {}", "'a' of 'soften'", "vec2"),
    ("layout(binding = HERE) uniform sampler2D s; void main() {}", "'s' of 'soften'", "binding"),
  ])
  func whatCannotBeBoundIsRefused(_ text: String, _ what: String, _ why: String) {
    expectError(what: .whole(what), why: .containing(why)) { try function(text).reflection(.standard) }
  }

  @Test func aFunctionWithoutGLSLIsWhatItStates() throws {
    let function = ShaderFunction("f", arguments: [.bytes(1)])
    #expect(try function.reflection(.standard).arguments.map(\.binding) == [.bytes(1)])
  }

  /// A program of two stages has the bindings of both.
  @Test func stagesAreComparedTogether() throws {
    let vertex = try function("layout(std140, binding = 6) uniform V { vec4 a; }; void main() {}").reflection(nil)
    let fragment = try function().reflection(nil)
    let resources = [
      ProgramResource(.uniformBlock, name: "V", index: 6, dataSize: 16),
      ProgramResource(.sampler, name: "source", index: 0, type: "sampler2D"),
    ]
    #expect(throws: SafelightError.self) { try fragment.check(against: resources, of: "f") }
    #expect(throws: SafelightError.self) { try vertex.check(against: resources, of: "f") }
    try fragment.joined(with: vertex).check(against: resources, of: "f")
  }

  /// The driver's list is compared with the reflection.
  @Test func theDriversAccountIsCompared() throws {
    let read = try function().reflection(.standard)
    let agreed = [
      ProgramResource(.sampler, name: "source", index: 0, type: "sampler2D"),
      ProgramResource(.sampler, name: "planes[0]", index: 4, type: "usampler2D", count: 2),
      ProgramResource(.image, name: "destination", index: 1, type: "uimage2D"),
      ProgramResource(.storageBlock, name: "Table", index: 0, dataSize: 4),
      ProgramResource(.storageBlock, name: "Counts", index: 1, dataSize: 32),
      ProgramResource(.uniformBlock, name: "Parameters", index: 2, dataSize: 32),
      ProgramResource(.uniform, name: "safelight_threadsPerGrid", index: 7),
    ]
    try read.check(against: agreed, of: "soften")
    for other in [
      ProgramResource(.sampler, name: "source", index: 1, type: "sampler2D"),
      ProgramResource(.sampler, name: "source", index: 0, type: "usampler2D"),
      ProgramResource(.sampler, name: "planes[0]", index: 4, type: "usampler2D", count: 3),
      ProgramResource(.image, name: "destination", index: 1, type: "image2D"),
      ProgramResource(.storageBlock, name: "Table", index: 0, dataSize: 8),
      ProgramResource(.uniformBlock, name: "Parameters", index: 2, dataSize: 48),
      ProgramResource(.uniformBlock, name: "Others", index: 2, dataSize: 32),
      ProgramResource(.storageBlock, name: "Parameters", index: 2, dataSize: 32),
    ] {
      expectError(.driver, why: .containing("'\(other.name)'")) { try read.check(against: [other], of: "soften") }
    }
  }
}
