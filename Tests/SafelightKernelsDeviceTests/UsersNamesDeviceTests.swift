import SafelightGPU
import SafelightImage
import SafelightKernels
import SafelightShaders
import TestSupport
import Testing

/// The body of a user's kernel may use every name that is not documented as taken.
@Suite struct UsersNamesDeviceTests {
  /// The names of the wrapper that `safelight filters shader` lists; all others of its own begin with safelight.
  private static let taken: Set = [
    "pointKernel", "source", "fetchPixel", "neighbor", "RADIUS", "pixelPosition", "luma601", "MAXIMUM", "SAMPLE_BITS",
    "SOURCE_TEXTURE", "THREADGROUP_WIDTH", "THREADGROUP_HEIGHT", "main",
  ]

  /// The words of GLSL that texts in Shaders/Common use.
  private static let language: Set = [
    "define", "undef", "include", "if", "ifdef", "ifndef", "else", "endif", "layout", "in", "out", "uniform", "buffer",
    "readonly", "writeonly", "binding", "location", "std430", "std140", "local_size_x", "local_size_y", "rgba8ui",
    "rgba16ui", "precision", "highp", "const", "struct", "void", "bool", "int", "uint", "float", "vec2", "vec4",
    "ivec2", "ivec4", "uvec2", "uvec4", "sampler2D", "usampler2D", "image2D", "uimage2D", "return", "for", "while",
    "discard", "true", "false", "texelFetch", "textureSize", "imageStore", "imageSize", "any", "greaterThanEqual",
    "clamp", "min", "max", "all", "lessThan", "findMSB", "distance", "umulExtended", "uaddCarry", "atomicAdd",
    "atomicMin", "atomicMax", "floatBitsToUint", "uintBitsToFloat", "xy", "zw",
  ]

  private static let ordinary = [
    "amount", "blue", "color", "count", "depth", "destination", "gray", "height", "index", "offset", "pixel", "place",
    "point", "position", "radius", "red", "region", "result", "sampleCount", "size", "strength", "target", "threshold",
    "value", "weight", "width", "words",
  ]

  /// The names in Shaders/Common, so that a new one without the prefix is found, and names that bodies often have.
  private static var names: [String] {
    let texts = ShaderSource.allCases.filter { $0.rawValue.hasPrefix("Common/") }.map(\.text)
    let code = texts.joined(separator: "\n").replacing(#/\/\/[^\n]*|"[^"]*"/#, with: " ")
    let words = code.matches(of: #/\b[A-Za-z_]\w*\b/#).map { String($0.output) }
    return Set(words + ordinary).subtracting(taken.union(language)).sorted().filter {
      !$0.lowercased().hasPrefix("safelight") && !$0.hasPrefix("gl_")
    }
  }

  private static let kernel = "uvec4 pointKernel(uvec4 p_) { return neighbor(1, 0) + fetchPixel(source, ivec2(0)); }"

  private func expectMade(_ text: String, _ device: Device, _ pipeline: PipelineKind) throws {
    let body = try ShaderBody(ShaderText(name: "body", contents: "#define RADIUS 1\n\(text)"))
    try body.compile(on: device, pipeline: pipeline, body.parameters.map { _ in .number(0) })
  }

  @Test(arguments: TestDevice.gles, [PipelineKind.render, .compute])
  func everyOtherNameIsFree(_ test: TestDevice, _ pipeline: PipelineKind) throws {
    let device = try test.open()
    #expect(Self.names.count > 60)
    let variables = Self.names.map { "uint \($0) = 1u;" }
    let functions = Self.names.map { "uint \($0)(uint q_) { return q_; }" }
    let structures = Self.names.map { "struct \($0) { uint u_; };" }
    let macros = Self.names.map { "#define \($0) ?" }
    let settings = Self.names.map { "  float \($0);  // 0 to 1, default 0: a name" }
    let uses = Self.names.joined(separator: " + ")
    let locals = variables.joined(separator: " ")
    for text in [
      (variables + [Self.kernel]), (functions + [Self.kernel]), (structures + [Self.kernel]), (macros + [Self.kernel]),
      ["layout(std140, binding = 2) uniform Settings_ {"] + settings + ["};", Self.kernel],
      ["uvec4 pointKernel(uvec4 p_) { \(locals) return neighbor(0, 1) + p_ * (\(uses)); }"],
    ] {
      try expectMade(text.joined(separator: "\n"), device, pipeline)
    }
  }

  /// A body that is right at 8 bits only is refused before the first frame.
  @Test(arguments: TestDevice.gles, [PipelineKind.render, .compute])
  func everyDepthIsCompiledFirst(_ test: TestDevice, _ pipeline: PipelineKind) throws {
    let device = try test.open()
    let body = "#if SAMPLE_BITS == 16\n#error not for 16 bits\n#endif\nuvec4 pointKernel(uvec4 pixel) { return pixel; }"
    expectError(.input, why: .containing("not for 16 bits")) { try expectMade(body, device, pipeline) }
    let gray =
      "uvec4 pointKernel(uvec4 pixel) {\n#if SAFELIGHT_HAS_COLORS\nreturn pixel;\n#else\nreturn gray;\n#endif\n}"
    expectError(.input, why: .containing("gray")) { try expectMade(gray, device, pipeline) }
  }
}
