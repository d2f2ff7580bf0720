import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Textures of depth and stencil, read by functions.
@Suite struct DepthTextureDeviceTests {
  static let formats = PixelFormat.allCases.filter { !$0.isColor }

  @Test func colorsAndOthersAreAllFormats() {
    #expect(Self.formats == [.depth16Unorm, .depth32Float, .stencil8, .depth32Float_stencil8])
    #expect(PixelFormat.colors.count + Self.formats.count == PixelFormat.allCases.count)
    #expect(Self.formats.map(\.bytesPerPixel) == [2, 4, 1, 8])
  }

  @Test(arguments: TestDevice.all, formats)
  func newOnesAreZeros(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(5, 3), format)
    let words = try device.run { try $0.words(texture, device) }
    #expect(try words.contents().words(UInt32.self) == [UInt32](repeating: 0, count: 15))
  }

  /// Four triangles with depths or stencils of their own, each in a quarter of the target.
  @Test(arguments: TestDevice.all, formats)
  func functionsReadWhatDrawsLeft(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(4, 4), format)
    let pipeline = try device.makeRenderPipelineState(DepthDrawing.descriptor(format))
    let pass = RenderPassDescriptor(
      [.init(texture: try device.makeTexture(Size(4, 4), .rgba8Unorm))], clearing: texture)
    let depths: [Float] = [0.125, 0.25, 0.5, 0.9375]
    let words = try device.run { buffer in
      buffer.render(pass, with: pipeline) { encoder in
        encoder.test(device) {
          $0.frontFaceStencil.depthStencilPassOperation = .replace
          $0.isDepthWriteEnabled = true
        }
        for (number, depth) in depths.enumerated() {
          encoder.setScissorRect(Region(x: 0, y: number, width: 4, height: 1))
          encoder.setStencilReferenceValue(UInt32(number * 60 + 3))
          encoder.draw(.sheet(depth, .red))
        }
      }
      return try buffer.words(texture, device)
    }
    let expected = depths.enumerated().flatMap { number, depth -> [UInt32] in
      let word =
        switch format {
        case .stencil8: UInt32(number * 60 + 3)
        case .depth16Unorm: UInt32((depth * 65535).rounded())
        default: depth.bitPattern
        }
      return [word, word, word, word]
    }
    #expect(try words.contents().words(UInt32.self) == expected)
  }

  /// A depth is read as red; the other components are 0, 0, 1.
  @Test(arguments: TestDevice.all)
  func aDepthIsRed(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(2, 2), .depth32Float_stencil8)
    let target = try device.makeTexture(Size(2, 2), .rgba8Unorm)
    try device.run { buffer in
      buffer.render(RenderPassDescriptor(clearing: texture, stencil: 255))
      let pipeline = try device.makeRenderPipelineState(fullScreen: Self.copying)
      buffer.render(RenderPassDescriptor(texture: target), pipeline) { $0.setFragmentTexture(texture, index: 0) }
    }
    #expect(try device.contents(of: target).pixel(1, 1, width: 2) == [255, 0, 0, 255])
  }

  static let copying = ShaderFunction(
    "copying",
    """
    layout(binding = 0) uniform highp sampler2D source;
    layout(location = 0) out vec4 color;
    void main() {
      vec4 texel = texelFetch(source, ivec2(gl_FragCoord.xy), 0);
      color = vec4(texel.r, texel.g == 0.0 ? 0.0 : 1.0, texel.ba);
    }
    """, arguments: [.sampledTexture(0)],
    twin: ShaderTwin(fragment: {
      var texel = $0.arguments.texture(0).texel(Int($0.position.x), Int($0.position.y))
      // As floats, stencils would be so small that they are black.
      texel.y = texel.y == 0 ? 0 : 1
      return FragmentOutput(texel)
    }))

  /// A texture of stencils reads stencils, not the depths beside them, with one or several samples a pixel.
  @Test(arguments: TestDevice.gles)
  func stencilsOfSamplesAreRead(_ test: TestDevice) throws {
    let device = try test.open()
    let samples = try DepthDrawing.texture(device, Size(2, 2), .stencil8, samples: 4)
    let target = try device.makeTexture(Size(2, 2), .r32Uint)
    try device.run { buffer in
      buffer.render(RenderPassDescriptor(clearing: samples, stencil: 77))
      let pipeline = try device.makeRenderPipelineState(fullScreen: Self.lastSample)
      buffer.render(RenderPassDescriptor(texture: target), pipeline) { $0.setFragmentTexture(samples, index: 0) }
    }
    #expect(try device.contents(of: target).words(UInt32.self) == [77, 77, 77, 77])
  }

  private static let lastSample = ShaderFunction(
    "lastSample",
    """
    layout(binding = 0) uniform highp usampler2DMS source;
    layout(location = 0) out uvec4 color;
    void main() { color = texelFetch(source, ivec2(gl_FragCoord.xy), 3); }
    """, arguments: [.sampledTexture(0)])

  /// Levels and slices are attached one at a time; a pool erases reused storage.
  @Test(arguments: TestDevice.all, formats)
  func everyImageIsATarget(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let array = try device.makeTexture(TextureDescriptor(.type2DArray, Size(4, 4), format, length: 2, levels: 2))
    let image = TextureImage(level: 1, slice: 1)
    let words = try device.run { buffer in
      let color = RenderPassDescriptor.ColorAttachment(texture: try device.makeTexture(Size(2, 2), .rgba8Unorm))
      buffer.render(RenderPassDescriptor([color], clearing: array, image, stencil: 1))
      let places = [(0, 0), (1, 0), (0, 1), (1, 1)]
      let images = try places.map { try buffer.words(array, device, image: TextureImage(level: $0, slice: $1)) }
      guard device.capabilities.features.contains(.textureViews) else { return [images] }
      let views = try places.map { level, slice in
        let view = array.makeTextureView(textureType: .type2D, levels: level..<level + 1, slices: slice..<slice + 1)
        return try buffer.words(view, device)
      }
      return [images, views]
    }
    let one: UInt32 = format == .stencil8 ? 1 : format == .depth16Unorm ? 65535 : Float(1).bitPattern
    for (number, readback) in words.flatMap({ $0.enumerated() }) {
      #expect(Set(try readback.contents().words(UInt32.self)) == [number == 3 ? one : 0], "image \(number)")
    }
  }
}
