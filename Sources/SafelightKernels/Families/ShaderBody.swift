package import SafelightGPU
public import SafelightImage
package import SafelightShaders

/// The body of a user's kernel in GLSL, `uvec4 pointKernel(uvec4 pixel)`, and its settings.
///
/// Samples are integers from 0 to `MAXIMUM`; `neighbor(x, y)` is the pixel `x` columns to the right and `y` rows below,
/// at most `RADIUS` away. The members of the block at binding 2 are parameters, each with a comment on its range:
/// `float amount; // 0 to 1, default 0.3: how much of it`.
///
/// The body has no twin and runs only on OpenGL ES.
package struct ShaderBody: Sendable {
  /// The settings.
  package let parameters: [KernelParameter]

  private let text: ShaderText
  /// The greatest distance of its neighbors; 0 if it reads none.
  private let radius: Int
  /// True if it reads a pixel's position.
  private let isPositional: Bool
  /// True if it reads pixels anywhere, or the size of the texture.
  private let readsAnywhere: Bool
  /// True if it declares the texture itself.
  private let declaresSource: Bool

  /// Reads the declarations of `text`.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if it has no `pointKernel`, or a setting without a range.
  package init(_ text: ShaderText) throws(SafelightError) {
    func fault(_ why: String, _ remedy: String) -> SafelightError {
      SafelightError(.input, text.name, why: why, remedy: remedy)
    }
    self.text = text
    let tokens = try Self.tokens(of: text)
    let words = tokens.body.map(\.text)
    func calls(_ names: [String]) -> String? {
      zip(words, words.dropFirst()).first { names.contains($0) && $1 == "(" }?.0
    }
    // Macros name the functions of the package that the body calls, and its own.
    guard calls(["safelight_pointKernel"]) != nil else {
      throw fault("it has no function pointKernel", "define uvec4 pointKernel(uvec4 pixel)")
    }
    if let read = calls(Self.samplingFunctions) {
      throw fault(
        "\(read) gives fractions where samples have 8 bits, and integers where they have 16",
        "call fetchPixel(source, position), which gives integers from 0 to MAXIMUM")
    }
    isPositional = words.contains("pixelPosition")
    readsAnywhere = ["textureSize", "safelight_fetchPixel", "gl_FragCoord", "gl_GlobalInvocationID"]
      .contains(where: words.contains)
    radius = calls(["neighbor"]) == nil ? 0 : try Self.radius(tokens.radius, fault)

    let declarations = GLSLDeclarations(tokens.body)
    declaresSource = declarations.uniforms.contains { $0.variable.name == "source" }
    if let global = declarations.uniforms.first(where: { !$0.variable.type.contains("sampler") }) {
      throw fault(
        "\(global.variable.name) is a uniform outside a block",
        "write layout(std140, binding = 2) uniform Settings { … } around it")
    }
    if let other = declarations.blocks.first(where: { $0.qualifiers.binding != 2 })
      ?? declarations.blocks.dropFirst().first
    {
      throw fault("nothing is bound to its block \(other.name)", "keep a single block of settings, at binding = 2")
    }
    if let block = declarations.blocks.first, block.qualifiers.memory == nil {
      throw fault(
        "the memory layout of its block \(block.name) is left to the driver", "write layout(std140, binding = 2)")
    }
    let members = declarations.blocks.first?.members ?? []
    guard Set(members.map(\.name)).count == members.count else {
      throw fault("two settings have the same name", "rename one of them")
    }
    parameters = try members.map { (member) throws(SafelightError) in try Self.parameter(member, in: text) }
  }

  /// Returns the tokens of the body without those of the texts around it, and what `RADIUS` stands for behind it.
  private static func tokens(of text: ShaderText) throws(SafelightError) -> (body: [GLSLToken], radius: [GLSLToken]) {
    func tokens(_ texts: [ShaderText]) throws(SafelightError) -> [GLSLToken] {
      let constants = [
        ShaderAssembly.Constant("SAMPLE_BITS", 8), ShaderAssembly.Constant("SAFELIGHT_HAS_COLORS", true),
      ]
      let parts = [ShaderText(.pixels), ShaderText(.userBegin)] + texts
      return try GLSLPreprocessor(ShaderAssembly(parts, constants: constants).shader(), function: text.name).tokens
    }
    let mark = "safelight_radius"
    let before = try tokens([]).count
    let found = try tokens([text, ShaderText(name: mark, contents: "\(mark) RADIUS")]).dropFirst(before)
    let end = found.lastIndex { $0.text == mark } ?? found.endIndex
    return (Array(found[..<end]), Array(found[end...].dropFirst()))
  }

  /// The greatest distance of neighbors that `tokens` state.
  private static func radius(
    _ tokens: [GLSLToken], _ fault: (_ why: String, _ remedy: String) -> SafelightError
  ) throws(SafelightError) -> Int {
    guard case .known(let radius) = GLSLExpression.value(of: tokens, { _ in nil }) else {
      throw fault("it calls neighbor, and no macro RADIUS says how far", "write #define RADIUS 1, or up to 64")
    }
    guard (1...64).contains(radius) else {
      throw fault(
        "its RADIUS is \(radius); the parts into which a large picture is cut overlap by 64 columns and rows at most",
        "write #define RADIUS 1, or up to 64, or read with fetchPixel(source, position) in pictures that fit a texture")
    }
    return radius
  }

  /// The functions of GLSL that read textures, besides `fetchPixel`.
  private static let samplingFunctions = [
    "texelFetch", "texelFetchOffset", "texture", "textureGather", "textureGatherOffset", "textureGrad",
    "textureGradOffset", "textureLod", "textureLodOffset", "textureOffset", "textureProj", "textureProjGrad",
    "textureProjGradOffset", "textureProjLod", "textureProjLodOffset", "textureProjOffset",
  ]

  /// Reads the comment after a setting.
  private static func parameter(_ member: GLSLVariable, in text: ShaderText) throws(SafelightError) -> KernelParameter {
    let comment = #/(\S+)\s+to\s+(\S+)\s*,\s*default\s+([^\s:]+)\s*(?::\s*(.*))?/#
    let line = text.contents.split(whereSeparator: \.isNewline).first { line in
      line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.starts(with: [
        Substring(member.type), Substring(member.name),
      ])
    }
    func fault(_ why: String) -> SafelightError {
      SafelightError(
        .input, "'\(member.name)' of \(text.name)", why: why,
        remedy: "write float \(member.name);  // 0 to 1, default 0.5: what it does")
    }
    guard ["float", "int", "uint"].contains(member.type), !member.isArray else {
      throw fault("a setting is a float, an int or a uint, not \(member.isArray ? "an array" : member.type)")
    }
    guard let line, let said = line.firstMatch(of: comment), let least = DecimalText.number(said.1),
      let most = DecimalText.number(said.2), let usual = DecimalText.number(said.3), least <= usual, usual <= most
    else { throw fault("it needs a comment behind it with its range and default") }
    let summary = said.4.map(String.init) ?? "a setting of \(text.name)"
    if member.type == "float" {
      return KernelParameter(member.name, summary, .number(range: least...most, default: usual))
    }
    let limits = member.type == "int" ? Double(Int32.min)...Double(Int32.max) : 0...Double(UInt32.max)
    guard limits.contains(least), limits.contains(most), let least = Int(exactly: least), let most = Int(exactly: most),
      let usual = Int(exactly: usual)
    else { throw fault("its range is not a range of \(member.type)") }
    return KernelParameter(member.name, summary, .integer(range: least...most, default: usual))
  }

  /// Compiles the body on `device` for every format of a picture, so that a mistake is found before the first frame.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` for the CPU, and of kind `input` with the compiler's message.
  package func compile(on device: Device, pipeline: PipelineKind, _ values: [ParameterValue]) throws(SafelightError) {
    try ensure(
      !device.info.isCPU, .unsupported, text.name,
      why: "a user's shader has no Swift twin, and the CPU runs only twins", remedy: "choose a device with OpenGL ES",
      setting: .device)
    for (number, format) in PixelFormat.pictureFormats.enumerated() {
      let picture = PassPicture(format.descriptor(Size(1, 1)), format)
      do {
        try PassPlan([pass(for: format, values)], of: text.name, from: picture, to: [picture], edge: .max)
          .compile(on: device, pipeline: pipeline)
      } catch {
        let depth = number == 0 ? "" : "for \(format.rawValue), "
        throw SafelightError(.input, text.name, why: depth + error.why, remedy: "correct the kernel")
      }
    }
  }

  /// Returns the pass for pictures of `format`, with a value for each of ``parameters``.
  package func pass(for format: PixelFormat, _ values: [ParameterValue]) -> Pass {
    let block = values.flatMap { value -> [UInt8] in
      let word: UInt32 =
        switch value.value(at: 0) {
        case .number(let number): Float(number).bitPattern
        case .integer(let number): UInt32(truncatingIfNeeded: number)
        case .choice, .text, .series: 0
        }
      return unsafe withUnsafeBytes(of: word) { unsafe Array($0) }
    }
    let function = ShaderBodyFunction(
      body: text, hasColors: format.samplesPerPixel == 4,
      isNormalized: format.sampleKind == .normalized && format.bytesPerSample == 2,
      source: declaresSource ? nil : readsAnywhere ? "safelight_input1" : "safelight_input0")
    // A pixel that depends on its position is another in a part of the picture.
    let around: Footprint = radius == 0 && !isPositional ? .pixel : .square(radius: radius)
    return Pass(
      function, uniforms: block + [UInt8](repeating: 0, count: -block.count & 15),
      inputs: [Pass.Input("safelight_source", .picture, around)]
        + (readsAnywhere ? [Pass.Input("safelight_picture", .picture, .whole)] : []))
  }
}

/// The function of a user's kernel.
private struct ShaderBodyFunction: BuiltInPassFunction {
  let body: ShaderText
  let hasColors: Bool
  /// True for samples of 16 bits that textures hold as fractions.
  let isNormalized: Bool
  /// The name of the sampler that the body calls `source`; nil if the body declares `source` itself.
  let source: String?

  var name: String { "shader" }
  var hasTwin: Bool { false }
  var constants: [ShaderAssembly.Constant] {
    [.init("SAFELIGHT_HAS_COLORS", hasColors)] + (isNormalized ? [.init("SAFELIGHT_IS_NORMALIZED", true)] : [])
  }
  var texts: [ShaderText] {
    let named = source.map { ShaderText(name: "source", contents: "#define source \($0)") }
    return [ShaderText(.userBegin)] + [named].compactMap { $0 } + [body, ShaderText(.userEnd)]
  }

  func make(_ memory: PassMemory) { trap("the kernel \(body.name) has no twin; give it to a device with OpenGL ES") }
}

extension SafelightError.Setting {
  /// The device to use.
  public static let device = Self("device")
}
