package import SafelightGPU
package import SafelightImage
import SafelightShaders

extension Device {
  /// Records with `body`, commits and waits; returns what `body` returned.
  package func run<Result>(_ body: (CommandBuffer) throws -> Result) throws -> Result {
    let buffer = makeCommandQueue().makeCommandBuffer(label: "test")
    let result = try body(buffer)
    try buffer.finish()
    return result
  }

  /// All bytes of an image of `texture`.
  package func contents(of texture: Texture, image: TextureImage = TextureImage()) throws -> [UInt8] {
    try blit { $0.read(texture, image: image) }.contents()
  }

  /// All bytes of `buffer`.
  package func contents(of buffer: Buffer) throws -> [UInt8] {
    try blit { $0.read(buffer, range: 0..<buffer.length) }.contents()
  }

  /// Runs one list of copies.
  package func blit<Result>(_ body: (BlitCommandEncoder) throws -> Result) throws -> Result {
    try run { try $0.blit(body) }
  }

  /// Runs one render pass: what `body` records, and then, unless `pipeline` is nil, one draw of the first `vertexCount`
  /// corners of the full-screen strip.
  package func render(
    _ pass: RenderPassDescriptor, _ pipeline: RenderPipelineState? = nil, vertexCount: Int = 4,
    fileID: StaticString = #fileID, line: Int = #line, _ body: (RenderCommandEncoder) throws -> Void = { _ in }
  ) throws {
    try run { try $0.render(pass, pipeline, vertexCount: vertexCount, fileID: fileID, line: line, body) }
  }

  /// Runs one dispatch of `threads` of `function`, with what `bind` sets.
  package func dispatch(
    _ function: ShaderFunction, _ threads: Size, group: Size = Size(8, 8), fileID: StaticString = #fileID,
    line: Int = #line, _ bind: (ComputeCommandEncoder) throws -> Void = { _ in }
  ) throws {
    let pipeline = try makeComputePipelineState(function, threadsPerThreadgroup: group)
    try run { try $0.dispatch(pipeline, threads, group: group, fileID: fileID, line: line, bind) }
  }

  /// Makes a texture of these bytes.
  package func makeTexture(
    _ size: Size, _ format: PixelFormat, bytes: [UInt8], label: String = "bytes"
  ) throws -> Texture {
    let texture = try makeTexture(size, format, label: label)
    try texture.replace(region: texture.bounds, withBytes: bytes)
    return texture
  }

  /// Makes a texture of these pixels with an upload.
  package func makeTexture(of image: Image, label: String = "picture") throws -> Texture {
    let texture = try makeTexture(image.size, image.pixelFormat, label: label)
    try blit { $0.copy(from: image, to: texture) }
    return texture
  }
}

/// Runs `body` and lets go of everything in it.
package func scope(_ body: () throws -> Void) rethrows { try body() }

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

  /// Records one list of compute commands, at first with `pipeline`.
  package func compute<Result>(
    _ pipeline: ComputePipelineState? = nil, _ body: (ComputeCommandEncoder) throws -> Result
  ) rethrows -> Result {
    let encoder = makeComputeCommandEncoder()
    defer { encoder.endEncoding() }
    if let pipeline { encoder.setComputePipelineState(pipeline) }
    return try body(encoder)
  }

  /// Records one dispatch of `threads`, with what `bind` sets.
  package func dispatch(
    _ pipeline: ComputePipelineState, _ threads: Size, group: Size = Size(8, 8), fileID: StaticString = #fileID,
    line: Int = #line, _ bind: (ComputeCommandEncoder) throws -> Void = { _ in }
  ) rethrows {
    try compute(pipeline) { encoder in
      try bind(encoder)
      encoder.dispatchThreads(threads, threadsPerThreadgroup: group, fileID: fileID, line: line)
    }
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
    encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: vertexCount, fileID: fileID, line: line)
  }

  /// Records a render pass of the draws of `body`, at first with `pipeline`.
  package func render(
    _ pass: RenderPassDescriptor, with pipeline: RenderPipelineState, _ body: (RenderCommandEncoder) throws -> Void
  ) rethrows {
    try render(pass) { encoder in
      encoder.setRenderPipelineState(pipeline)
      try body(encoder)
    }
  }

  /// Records a render pass of that draw alone, or of none.
  package func render(_ pass: RenderPassDescriptor, _ pipeline: RenderPipelineState? = nil, vertexCount: Int = 4) {
    render(pass, pipeline, vertexCount: vertexCount) { _ in }
  }
}

extension Array where Element == UInt8 {
  /// So many bytes, hardly any equal to its neighbors; another seed gives others.
  package static func noise(_ count: Int, seed: Int = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: (($0 + seed) &* 0x9E37_79B1) >> 11) }
  }

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

extension ShaderTwin {
  /// Stores `value` of each place of the grid into texture `index`.
  package static func storing(
    _ index: Int, _ value: @escaping @Sendable (_ arguments: TwinArguments, _ x: Int, _ y: Int) -> SIMD4<Float>
  ) -> ShaderTwin {
    ShaderTwin { arguments in
      for y in 0..<arguments.grid.height {
        for x in 0..<arguments.grid.width { arguments.texture(index).setTexel(value(arguments, x, y), x, y) }
      }
    }
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
