internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// The function of a pass, or of a group, for textures of certain formats: both of its forms, and its twin.
struct PassProgram: Hashable, Sendable {
  /// The passes; their uniforms and resources play no part.
  let group: PassGroup
  /// The formats of the inputs.
  let inputs: [PixelFormat]
  /// The format of the texture that is made.
  let output: PixelFormat
  /// The depth of the samples of the kernel's picture, which the body calls `SAMPLE_BITS`.
  let depth: SampleDepth
  /// False if all textures hold whole pictures.
  let hasRegions: Bool

  static func == (one: PassProgram, other: PassProgram) -> Bool { one.key == other.key }
  func hash(into hasher: inout Hasher) { hasher.combine(key) }

  private struct PassKey: Hashable {
    let function: AnyHashable
    let names: [String]
    let footprints: [Footprint]
    let edges: [ImageEdgeMode]
    let hasUniforms: Bool
  }

  private struct Key: Hashable {
    let passes: [PassKey]
    let inputs: [PixelFormat]
    let output: PixelFormat
    let depth: SampleDepth
    let hasRegions: Bool
  }

  private var key: Key {
    let passes = group.passes.map { pass in
      PassKey(
        function: AnyHashable(pass.function), names: pass.inputs.map(\.name), footprints: pass.inputs.map(\.footprint),
        edges: pass.inputs.map(\.edge), hasUniforms: !pass.uniforms.isEmpty)
    }
    return Key(passes: passes, inputs: inputs, output: output, depth: depth, hasRegions: hasRegions)
  }

  /// Both forms, made at first use.
  var forms: FunctionForms {
    functionForms.value(self) {
      // Those of several passes stand around their bodies.
      var constants = group.next.isEmpty ? group.first.function.constants : []
      constants.append(.init("SAMPLE_BITS", depth.rawValue))
      var wrappers: (ShaderSource, ShaderSource?) = (.passCompute, .passFragment)
      if case .runs(let axis, let length) = group.first.function.kind {
        wrappers = (.runCompute, nil)
        constants += [.init("SAFELIGHT_RUN_LENGTH", length), .init("SAFELIGHT_RUN_IS_COLUMN", axis == .column)]
      }
      return FunctionForms(
        name: group.name, body: [declarations] + group.body(samplesPerPixel: output.samplesPerPixel),
        constants: constants, inputs: inputs.indices.map { .sampledTexture(Self.index(ofInput: $0)) },
        arguments: group.blocks.map { .bytes($0.binding) } + (hasRegions ? [.bytes(3)] : []),
        twin: group.passes.allSatisfy(\.function.hasTwin) ? ShaderTwin { try run($0) } : nil, wrappers: wrappers)
    }
  }

  /// The texture index of an input: 1 is the destination of a compute function.
  static func index(ofInput number: Int) -> Int { number == 0 ? 0 : number + 1 }

  /// The GLSL by which the body reads its inputs.
  private var declarations: ShaderText {
    var lines = [
      "#define SAFELIGHT_REGIONS \(hasRegions ? inputs.count + 1 : 0)",
      "#define SAFELIGHT_OUTPUT_IS_NORMALIZED \(output.sampleKind == .normalized ? 1 : 0)",
      "#define SAFELIGHT_OUTPUT_FORMAT \(output.samplesPerPixel == 1 ? "r" : "rgba")\(output.bytesPerSample * 8)ui",
      "#include \"\(ShaderSource.inputs.rawValue)\"",
    ]
    let isRun = group.first.function.kind != .pixels
    if isRun { lines.append("void store(ivec2 position, uvec4 pixel);") }
    let names = group.passes.enumerated().flatMap { number, pass in
      number == 0 ? pass.inputs.map(\.name) : pass.inputs.dropFirst().map { PassGroup.name($0.name, number) }
    }
    for (number, input) in group.inputs.enumerated() {
      let (name, texture) = (names[number], "safelight_input\(number)")
      let type = inputs[number].sampleKind == .normalized ? "sampler2D" : "usampler2D"
      lines.append("layout(binding = \(Self.index(ofInput: number))) uniform \(type) \(texture);")
      if input.footprint == .whole {
        lines.append("uvec4 \(name)(ivec2 position) { return fetchPixel(\(texture), position); }")
        continue
      }
      lines += [
        "uvec4 \(name)(ivec2 position) { return safelight_read\(input.edge == .zero ? "Inside" : "")(\(texture), "
          + "\(number + 1), position); }"
      ]
      if !isRun { lines.append("uvec4 \(name)(int x, int y) { return \(name)(pixelPosition() + ivec2(x, y)); }") }
    }
    let first = group.first.inputs[0]
    if !isRun {
      lines.append("#define SAFELIGHT_PIXEL \(first.footprint.isInPlace ? "\(first.name)(0, 0)" : "uvec4(0u)")")
    }
    return ShaderText(name: "inputs of \(group.name)", contents: lines.joined(separator: "\n"))
  }
}

// MARK: The twin

extension PassProgram {
  /// The textures of a call: that which is made, then the inputs.
  private func textures(_ arguments: TwinArguments) -> [TextureMemory] {
    [arguments.target] + inputs.indices.map { arguments.texture(Self.index(ofInput: $0)) }
  }

  /// The part of its picture that each texture holds, and the size of the picture; nil if a block says so with too few
  /// words.
  private func places(_ arguments: TwinArguments) -> [(held: Region, size: Size)]? {
    let textures = textures(arguments)
    guard hasRegions else { return textures.map { (Region(size: $0.size), $0.size) } }
    let words = arguments.words(3).map { Int(Int32(bitPattern: $0)) }
    guard words.count == 4 * textures.count else { return nil }
    return textures.enumerated().map { number, texture in
      let place = words[4 * number..<4 * number + 4].map { $0 }
      return (Region(x: place[0], y: place[1], size: texture.size), Size(place[2], place[3]))
    }
  }

  /// The sizes of the pictures of a call: that which is made, then the inputs.
  func sizes(_ arguments: TwinArguments) -> [Size]? { places(arguments)?.map(\.size) }

  /// Runs the twin, on several threads.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if the textures do not hold what the function reads, as a capture may
  ///   say, but no recording does.
  private func run(_ arguments: TwinArguments) throws(SafelightError) {
    let textures = textures(arguments)
    guard let places = places(arguments) else { throw refusal("the block of its regions has another length") }
    let isFormat = zip(textures, [output] + inputs).allSatisfy { $0.pixelFormat == $1 }
    guard isFormat else { throw refusal("a texture has another format") }
    guard places.allSatisfy({ $0.held.isInside($0.size) }) else { throw refusal("a texture lies outside its picture") }
    let made = places[0].held
    for (input, place) in zip(group.inputs, places.dropFirst()) {
      let needed = input.footprint.needed(for: made, in: place.size)
      guard !needed.size.isEmpty, place.held.contains(needed) else { throw refusal("\(input.name) holds too little") }
    }
    let blocks = group.passes.enumerated().map { number, pass in
      pass.uniforms.isEmpty ? [] : arguments.words(PassGroup.binding(ofBlock: number))
    }
    unsafe Self.withSamples(of: textures[...], after: []) { samples in
      let pictures = textures.indices.map { number in
        unsafe PictureMemory(
          places[number].held, of: places[number].size, textures[number].pixelFormat, samples[number])
      }
      let memory = PassMemory(
        region: made, output: pictures[0], inputs: Array(pictures.dropFirst()), uniforms: [])
      RowBands(made.y..<made.y + made.size.height, width: made.size.width).concurrently { _, rows in
        group.make(memory.cut(to: rows), blocks: blocks)
      }
    }
  }

  private func refusal(_ why: String) -> SafelightError {
    SafelightError(
      .input, group.name, why: why, remedy: "replay it on a device with OpenGL ES, or capture again")
  }

  /// Calls `body` with the samples of each texture, the first of which is written.
  static func withSamples(
    of textures: ArraySlice<TextureMemory>, after found: [UnsafeMutableRawPointer],
    _ body: ([UnsafeMutableRawPointer]) -> Void
  ) {
    guard let texture = textures.first else { return unsafe body(found) }
    func next(_ samples: UnsafeMutableRawPointer?) {
      guard let samples = unsafe samples else { trap("a texture of \(texture.size) has no samples") }
      unsafe withSamples(of: textures.dropFirst(), after: found + [samples], body)
    }
    if unsafe found.isEmpty {
      unsafe texture.withMutableSamples(of: UInt8.self) {
        unsafe next($0.baseAddress.map { UnsafeMutableRawPointer($0) })
      }
    } else {
      unsafe texture.withSamples(of: UInt8.self) {
        unsafe next($0.baseAddress.map { unsafe UnsafeMutableRawPointer(mutating: $0) })
      }
    }
  }
}
