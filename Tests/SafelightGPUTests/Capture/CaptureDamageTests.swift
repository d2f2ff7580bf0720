import Foundation
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// A capture that contradicts itself is an error, and never stops the process.
@Suite struct CaptureDamageTests {
  private static let function = ShaderFunction(
    "store",
    """
    #include "Common/compute.glsl"
    layout(binding = 0) uniform sampler2D source;
    layout(rgba8ui, binding = 1) writeonly uniform uimage2D target;
    layout(std430, binding = 2) buffer Data { uint data[]; };
    layout(std140, binding = 3) uniform Numbers { uvec4 numbers; };
    void main() {
      data[0] = numbers.x;
      imageStore(target, ivec2(0), uvec4(texelFetch(source, ivec2(0), 0)));
    }
    """, arguments: [.sampledTexture(0), .storageTexture(1), .storageBuffer(2), .bytes(3)], twin: ShaderTwin { _ in })

  /// A command buffer with a command of nearly every kind.
  private func capture() throws -> Capture {
    let collector = CaptureCollector()
    let device = try Device.open(.cpu, options: DeviceOptions(capture: collector))
    let (source, target) = (
      try device.makeTexture(TextureDescriptor(Size(4, 4), .rgba8Unorm, mipmapped: true)),
      try device.makeTexture(Size(4, 4), .rgba8Unorm)
    )
    let (data, other) = (try device.makeBuffer(length: 128), try device.makeBuffer(length: 64))
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "b")
    buffer.blit { blit in
      blit.write([UInt8](repeating: 3, count: 64), to: target)
      blit.fill(data, range: 0..<12, value: 1)
      blit.write([1, 2, 3, 4], to: data, offset: 4)
      blit.copy(from: data, range: 0..<16, to: other, offset: 8)
      blit.copy(from: target, to: source, destinationImage: TextureImage())
      blit.copy(from: data, bytesPerRow: 16, to: target)
      blit.copy(from: target, to: data, bytesPerRow: 16)
      blit.generateMipmaps(for: source)
      _ = blit.read(target)
      _ = blit.read(data, range: 4..<20)
      blit.synchronize(data)
    }
    buffer.compute(ComputePipelineState(Self.function)) { compute in
      compute.setTexture(source.makeTextureView(levels: 1..<2), index: 0)
      compute.setTexture(target, index: 1)
      compute.setBuffer(data, offset: 8, index: 2)
      compute.setBytes(SIMD4<UInt32>(1, 2, 3, 4), index: 3)
      compute.dispatchThreads(Size(4, 4), threadsPerThreadgroup: Size(2, 2))
      compute.dispatchThreadgroups(indirectBuffer: other, threadsPerThreadgroup: Size(2, 2))
    }
    buffer.render(RenderPassDescriptor(texture: target, loadAction: .clear(0, 0, 0, 1)))
    let pipeline = try RenderPipelineState(Self.pipeline)
    buffer.render(RenderPassDescriptor(texture: target, loadAction: .load)) { render in
      render.setRenderPipelineState(pipeline)
      render.setVertexBuffer(data, index: 0)
      render.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
    }
    try buffer.finish()
    return try #require(collector.captures.first)
  }

  private static let vertex = ShaderFunction(
    "corner", "in vec2 place; void main() { gl_Position = vec4(place, 0.0, 1.0); }", arguments: [],
    twin: ShaderTwin(vertex: { _ in VertexOutput(position: SIMD4(0, 0, 0, 1)) }))
  private static let fragment = ShaderFunction(
    "white", "out vec4 color; void main() { color = vec4(1.0); }", arguments: [],
    twin: ShaderTwin(fragment: { _ in FragmentOutput(SIMD4(1, 1, 1, 1)) }))

  private static let pipeline = {
    var descriptor = RenderPipelineDescriptor(vertex: vertex, fragment: fragment, pixelFormats: .rgba8Unorm)
    descriptor.vertexDescriptor = VertexDescriptor(
      attributes: [0: VertexDescriptor.Attribute(format: .float2)], layouts: [0: VertexDescriptor.Layout(stride: 8)])
    return descriptor
  }()

  private let twins = TwinLibrary(Self.vertex, Self.fragment, Self.function)

  @Test func aSoundOneReplays() throws {
    let outputs = try capture().replay(on: .open(.cpu), twins: twins)
    #expect(!outputs.isEmpty && outputs.allSatisfy { $0.difference == nil })
  }

  typealias Mutation = @Sendable (inout CaptureManifest) -> Void

  /// Changes the first command with this member.
  private static func change<Value>(
    _ member: any WritableKeyPath<CapturedCommand, Value?> & Sendable, _ body: @escaping @Sendable (inout Value) -> Void
  ) -> Mutation {
    { manifest in
      guard let place = manifest.commands.firstIndex(where: { $0[keyPath: member] != nil }),
        var value = manifest.commands[place][keyPath: member]
      else { return }
      body(&value)
      manifest.commands[place][keyPath: member] = value
    }
  }

  /// Changes the view, which is the last texture.
  private static func view(_ body: @escaping @Sendable (inout CaptureManifest.Texture) -> Void) -> Mutation {
    { manifest in
      guard var view = manifest.textures.popLast() else { return }
      body(&view)
      manifest.textures.append(view)
    }
  }

  /// Changes the draw.
  private static func draw(_ body: @escaping @Sendable (inout CapturedCommand.Draw) -> Void) -> Mutation {
    change(\.draw, body)
  }

  private static func depth(_ name: String, clear: Double = 1) -> CapturedCommand.DepthStencil {
    CapturedCommand.DepthStencil(
      texture: name, image: TextureImage(), loadAction: .clear, storeAction: .store, clear: clear)
  }

  private static func depth(of pass: CapturedCommand.Pass, clear: Double = 1) -> CapturedCommand.DepthStencil {
    depth(pass.attachments[0].texture, clear: clear)
  }

  static let damages: [(String, Mutation)] = [
    ("a depth bias of no number", draw { $0.state.depthBias = DepthBias(bias: .nan, slopeScale: 0, clamp: 0) }),
    ("an infinite depth bias", draw { $0.state.depthBias = DepthBias(bias: 0, slopeScale: .infinity, clamp: 0) }),
    ("threadgroup memory of 20 bytes", change(\.dispatch) { $0.threadgroupMemoryLengths = [0: 20] }),
    ("no size", { $0.textures[0].descriptor.size = Size(0, 4) }),
    ("huge size", { $0.textures[0].descriptor.size = Size(.max, .max) }),
    ("levels", { $0.textures[0].descriptor.mipmapLevelCount = 9 }),
    ("negative levels", { $0.textures[0].descriptor.mipmapLevelCount = -1 }),
    ("samples", { $0.textures[0].descriptor.sampleCount = 3 }),
    ("swizzle", { $0.textures[0].descriptor.swizzle = [] }),
    ("unknown parent", view { $0.parent = "nobody" }),
    ("view levels", view { $0.levels?.count = .max }),
    ("view slices", view { $0.slices?.first = -1 }),
    ("view type", view { $0.descriptor.textureType = .typeCube }),
    ("view format", view { $0.descriptor.pixelFormat = .r8Unorm }),
    ("two of a name", { $0.textures.append($0.textures[0]) }),
    ("buffer length", { $0.buffers[0].length = 0 }),
    ("negative buffer", { $0.buffers[0].length = -5 }),
    ("shorter buffer", { $0.buffers[0].length = 8 }),
    ("readback length", { $0.readbacks[0].length = -1 }),
    ("shorter readback", { $0.readbacks[0].length = 3 }),
    ("argument", { $0.functions[0].arguments[0].index = -4 }),
    ("argument not bound", { $0.functions[0].arguments[0].index = 5 }),
    ("no text", { $0.functions[0].text = "functions/none" }),
    ("no command", { $0.commands[0].pushDebugGroup = nil }),
    ("two commands", { $0.commands[0].popDebugGroup = true }),
    ("open group", { $0.commands.removeLast() }),
    ("group too often closed", { $0.commands.insert($0.commands[$0.commands.count - 1], at: 0) }),
    ("upload outside", change(\.upload) { $0.region.x = 1 }),
    ("upload far outside", change(\.upload) { $0.region.x = .max }),
    ("upload far too large", change(\.upload) { $0.region.size = Size(.max, .max) }),
    ("upload empty", change(\.upload) { $0.region.size.width = 0 }),
    ("upload format", change(\.upload) { $0.pixelFormat = .r16Uint }),
    ("upload image", change(\.upload) { $0.image.level = 7 }),
    ("upload slice", change(\.upload) { $0.image.slice = .max }),
    ("upload length", change(\.upload) { $0.pixels.length = 5 }),
    ("upload bytes", change(\.upload) { $0.pixels.blob = "inputs/none" }),
    ("invalid words", change(\.writeBuffer) { $0.bytes.words = "1 two" }),
    ("write outside", change(\.writeBuffer) { $0.offset = 126 }),
    ("write far outside", change(\.writeBuffer) { $0.offset = .max }),
    ("fill outside", change(\.fillBuffer) { $0.length = .max }),
    ("fill before", change(\.fillBuffer) { $0.offset = -4 }),
    ("copy outside", change(\.copyBuffer) { $0.offset = 60 }),
    ("copy of itself", change(\.copyBuffer) { $0.destination = $0.source }),
    ("texture copy outside", change(\.copyTexture) { $0.x = 3 }),
    ("texture copy of itself", change(\.copyTexture) { $0.destination = $0.source }),
    ("rows too short", change(\.copyBufferToTexture) { $0.bytesPerRow = 4 }),
    ("rows too long", change(\.copyBufferToTexture) { $0.bytesPerRow = .max }),
    ("offset in a pixel", change(\.copyTextureToBuffer) { $0.offset = 2 }),
    ("mipmaps of nothing", change(\.generateMipmaps) { $0 = "texture-9" }),
    ("read outside", change(\.readTexture) { $0.region.y = -1 }),
    ("read far behind", change(\.readTexture) { $0.offset = .max }),
    ("read in rows too long", change(\.readTexture) { $0.bytesPerRow = .max }),
    ("read into nothing", change(\.readTexture) { $0.readback = "" }),
    ("read too much", change(\.readBuffer) { $0.length = 17 }),
    ("synchronize nothing", change(\.synchronize) { $0 = "" }),
    ("binding offset", change(\.dispatch) { $0.bindings.buffers[2]?.offset = 6 }),
    ("binding far outside", change(\.dispatch) { $0.bindings.buffers[2]?.offset = 128 }),
    ("too many bytes", change(\.dispatch) { $0.bindings.bytes[3]?.length = 1 << 40 }),
    ("reads and stores", change(\.dispatch) { $0.bindings.textures[0] = $0.bindings.textures[1] }),
    ("no threads", change(\.dispatch) { $0.threads = Size(0, 1) }),
    ("negative group", change(\.dispatch) { $0.threadsPerThreadgroup.width = -2 }),
    ("no function", change(\.dispatch) { $0.function = "function-9" }),
    ("load action", change(\.clear) { $0.attachments[0].loadAction = "perhaps" }),
    ("clear color", change(\.clear) { $0.attachments[0].color = [1] }),
    ("no attachment", change(\.clear) { $0.attachments = [] }),
    ("attachment image", change(\.clear) { $0.attachments[0].image.level = 3 }),
    ("resolve to nothing", change(\.clear) { $0.attachments[0].storeAction = .multisampleResolve }),
    ("a color as depth", change(\.clear) { $0.depth = depth(of: $0) }),
    ("a depth that is not there", change(\.clear) { $0.depth = depth("texture-9") }),
    ("a stencil that is no number", change(\.clear) { $0.stencil = depth(of: $0, clear: -1) }),
    ("depths as colors", { $0.textures[0].descriptor.pixelFormat = .depth32Float }),
    ("depths of a pipeline", { $0.renderPipelines[0].depthAttachmentPixelFormat = .depth16Unorm }),
    ("visibility buffer", change(\.clear) { $0.visibilityResultBuffer = "buffer-9" }),
    ("attribute index", { $0.renderPipelines[0].vertexDescriptor.attributes[0].bufferIndex = 16 }),
    ("attribute offset", { $0.renderPipelines[0].vertexDescriptor.attributes[0].offset = -1 }),
    ("stride", { $0.renderPipelines[0].vertexDescriptor.layouts[0].stride = 0 }),
    ("step rate", { $0.renderPipelines[0].vertexDescriptor.layouts[0].stepRate = .max }),
    ("samples of a pipeline", { $0.renderPipelines[0].rasterSampleCount = 0 }),
    ("no vertex function", { $0.renderPipelines[0].vertexFunction = "" }),
    ("no pipeline", draw { $0.pipeline = "" }),
    ("vertex buffer not bound", draw { $0.vertexBindings.buffers = [:] }),
    ("vertex buffer offset", draw { $0.vertexBindings.buffers[0]?.offset = -4 }),
    ("no corners", draw { $0.vertices.count = 0 }),
    ("corners without end", draw { $0.vertices.count = .max }),
    ("corners beyond the buffer", draw { $0.vertices.count = 1000 }),
    ("base vertex", draw { $0.vertices.baseVertex = .min }),
    ("indices of no type", draw { $0.vertices.indices = $0.vertexBindings.buffers[0] }),
    ("a type of no indices", draw { $0.vertices.indexType = .uint16 }),
    (
      "indices beyond the buffer",
      draw {
        $0.vertices.indices = $0.vertexBindings.buffers[0]
        $0.vertices.indexType = .uint32
        $0.vertices.count = 1 << 20
      }
    ),
    (
      "arguments beyond the buffer",
      draw {
        $0.vertices.indirect = $0.vertexBindings.buffers[0]
        $0.vertices.indirect?.offset = 1 << 40
      }
    ),
    ("no instances", draw { $0.instances.count = 0 }),
    ("instances without end", draw { $0.instances.first = .max }),
    ("viewport", draw { $0.state.viewport = Viewport(originX: 0.5, originY: 0, width: 1, height: 1) }),
    (
      "viewport of depths beyond one",
      draw { $0.state.viewport = Viewport(originX: 0, originY: 0, width: 1, height: 1, zfar: 1.5) }
    ),
    ("huge viewport", draw { $0.state.viewport = Viewport(originX: 0, originY: 0, width: 1e18, height: 1) }),
    ("scissor", draw { $0.state.scissor = Region(x: 3, y: 0, width: 2, height: 1) }),
    ("scissor far out", draw { $0.state.scissor = Region(x: .max, y: 0, width: 2, height: 1) }),
    ("visibility without a buffer", draw { $0.state.visibilityOffset = 8 }),
    ("output image", { $0.outputs[0].image = TextureImage(level: 40) }),
    ("viewport beyond 31 bits", draw { $0.state.viewport = Viewport(originX: 0, originY: 0, width: 3e9, height: 1) }),
    ("instances beyond 31 bits", draw { $0.instances.first = 1 << 31 }),
    ("corners beyond 31 bits", draw { $0.vertices.start = 1 << 31 }),
    (
      "base vertex beyond 31 bits",
      draw {
        $0.vertices.indices = $0.vertexBindings.buffers[0]
        $0.vertices.indexType = .uint32
        $0.vertices.baseVertex = 1 << 31
      }
    ),
    (
      "output that nothing writes",
      { manifest in
        var output = manifest.outputs[0]
        manifest.textures.append(manifest.textures[0])
        manifest.textures[manifest.textures.count - 1].name = "blank"
        output.name = "blank"
        output.resource = "blank"
        output.image = TextureImage()
        output.bytes = CaptureManifest.Bytes(length: 64)
        manifest.outputs.append(output)
      }
    ),
    (
      "buffer that nothing writes",
      { manifest in
        manifest.buffers.append(
          CaptureManifest.Buffer(name: "blank", label: "blank", length: 4, storageMode: .private))
        manifest.outputs.append(
          CaptureManifest.Contents(name: "blank", resource: "blank", bytes: CaptureManifest.Bytes(length: 4)))
      }
    ),
    ("output of nothing", { $0.outputs[0].resource = "texture-9" }),
    ("output listed twice", { $0.outputs.append($0.outputs[0]) }),
    ("output length", { $0.outputs[0].bytes.length = 1 }),
  ]

  @Test(arguments: damages.map(\.0))
  func damageIsAnErrorOfTheInput(_ name: String) throws {
    let damage = try #require(Self.damages.first { $0.0 == name })
    var capture = try capture()
    let sound = capture.manifest
    damage.1(&capture.manifest)
    try #require(capture.manifest != sound, "nothing was damaged")
    let error = #expect(throws: SafelightError.self) { try capture.replay(on: .open(.cpu), twins: twins) }
    #expect([.input, .limit, .usage].contains(error?.kind), "\(String(describing: error))")
  }

  /// An index that both functions use must mean the same, as encoders require.
  @Test func aVolumeHasNoMipmapsToGenerate() throws {
    let collector = CaptureCollector()
    let device = try Device.open(.cpu, options: DeviceOptions(capture: collector))
    let texture = try device.makeTexture(TextureDescriptor(Size(4, 4), .rgba8Unorm, mipmapped: true))
    try device.blit {
      $0.write([UInt8](repeating: 3, count: 64), to: texture)
      $0.generateMipmaps(for: texture)
    }
    var capture = try #require(collector.captures.first)
    capture.manifest.textures[0].descriptor.textureType = .type3D
    capture.manifest.textures[0].descriptor.depth = 4
    #expect(throws: SafelightError.self) { try capture.replay(on: .open(.cpu)) }
  }

  @Test func tablesMustAgree() throws {
    var capture = try capture()
    let bytes = capture.manifest.functions.flatMap(\.arguments).filter { $0.kind == .bytes && $0.index == 3 }
    try #require(bytes.count == 1)
    for function in capture.manifest.functions.indices where capture.manifest.functions[function].stage != .compute {
      capture.manifest.functions[function].arguments = bytes
    }
    let place = try #require(capture.manifest.commands.firstIndex { $0.draw != nil })
    func replay(_ vertex: String, _ fragment: String) throws {
      capture.manifest.commands[place].draw?.vertexBindings.bytes[3] = CaptureManifest.Bytes(length: 4, words: vertex)
      capture.manifest.commands[place].draw?.bindings.bytes[3] = CaptureManifest.Bytes(length: 4, words: fragment)
      _ = try CaptureReplay(capture, device: Device.open(.cpu), twins: twins)
    }
    #expect(throws: Never.self) { try replay("7", "7") }
    expectError(.input, why: .containing("both use bytes(3)")) { try replay("7", "8") }
  }

  /// Nothing is made of a capture that needs too much memory, and the error states the numbers.
  @Test func whatTakesTooMuchIsRefusedFirst() throws {
    let sound = try capture()
    func refusal(_ limit: Int = 1 << 34, _ damage: (inout CaptureManifest) -> Void) -> SafelightError? {
      var capture = sound
      damage(&capture.manifest)
      return #expect(throws: SafelightError.self) {
        try CaptureReplay(capture, device: Device.open(.cpu), twins: twins, byteLimit: limit)
      }
    }
    let many = refusal { manifest in
      for number in 0..<5 {
        manifest.buffers.append(
          CaptureManifest.Buffer(name: "more \(number)", label: "", length: 1 << 32, storageMode: .private))
      }
    }
    #expect(many?.kind == .limit && many?.why.hasSuffix("the limit is 17179869184") == true)
    #expect(refusal { $0.readbacks[0].length = .max }?.kind == .limit)
    #expect(refusal { $0.readbacks[0].length = 1 << 35 }?.why.contains("its resources take 34359") == true)
    let huge = refusal {
      $0.textures[0].descriptor.size = Size(1 << 20, 1 << 20)
      $0.textures[0].descriptor.arrayLength = 1 << 20
    }
    #expect(huge?.kind == .limit)
    // Zeros take no byte in the capture, whatever their number.
    let zeros = CaptureManifest.Bytes(length: 1 << 35)
    let listings: [Mutation] = [
      Self.change(\.upload) { $0.pixels = zeros }, Self.change(\.writeBuffer) { $0.bytes = zeros },
      { $0.outputs[0].bytes = zeros },
    ]
    for damage in listings {
      #expect(refusal { damage(&$0) }?.why.contains("its resources take 34359") == true)
    }
    #expect(refusal(100) { _ in }?.why.contains("the limit is 100") == true)
  }

  /// Indirect grids read 12 bytes.
  @Test func anIndirectGridLiesWithinItsBuffer() throws {
    var capture = try capture()
    let place = try #require(capture.manifest.commands.firstIndex { $0.dispatch?.indirect != nil })
    for offset in [2, 56, 64, -4, Int.max - 3] {
      capture.manifest.commands[place].dispatch?.indirect?.offset = offset
      expectError(.input) { try CaptureReplay(capture, device: Device.open(.cpu), twins: twins) }
    }
  }

  /// Parts of a descriptor have indices from 0 to 30, in captures too.
  @Test(arguments: [("0", true), ("30", true), ("31", false), ("-1", false), ("9223372036854775807", false)])
  func attributesHaveIndices(_ index: String, _ isSound: Bool) throws {
    let text = #"{"attributes": {"\#(index)": {"offset": 0, "bufferIndex": 0}}, "layouts": {}}"#
    let read = try? JSONDecoder().decode(VertexDescriptor.self, from: Data(text.utf8))
    #expect((read != nil) == isSound)
  }
}
