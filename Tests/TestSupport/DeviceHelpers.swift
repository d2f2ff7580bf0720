package import SafelightGPU
package import SafelightImage
import SafelightShaders

extension Device {
  /// Records with `body`, commits and waits; returns what `body` returned.
  package func run<Result>(_ body: (CommandBuffer) throws -> Result) throws -> Result {
    let buffer = makeCommandQueue().makeCommandBuffer(label: "test")
    let result = try body(buffer)
    buffer.commit()
    try buffer.waitUntilCompleted()
    return result
  }

  /// All bytes of an image of `texture`.
  package func contents(of texture: Texture, image: TextureImage = TextureImage()) throws -> [UInt8] {
    try run { $0.blit { $0.read(texture, image: image) } }.contents()
  }

  /// All bytes of `buffer`.
  package func contents(of buffer: Buffer) throws -> [UInt8] {
    try run { $0.blit { $0.read(buffer, range: 0..<buffer.length) } }.contents()
  }
}

/// Runs `body` and lets go of everything in it.
package func scope(_ body: () throws -> Void) rethrows { try body() }

extension Device {
  /// Runs one dispatch of `threads` of `function`, with what `bind` sets.
  package func dispatch(
    _ function: ShaderFunction, _ threads: Size, group: Size = Size(8, 8), fileID: StaticString = #fileID,
    line: Int = #line, _ bind: (ComputeCommandEncoder) throws -> Void = { _ in }
  ) throws {
    let pipeline = try makeComputePipelineState(function, threadsPerThreadgroup: group)
    try run { buffer in
      try buffer.compute { encoder in
        encoder.setComputePipelineState(pipeline)
        try bind(encoder)
        encoder.dispatchThreads(threads, threadsPerThreadgroup: group, fileID: fileID, line: line)
      }
    }
  }
}

extension CommandBuffer {
  /// Commits it and waits.
  package func finish() throws {
    commit()
    try waitUntilCompleted()
  }

  /// Records one list of copies.
  package func blit<Result>(_ body: (BlitCommandEncoder) throws -> Result) rethrows -> Result {
    let encoder = makeBlitCommandEncoder()
    defer { encoder.endEncoding() }
    return try body(encoder)
  }

  /// Records one list of compute commands.
  package func compute<Result>(_ body: (ComputeCommandEncoder) throws -> Result) rethrows -> Result {
    let encoder = makeComputeCommandEncoder()
    defer { encoder.endEncoding() }
    return try body(encoder)
  }

  /// Records a render pass: what `body` records, and then, unless `pipeline` is nil, one draw of the first
  /// `vertexCount` corners of the full-screen strip.
  package func render(
    _ pass: RenderPassDescriptor, _ pipeline: RenderPipelineState? = nil, vertexCount: Int = 4,
    fileID: StaticString = #fileID, line: Int = #line, _ body: (RenderCommandEncoder) throws -> Void
  ) rethrows {
    let encoder = makeRenderCommandEncoder(pass)
    defer { encoder.endEncoding() }
    if let pipeline { encoder.setRenderPipelineState(pipeline) }
    try body(encoder)
    guard pipeline != nil else { return }
    encoder.drawPrimitives(
      .triangleStrip, vertexStart: 0, vertexCount: vertexCount, fileID: fileID, line: line)
  }

  /// Records a render pass of that draw alone, or of none.
  package func render(_ pass: RenderPassDescriptor, _ pipeline: RenderPipelineState? = nil, vertexCount: Int = 4) {
    render(pass, pipeline, vertexCount: vertexCount) { _ in }
  }
}

extension Array where Element == UInt8 {
  /// The bytes as words of the host's order.
  package func words<Word: FixedWidthInteger & BitwiseCopyable>(_ type: Word.Type) -> [Word] {
    withUnsafeBytes { Array<Word>($0.bindMemory(to: type)) }
  }
}

extension Device {
  /// Whether textures of `format` can be made here and read back.
  package func canRead(_ format: PixelFormat) -> Bool {
    switch format.sampleKind {
    case .float: capabilities.features.contains(.floatRenderTargets)
    case .normalized: format.bytesPerSample == 1 || capabilities.features.contains(.normalized16)
    case .integer: true
    case .depth, .stencil: false
    }
  }
}

extension TextureDescriptor {
  /// Describes a texture of several images, planes or samples.
  package init(
    _ type: TextureType, _ size: Size, _ format: PixelFormat, length: Int = 1, depth: Int = 1, levels: Int = 1,
    samples: Int = 1
  ) {
    self.init(size, format)
    (textureType, arrayLength, self.depth, mipmapLevelCount, sampleCount) = (type, length, depth, levels, samples)
  }
}

extension ShaderFunction {
  /// Makes a function of one text, or of a twin alone.
  package init(
    _ name: String, _ text: String? = nil, arguments: [ShaderArgument]? = nil, twin: ShaderTwin? = nil,
    functionType: FunctionType? = nil
  ) {
    self.init(
      name: name, assembly: ShaderAssembly(texts: text.map { [$0] } ?? []), arguments: arguments, twin: twin,
      functionType: functionType)
  }
}
