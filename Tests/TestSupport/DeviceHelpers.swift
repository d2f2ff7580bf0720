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

extension CommandBuffer {
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

  /// Records a render pass of one draw of the first `vertexCount` corners; of none where `pipeline` is nil.
  package func render(_ pass: RenderPassDescriptor, _ pipeline: RenderPipelineState?, vertexCount: Int = 4) {
    let encoder = makeRenderCommandEncoder(pass)
    if let pipeline {
      encoder.setRenderPipelineState(pipeline)
      encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: vertexCount)
    }
    encoder.endEncoding()
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
