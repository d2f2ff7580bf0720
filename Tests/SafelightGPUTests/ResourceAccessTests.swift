import SafelightGLES
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// The uses of resources by commands, on which barriers, captures and lost contents depend.
@Suite struct ResourceAccessTests {
  private let device: Device
  private let texture: Texture
  private let target: Texture
  private let mipmapped: Texture
  private let bytes: Buffer
  private let other: Buffer

  init() throws {
    device = try Device.open(.cpu)
    texture = try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "texture")
    target = try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "target")
    mipmapped = try device.makeTexture(
      TextureDescriptor(Size(4, 4), .rgba8Unorm, mipmapped: true), label: "mipmapped")
    bytes = try device.makeBuffer(length: 64, label: "bytes")
    other = try device.makeBuffer(length: 64, label: "other")
  }

  private func words(_ command: Command) -> [String] {
    command.accesses.map { "\($0.resource.label): \($0.kind), \($0.access)" }
  }

  /// The accesses of all commands that `record` records, except debug groups of encoders.
  private func words(_ record: (CommandBuffer) throws -> Void) rethrows -> [[String]] {
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    try record(buffer)
    return buffer.recording.commands.map { words($0.command) }.filter { !$0.isEmpty }
  }

  @Test func copiesReadAndWrite() {
    let corner = Region(x: 0, y: 0, width: 2, height: 2)
    let picture = SyntheticImage.flat.image(Size(4, 4), channels: .rgba, depth: .bits8)
    let said = words {
      $0.blit {
        $0.copy(from: picture, to: texture)
        $0.copy(from: picture, region: corner, to: texture)
        $0.copy(from: texture, to: target)
        $0.copy(from: texture, region: corner, to: target, x: 1, y: 1)
        $0.generateMipmaps(for: mipmapped)
        $0.write([1, 2], to: bytes)
        $0.fill(bytes, range: 0..<64, value: 0)
        $0.copy(from: bytes, range: 0..<8, to: other, offset: 0)
        _ = $0.read(bytes, range: 0..<8)
        _ = $0.read(texture)
      }
    }
    #expect(
      said == [
        ["texture: replacement, textureUpdate"], ["texture: write, textureUpdate"],
        ["texture: read, textureCopy", "target: replacement, textureCopy"],
        ["texture: read, textureCopy", "target: write, textureCopy"],
        ["mipmapped: read, sampledTexture", "mipmapped: write, renderTarget"], ["bytes: write, bufferUpdate"],
        ["bytes: replacement, bufferUpdate"], ["bytes: read, bufferRead", "other: write, bufferUpdate"],
        ["bytes: read, bufferRead"], ["texture: read, textureRead"],
      ])
  }

  /// A function may do anything with a buffer, and may store only parts of a texture.
  @Test func functionsTouchTheirArgumentsAlone() throws {
    let arguments: [ShaderArgument] = [
      .sampledTexture(0), .storageTexture(1), .storageBuffer(2), .bytes(3), .bytes(4), .readBuffer(5),
      .loadedTexture(2),
    ]
    let said = words { buffer in
      let encoder = buffer.makeComputeCommandEncoder()
      encoder.setTexture(texture.makeTextureView(label: "view"), index: 0)
      encoder.setTexture(target, index: 1)
      encoder.setTexture(mipmapped, index: 2)
      encoder.setBuffer(bytes, index: 2)
      encoder.setBuffer(other, index: 3)
      encoder.setBytes(UInt32(0), index: 4)
      for index in 5..<7 { encoder.setBuffer(other, index: index) }
      encoder.setComputePipelineState(SwiftFunctions.pipeline(arguments: arguments) {})
      encoder.dispatchThreadgroups(indirectBuffer: other, indirectBufferOffset: 0, threadsPerThreadgroup: Size(1, 1))
      encoder.endEncoding()
    }
    #expect(
      said == [
        [
          "other: read, indirectRead", "texture: read, sampledTexture", "target: write, storageTextureWrite",
          "bytes: change, storageBufferWrite", "other: read, uniformRead", "other: read, storageBufferRead",
          "mipmapped: read, loadedTexture",
        ]
      ])
  }

  private func pass(_ attachment: RenderPassDescriptor.ColorAttachment) -> RenderPassDescriptor {
    RenderPassDescriptor(colorAttachments: [attachment])
  }

  /// Only a clear certainly replaces all contents; a target without a load action is not read.
  @Test func passesBeginByTheirLoadAction() {
    let said: [([String], RenderPassDescriptor.LoadAction)] = [
      (["target: discard, renderTarget", "target: write, renderTarget"], .dontCare),
      (["target: change, renderTarget"], .load), (["target: replacement, renderTarget"], .clear(0, 0, 0, 0)),
    ]
    for (expected, load) in said {
      #expect(words(.clear(RenderPassDescriptor(texture: target, loadAction: load))) == expected)
    }
    var level = RenderPassDescriptor(texture: mipmapped, loadAction: .clear(0, 0, 0, 0))
    #expect(words(.clear(level)) == ["mipmapped: write, renderTarget"], "the other levels stay")
    level.loadAction = .dontCare
    #expect(
      words(.clear(level)) == ["mipmapped: write, renderTarget", "mipmapped: write, renderTarget"],
      "the other levels are still needed")
  }

  @Test func passesEndByTheirStoreAction() throws {
    let descriptor = TextureDescriptor(.type2DMultisample, Size(4, 4), .rgba8Unorm, samples: 4)
    let samples = try device.makeTexture(descriptor, label: "samples")
    typealias Attachment = RenderPassDescriptor.ColorAttachment
    #expect(words(.store(pass(Attachment(texture: target)))) == [])
    #expect(
      words(.store(pass(Attachment(texture: target, storeAction: .dontCare)))) == ["target: discard, renderTarget"])
    let resolve = Attachment(texture: samples, storeAction: .multisampleResolve, resolveTexture: target)
    #expect(
      words(.store(pass(resolve))) == [
        "samples: read, renderTarget", "target: replacement, renderTarget", "samples: discard, renderTarget",
      ])
    // One of several images is discarded; the others still count as outputs of a capture.
    #expect(
      words(.store(pass(Attachment(texture: mipmapped, storeAction: .dontCare)))) == ["mipmapped: write, renderTarget"])
  }

  /// The contents of a part of a texture that is not attached, or is loaded, are kept.
  @Test func depthsAndStencilsAreTouchedByTheirActions() throws {
    let depth = try device.makeTexture(Size(4, 4), .depth16Unorm, label: "depth")
    let both = try device.makeTexture(Size(4, 4), .depth32Float_stencil8, label: "both")
    typealias Action = RenderPassDescriptor.DepthStencilLoadAction
    func pass(_ texture: Texture, _ depth: Action, _ stencil: Action? = nil) -> RenderPassDescriptor {
      RenderPassDescriptor(
        colorAttachments: [], depthAttachment: .init(texture: texture, loadAction: depth),
        stencilAttachment: stencil.map { .init(texture: texture, loadAction: $0, storeAction: .dontCare) })
    }
    #expect(words(.clear(pass(depth, .clear))) == ["depth: replacement, renderTarget"])
    #expect(words(.clear(pass(depth, .load))) == ["depth: change, renderTarget"])
    #expect(words(.clear(pass(depth, .dontCare))) == ["depth: discard, renderTarget", "depth: write, renderTarget"])
    #expect(words(.clear(pass(both, .clear))) == ["both: write, renderTarget"])
    #expect(words(.clear(pass(both, .clear, .clear))) == ["both: replacement, renderTarget"])
    #expect(words(.clear(pass(both, .clear, .load))) == ["both: change, renderTarget"])
    #expect(words(.store(pass(depth, .clear))) == ["depth: discard, renderTarget"])
    #expect(words(.store(pass(both, .clear))) == [])
    #expect(words(.store(pass(both, .clear, .clear))) == ["both: discard, renderTarget"])
  }

  @Test func drawsReadTheirCornersAndAnswerVisibility() throws {
    let fragment = ShaderFunction("f", arguments: [.sampledTexture(0)])
    let vertex = ShaderFunction("v", arguments: [])
    var descriptor = RenderPipelineDescriptor(vertex: vertex, fragment: fragment)
    descriptor.colorAttachments = [ColorAttachmentState(pixelFormat: .rgba8Unorm)]
    descriptor.vertexDescriptor.attributes[0] = VertexDescriptor.Attribute(format: .float2, bufferIndex: 1)
    descriptor.vertexDescriptor.layouts[1] = VertexDescriptor.Layout(stride: 8)
    let pipeline = try RenderPipelineState(descriptor)
    let indices = try device.makeBuffer(length: 64, label: "indices")
    let arguments = try device.makeBuffer(length: 64, label: "arguments")
    let answers = try device.makeBuffer(length: 8, label: "answers")
    let said = words { buffer in
      var pass = RenderPassDescriptor(texture: target, loadAction: .load)
      pass.visibilityResultBuffer = answers
      let encoder = buffer.makeRenderCommandEncoder(pass)
      encoder.setRenderPipelineState(pipeline)
      encoder.setFragmentTexture(texture, index: 0)
      encoder.setVertexBuffer(bytes, index: 1)
      encoder.drawIndexedPrimitives(.triangle, indexType: .uint16, indexBuffer: indices, indirectBuffer: arguments)
      encoder.setVertexBytes([Float](repeating: 0, count: 8), index: 1)
      encoder.setVisibilityResultMode(.boolean, offset: 0)
      encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
      encoder.endEncoding()
    }
    #expect(
      said == [
        [
          "texture: read, sampledTexture", "bytes: read, vertexBufferRead", "indices: read, indexBufferRead",
          "arguments: read, indirectRead", "target: change, renderTarget",
        ],
        ["answers: replacement, bufferUpdate"],
        ["texture: read, sampledTexture", "answers: write, bufferUpdate", "target: change, renderTarget"],
      ])
  }
}
