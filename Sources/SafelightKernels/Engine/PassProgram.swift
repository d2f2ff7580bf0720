internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// The function of a pass, or of a group, for memory of certain kinds: both of its pipelines, and its twin.
struct PassProgram: Hashable, Sendable {
  /// A texture of a format, or a buffer of so many words, at one binding of the function.
  enum Slot: Hashable, Sendable {
    case texture(PixelFormat)
    case words(Int)

    init(_ shape: PassPlan.Shape, isNumbers: Bool) {
      self = isNumbers ? .words(shape.size.width) : .texture(shape.pixelFormat)
    }
  }

  /// The passes; their uniforms and resources play no part.
  private(set) var group: PassGroup
  let inputs: [Slot]
  let output: Slot
  /// The depth of the samples of the kernel's picture, which the body calls `SAMPLE_BITS`.
  let depth: SampleDepth
  /// False if all textures hold whole pictures.
  let hasRegions: Bool
  /// The pixels that threads visit, for numbers.
  private(set) var visit = Pass.Visit.columns
  /// True if textures are loaded as images where their formats allow, not fetched.
  private(set) var loads = false

  static func == (one: PassProgram, other: PassProgram) -> Bool { one.key == other.key }
  func hash(into hasher: inout Hasher) { hasher.combine(key) }

  private struct PassKey: Hashable {
    let function: AnyHashable
    let names: [String]
    let footprints: [Footprint]
    let edges: [ImageEdgeMode]
    let wordCounts: [Int?]
    let hasUniforms: Bool
  }

  private struct Key: Hashable {
    let passes: [PassKey]
    let inputs: [Slot]
    let output: Slot
    let isComputed: Bool
    let numbers: [Pass.Numbers]
    let depth: SampleDepth
    let hasRegions: Bool
    let visit: Pass.Visit
    let loads: Bool
  }

  private var key: Key {
    let passes = group.passes.map { pass in
      PassKey(
        function: AnyHashable(pass.function), names: pass.inputs.map(\.name), footprints: pass.inputs.map(\.footprint),
        edges: pass.inputs.map(\.edge), wordCounts: pass.inputs.map(\.wordCount), hasUniforms: !pass.uniforms.isEmpty)
    }
    return Key(
      passes: passes, inputs: inputs, output: output, isComputed: isComputed, numbers: numbers, depth: depth,
      hasRegions: hasRegions, visit: visit, loads: loads)
  }

  /// True if the function has no render pipeline.
  private var isComputed: Bool { group.output.resource.isHeldWhole || inputs.contains(where: \.isWords) }

  /// True if the function is another package's.
  private var isForeign: Bool { group.first.function.builtIn == nil }

  /// The rules of the words that are made.
  var numbers: [Pass.Numbers] { if case .numbers(_, let numbers) = group.output.target { numbers } else { [] } }

  /// Returns the program whose functions are the fastest on a device; `haveImages` is false if it reads a texture of
  /// which OpenGL ES has no image.
  func variant(on device: Device, haveImages: Bool = true) -> PassProgram {
    let (info, limit) = (device.info, device.capabilities.render.fragmentStorageTextures)
    var program = self
    program.loads = haveImages && info.fetchesSlowly && canLoad && inputs.count <= limit
    program.group = group.mapping { $0.builtIn?.variant(on: info) ?? $0 }
    if case .numbers(let visit) = program.group.first.kind {
      program.visit = visit != .automatic ? visit : info.isSoftware ? .lanes : .columns
    }
    return program
  }

  /// True if some textures can be loaded as images. Every device has four, one of which may be the destination; a
  /// user's shader, which has no twin, fetches from its texture itself.
  private var canLoad: Bool {
    inputs.count <= 3 && inputs.indices.contains(where: isLoadable) && !(inputs + [output]).contains(where: \.isFloat)
      && hasTwin
  }
  private var hasTwin: Bool { group.passes.allSatisfy { $0.function.builtIn?.hasTwin ?? true } }

  /// The programs that make the same on one device or another.
  var variants: [PassProgram] {
    (canLoad ? [false, true] : [false]).flatMap { loads in
      var program = self
      program.loads = loads
      return program.variantsOfFunction
    }
  }

  private var variantsOfFunction: [PassProgram] {
    guard group.next.isEmpty else { return [self] }
    let functions = group.first.function.builtIn?.variantsAsAny ?? [group.first.function]
    return functions.flatMap { function in
      var program = self
      program.group = group.mapping { _ in function }
      guard case .numbers(let visit) = program.group.first.kind else { return [program] }
      return (visit == .automatic ? [.columns, .lanes] : [visit]).map { visit in
        program.visit = visit
        return program
      }
    }
  }

  /// Both pipelines, made at first use.
  var pipelines: FunctionPipelines {
    functionPipelines.value(self) {
      // Those of several passes stand around their bodies.
      var constants = group.next.isEmpty ? group.first.function.constants : []
      constants.append(.init("SAMPLE_BITS", depth.rawValue))
      if (inputs + [output]).contains(where: \.isFloat) { constants.append(.init("SAFELIGHT_IS_FLOAT", true)) }
      var wrappers: (ShaderSource, ShaderSource?) = (.passCompute, .passFragment)
      switch group.first.kind {
      case .pixels:
        if isComputed { wrappers.1 = nil }
      case .runs(let axis, let length):
        wrappers = (.runCompute, nil)
        constants += [.init("SAFELIGHT_RUN_LENGTH", length), .init("SAFELIGHT_RUN_IS_COLUMN", axis == .column)]
      case .numbers:
        wrappers = (.numbersCompute, nil)
        constants.append(.init("SAFELIGHT_VISITS_LANES", visit == .lanes))
      case .threadgroups: wrappers = (.threadgroupsCompute, nil)
      case .copy: trap("\(group.name) is a command that copies; it has no function")
      }
      let reads = inputs.indices.map { number in
        switch inputs[number] {
        case .texture where isLoaded(number): ShaderArgument.loadedTexture(Self.index(ofInput: number))
        case .texture: ShaderArgument.sampledTexture(Self.index(ofInput: number))
        case .words: ShaderArgument.readBuffer(index(ofWords: number))
        }
      }
      return FunctionPipelines(
        name: group.name, body: [declarations] + group.body(samplesPerPixel: samplesPerPixel), constants: constants,
        inputs: reads, output: output.isWords ? .storageBuffer(1) : .storageTexture(1),
        arguments: group.blocks.map { .bytes($0.binding) } + (hasRegions ? [.bytes(3)] : []),
        twin: hasTwin ? ShaderTwin { try run($0) } : nil,
        wrappers: wrappers)
    }
  }

  private var samplesPerPixel: Int { if case .texture(let format) = output { format.samplesPerPixel } else { 4 } }

  /// The texture index of an input: 1 is the destination of a compute function.
  static func index(ofInput number: Int) -> Int { number == 0 ? 0 : number + 1 }

  /// The buffer index of an input of words. OpenGL ES 3.1 has four buffers; 1 is what is made, and 2 and 3 may be taken
  /// by the blocks of uniforms and regions.
  func index(ofWords number: Int) -> Int {
    let free = [0, hasRegions ? nil : 3, group.first.uniforms.isEmpty ? 2 : nil].compactMap { $0 }
    let place = inputs[..<number].count(where: \.isWords)
    trap(unless: place < free.count, "\(group.name) reads more numbers than there are buffers")
    return free[place]
  }

  /// The GLSL by which the body reads its inputs and hands on what it makes.
  private var declarations: ShaderText {
    let kind = group.first.kind
    var lines = ["#define SAFELIGHT_REGIONS \(hasRegions ? inputs.count + 2 : 0)"]
    if case .texture(let format) = output {
      lines += [
        "#define SAFELIGHT_OUTPUT_IS_NORMALIZED \(format.sampleKind == .normalized ? 1 : 0)",
        "#define SAFELIGHT_OUTPUT_FORMAT \(format.samplesPerPixel == 1 ? "r" : "rgba")\(format.bytesPerSample * 8)"
          + (output.isFloat ? "f" : "ui"),
      ]
      if output.isFloat { lines.append("#define SAFELIGHT_OUTPUT_IS_FLOAT") }
    }
    lines.append("#include \"\(ShaderSource.inputs.rawValue)\"")
    if case .texture(let format) = output, isForeign, format.bytesPerSample < 4 {
      lines.append("#define SAFELIGHT_LARGEST \(format.bytesPerSample == 1 ? 255 : 65535)u")
    }
    if case .words(let count) = output {
      lines += ["#define SAFELIGHT_WORDS \(count)u", "#include \"\(ShaderSource.numbers.rawValue)\""]
    }
    if inputs.contains(where: \.isWords) { lines.append("#include \"\(ShaderSource.grid.rawValue)\"") }
    if kind.storesByCalls && !output.isWords { lines.append("void store(ivec2 position, uvec4 pixel);") }
    let names = group.passes.enumerated().flatMap { number, pass in
      number == 0 ? pass.inputs.map(\.name) : pass.inputs.dropFirst().map { PassGroup.name($0.name, number) }
    }
    for (number, input) in group.inputs.enumerated() {
      switch inputs[number] {
      case .words: lines += wordLines(names[number], number)
      case .texture(let format): lines += textureLines(names[number], number, input, format)
      }
    }
    let first = group.first.inputs[0]
    if !kind.storesByCalls {
      lines.append("#define SAFELIGHT_PIXEL \(first.footprint.isInPlace ? "\(first.name)(0, 0)" : "uvec4(0u)")")
    }
    return ShaderText(name: "inputs of \(group.name)", contents: lines.joined(separator: "\n"))
  }

  private func wordLines(_ name: String, _ number: Int) -> [String] {
    let (index, words) = (index(ofWords: number), "safelight_words\(number)")
    var bound = ""
    if isForeign, case .words(let count) = inputs[number] { bound = "word >= \(count)u ? 0u : " }
    return [
      "layout(std430, binding = \(index)) readonly buffer safelight_Words\(number) { uint \(words)[]; };",
      "uint \(name)(uint word) { return \(bound)\(words)[safelight_bufferOffsets[\(index)] + word]; }",
    ]
  }

  private func isLoaded(_ number: Int) -> Bool { loads && isLoadable(number) }

  /// True for a texture of which an image shows the integers that a fetch makes.
  private func isLoadable(_ number: Int) -> Bool {
    switch inputs[number] {
    case .texture(.rgba8Unorm), .texture(.bgra8Unorm): depth == .bits8
    case .texture(.rgba16Uint), .texture(.r32Uint), .texture(.rgba32Uint): true
    case .texture, .words: false
    }
  }

  private func textureLines(_ name: String, _ number: Int, _ input: Pass.Input, _ format: PixelFormat) -> [String] {
    let (texture, binding) = ("safelight_input\(number)", "binding = \(Self.index(ofInput: number))")
    var lines: [String]
    let textureSize: String
    let fetched: (_ position: String) -> String
    if isLoaded(number) {
      lines = ["layout(\(binding), \(format.storageFormat)) readonly uniform uimage2D \(texture);"]
      textureSize = "imageSize(\(texture))"
      fetched = { "imageLoad(\(texture), \($0))" }
    } else {
      let type = format.sampleKind == .integer ? "usampler2D" : "sampler2D"
      lines = ["layout(\(binding)) uniform \(type) \(texture);"]
      textureSize = "textureSize(\(texture), 0)"
      fetched = { "fetchPixel(\(texture), \($0))" }
    }
    if number == 0 && output.isWords {
      lines += [
        "#define SAFELIGHT_VISITED SAFELIGHT_AREA(\(textureSize))",
        "bool isVisited(ivec2 position) {",
        "  return safelight_isInside(position - SAFELIGHT_VISITED.xy, SAFELIGHT_VISITED.zw);", "}",
      ]
    }
    if let count = input.wordCount {
      let entry = fetched("ivec2(int(word) % \(textureSize).x, int(word) / \(textureSize).x)")
      lines += [
        "uint \(name)(uint word) {", "  if (word >= \(count)u) return 0u;", "  uvec4 entry = \(entry);",
        "  return entry.r | entry.g << 16;", "}",
      ]
      return lines
    }
    let (first, size) = ("SAFELIGHT_FIRST(\(number + 1))", "SAFELIGHT_SIZE(\(textureSize), \(number + 1))")
    let nearest = fetched("clamp(position, ivec2(0), \(size) - 1) - \(first)")
    let read =
      switch input.footprint.extent {
      case .whole: fetched("position")
      // Never beyond the edges.
      case .pixel, .placed, .padded, .warped, .cell, .containingCell: fetched("position - \(first)")
      default: input.edge == .zero ? "(safelight_isInside(position, \(size)) ? \(nearest) : uvec4(0u))" : nearest
      }
    // The authors of other packages need not tell gray from colors.
    let isWidened = isForeign && format.samplesPerPixel == 1
    lines.append("uvec4 \(name)(ivec2 position) { return \(isWidened ? "uvec4(\(read).rrr, MAXIMUM)" : read); }")
    if input.footprint == .whole { return lines }
    if !group.first.kind.storesByCalls {
      lines.append("uvec4 \(name)(int x, int y) { return \(name)(pixelPosition() + ivec2(x, y)); }")
    }
    return lines
  }
}

extension PassProgram.Slot {
  var isWords: Bool { if case .words = self { true } else { false } }
  var isFloat: Bool { if case .texture(let format) = self { format.sampleKind == .float } else { false } }
}

extension Pass.Kind {
  /// True if a body names the positions that it makes.
  fileprivate var storesByCalls: Bool {
    switch self {
    case .pixels, .numbers, .copy: false
    case .runs, .threadgroups: true
    }
  }
}

extension BuiltInPassFunction {
  fileprivate var variantsAsAny: [any PassFunction] { variants }
}

extension PassProgram {
  /// The grid of a dispatch that makes so many pixels, or numbers of them.
  func grid(making size: Size, threadgroups: Size) -> FunctionPipelines.Grid {
    switch group.first.kind {
    case .pixels: .threads(size)
    case .runs(.row, let length): .threads(Size((size.width + length - 1) / length, size.height))
    case .runs(.column, let length): .threads(Size(size.width, (size.height + length - 1) / length))
    case .threadgroups: .threadgroups(threadgroups, of: 64)
    case .copy: .threads(Size(0, 0))
    case .numbers:
      if visit == .lanes {
        .threadgroups(Size(1, Self.threadgroupsOfLanes(for: size)), of: 8)
      } else {
        .threadgroups(size.dividedCovering(Size(64, 64)), of: 64)
      }
    }
  }

  /// The threadgroups among which the rows are divided: few, since each hands on all of its numbers.
  ///
  /// Driver workaround "loop limit": llvmpipe (Mesa 22.3) leaves every loop of an invocation after 65535 rounds in all,
  /// without an error, and numbers are lost: rounds of columns and rows, and at most 2048 over counts. Shown by
  /// ImageHistogramDeviceTests.moreRoundsThanADriverLoops; can go when no llvmpipe has the limit.
  private static func threadgroupsOfLanes(for size: Size) -> Int {
    let columns = (size.width + 7) / 8
    let rows = max(1, min(63000 / (columns + 1), (size.height + 7) / 8))
    return (size.height + rows - 1) / rows
  }
}
