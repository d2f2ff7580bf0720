package import SafelightGPU
package import SafelightImage
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
  /// True if it reads a pixel's position or the size of the texture.
  private let isPositional: Bool
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
    isPositional = ["pixelPosition", "textureSize", "safelight_fetchPixel", "gl_FragCoord", "gl_GlobalInvocationID"]
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

  /// Compiles the body on `device`, with a value for each of ``parameters``.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` for the CPU, and of kind `input` with the compiler's message.
  package func makeStage(
    on device: Device, form: KernelForm, _ values: [ParameterValue]
  ) throws(SafelightError) -> any ImageStage {
    try ensure(
      !device.info.isCPU, .unsupported, text.name,
      why: "a user's shader has no Swift twin, and the CPU runs only twins", remedy: "choose a device with OpenGL ES",
      setting: .device)
    let block = values.flatMap { value -> [UInt8] in
      let word: UInt32 =
        switch value {
        case .number(let number): Float(number).bitPattern
        case .integer(let number): UInt32(truncatingIfNeeded: number)
        case .choice, .text: 0
        }
      return unsafe withUnsafeBytes(of: word) { unsafe Array($0) }
    }
    let functions = try functions(on: device, form)
    let edge = device.capabilities.maximumTextureSize
    return KernelStage(
      reach: isPositional ? .picture : radius == 0 ? .pixel : .neighbors(radius),
      output: { (image) throws(SafelightError) in
        try ensure(
          !isPositional || (image.size.width <= edge && image.size.height <= edge), .limit, text.name,
          why: "it uses the places of pixels, but a picture of \(image.size) must be cut into textures of \(edge)",
          remedy: "scale it down, or cut it into parts")
        return image
      },
      record: { buffer, source, destination in
        guard let function = functions[source.pixelFormat] else {
          trap("\(text.name) was given \(source.pixelFormat.rawValue), which no picture of a chain has")
        }
        var bindings = Bindings()
        if !block.isEmpty { bindings.bytes[2] = block + [UInt8](repeating: 0, count: -block.count & 15) }
        source.encodeParts(border: radius, to: destination, in: buffer) {
          function.encode(
            to: buffer, source: $0, destination: $1, bindings: bindings, form: form, label: "shader \(text.name)")
        }
      })
  }

  /// Compiles the body for every format of a picture, so that no frame is the first of its kind.
  private func functions(
    on device: Device, _ form: KernelForm
  ) throws(SafelightError) -> [PixelFormat: FunctionForms] {
    var functions: [PixelFormat: FunctionForms] = [:]
    var made: [[ShaderAssembly.Constant]: FunctionForms] = [:]
    for format in PixelFormat.pictureFormats {
      let constants =
        [.init("SAFELIGHT_HAS_COLORS", format.samplesPerPixel == 4)] + format.sampleConstants
      let function = made[constants] ?? function(constants)
      functions[format] = function
      guard made.updateValue(function, forKey: constants) == nil else { continue }
      do {
        try function.compile(on: device, form: form)
      } catch {
        let depth = made.count == 1 ? "" : "for \(format.rawValue), "
        throw SafelightError(.input, text.name, why: depth + error.why, remedy: "correct the kernel")
      }
    }
    return functions
  }

  private func function(_ constants: [ShaderAssembly.Constant]) -> FunctionForms {
    FunctionForms(
      name: "shader",
      body: [ShaderText(.userBegin)] + (declaresSource ? [] : [ShaderText(.window)]) + [text, ShaderText(.userEnd)],
      constants: constants, arguments: parameters.isEmpty ? [] : [.bytes(2)], twin: nil)
  }
}
