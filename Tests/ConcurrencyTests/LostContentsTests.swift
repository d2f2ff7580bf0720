import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// Which recordings may be tried again on a new context: those that need nothing of the old one.
@Suite struct LostContentsTests {
  private let device: Device
  private let picture = SyntheticImage.flat.image(Size(4, 4), channels: .rgba, depth: .bits8)
  private let texture: Texture
  private let target: Texture
  private let bytes: Buffer

  init() throws {
    device = try Device.open(.cpu)
    texture = try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "texture")
    target = try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "target")
    bytes = try device.makeBuffer(length: 16, label: "bytes")
  }

  private func needed(_ record: (CommandBuffer) throws -> Void) rethrows -> [String] {
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    try record(buffer)
    let all: Set = [texture.lifetime.id, target.lifetime.id, bytes.lifetime.id]
    return buffer.recording.neededContents(among: all).map(\.label)
  }

  private func blit(_ buffer: CommandBuffer, _ record: (BlitCommandEncoder) -> Void) { buffer.blit { record($0) } }

  private func compute(_ buffer: CommandBuffer, _ arguments: [ShaderArgument], uniforms: Int? = nil) {
    let encoder = buffer.makeComputeCommandEncoder()
    if let uniforms { encoder.setBytes(UInt32(0), index: uniforms) }
    encoder.setTexture(texture, index: 0)
    encoder.setTexture(target, index: 1)
    encoder.setBuffer(bytes, index: 2)
    encoder.setComputePipelineState(SwiftFunctions.pipeline(arguments: arguments) {})
    encoder.dispatchThreads(Size(4, 4), threadsPerThreadgroup: Size(4, 4))
    encoder.endEncoding()
  }

  private func draw(
    _ buffer: CommandBuffer, _ load: RenderPassDescriptor.LoadAction, _ texts: [String] = [], scissor: Region? = nil
  ) {
    let encoder = buffer.makeRenderCommandEncoder(RenderPassDescriptor(texture: target, loadAction: load))
    if let scissor { encoder.setScissorRect(scissor) }
    encoder.setFragmentTexture(texture, index: 0)
    encoder.setRenderPipelineState(
      RenderPipelineState(
        fullScreen: ShaderFunction(name: "f", assembly: ShaderAssembly(texts: texts), arguments: [.sampledTexture(0)])))
    encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
    encoder.endEncoding()
  }

  @Test func whatIsWrittenWhollyFirstIsNotNeeded() {
    let names = needed { buffer in
      blit(buffer) {
        $0.copy(from: picture, to: texture)
        $0.fill(bytes, range: 0..<16, value: 0)
      }
      compute(buffer, [.sampledTexture(0), .storageBuffer(2)])
      draw(buffer, .clear(0, 0, 0, 0))
      blit(buffer) { _ = $0.read(target) }
      blit(buffer) { _ = $0.read(bytes, range: 0..<16) }
    }
    #expect(names == [])
  }

  @Test func whatIsReadFirstIsNeededAndNamedOnce() {
    #expect(needed { compute($0, [.sampledTexture(0), .storageBuffer(2)]) } == ["texture", "bytes"])
    #expect(needed { compute($0, [.readBuffer(2)]) } == ["bytes"])
    #expect(needed { draw($0, .load) } == ["texture", "target"])
    #expect(needed { draw($0, .dontCare) } == ["texture"])
    let names = needed { buffer in
      blit(buffer) {
        _ = $0.read(texture)
        _ = $0.read(texture)
        _ = $0.read(bytes, range: 0..<4)
        $0.copy(from: picture, to: texture)
      }
    }
    #expect(names == ["texture", "bytes"])
  }

  /// A function that reads the target needs it without a load action, but not what a clear writes over.
  @Test func whatAFunctionFetchesIsNeeded() {
    let text = """
      #extension GL_EXT_shader_framebuffer_fetch : require
      layout(binding = 0) uniform highp sampler2D source;
      layout(location = 0) inout highp vec4 color;
      void main() { color *= texelFetch(source, ivec2(0), 0); }
      """
    #expect(needed { draw($0, .dontCare, [text]) } == ["texture", "target"])
    #expect(needed { draw($0, .clear(0, 0, 0, 0), [text]) } == ["texture"])
  }

  @Test func aPartWrittenDoesNotSaveTheRest() {
    let names = needed { buffer in
      blit(buffer) {
        $0.copy(from: picture, region: Region(x: 0, y: 0, width: 4, height: 3), to: texture)
        $0.fill(bytes, range: 0..<15, value: 0)
        _ = $0.read(texture)
        _ = $0.read(bytes, range: 0..<1)
      }
    }
    #expect(names == ["texture", "bytes"])
    #expect(needed { blit($0) { $0.write([1, 2], to: bytes, offset: 3) } } == [])
    let written = needed { buffer in
      blit(buffer) {
        $0.write([UInt8](repeating: 1, count: 16), to: bytes)
        _ = $0.read(bytes, range: 0..<1)
      }
    }
    #expect(written == [])
  }

  /// Nobody knows whether a compute function writes every pixel.
  @Test func aStoreOfAComputeFunctionIsNoWholeWrite() {
    let names = needed { buffer in
      compute(buffer, [.storageTexture(1)])
      blit(buffer) { _ = $0.read(target) }
    }
    #expect(names == ["target"])
  }

  /// What was erased holds zeros, which every new context has; until somebody writes.
  @Test func erasedContentsAreNotLost() {
    var residents = ResidentSet()
    func recording(_ record: (BlitCommandEncoder) -> Void) -> Recording {
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      blit(buffer, record)
      return buffer.recording
    }
    let reading = recording { _ = $0.read(bytes, range: 0..<4) }
    func lostAfter(_ recordings: Recording...) -> [String] {
      residents = ResidentSet()
      residents.begin(reading)
      residents.settle(bytes.lifetime.id)
      residents.begin(reading)
      residents.erased(bytes.lifetime.id)
      for recording in recordings { residents.begin(recording) }
      residents.loseAll()
      return residents.takeLost(neededBy: reading)
    }
    #expect(lostAfter() == [])
    let writing = recording { $0.fill(bytes, range: 0..<4, value: 1) }
    let other = recording { $0.copy(from: picture, to: texture) }
    #expect(lostAfter(other) == [])
    #expect(lostAfter(writing) == [], "the very work that writes it begins anew with zeros")
    #expect(lostAfter(writing, other) == ["bytes"])
  }

  /// A block of uniforms may lie in a buffer; bytes in its place need none.
  @Test func aBufferOfUniformsIsNeeded() {
    #expect(needed { compute($0, [.bytes(2)]) } == ["bytes"])
    #expect(needed { compute($0, [.bytes(2), .readBuffer(2)]) } == ["bytes"])
    #expect(needed { compute($0, [.bytes(3)], uniforms: 3) } == [])
  }

  /// What a view shows is its parent's, and is lost with it.
  @Test func aViewNeedsItsParent() {
    let view = texture.makeTextureView(label: "view")
    #expect(needed { buffer in blit(buffer) { _ = $0.read(view) } } == ["texture"])
    let names = needed { buffer in
      blit(buffer) {
        $0.copy(from: picture, to: view)
        _ = $0.read(texture)
      }
    }
    #expect(names == ["texture"], "a view may show a part")
  }

  /// Every pixel of a target without a load action is to be painted: earlier ones are nobody's.
  @Test func aTargetThatIsNotLoadedIsNotNeededLater() {
    for load in [RenderPassDescriptor.LoadAction.dontCare, .clear(0, 0, 0, 0)] {
      let names = needed { buffer in
        draw(buffer, load, scissor: Region(x: 0, y: 0, width: 1, height: 1))
        blit(buffer) { _ = $0.read(target) }
      }
      #expect(names == ["texture"], "\(load)")
    }
  }
}
