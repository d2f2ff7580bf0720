import SafelightGPU
import SafelightImage
import TestSupport
import Testing

extension SIMD4<UInt8> {
  static let red = SIMD4<UInt8>(255, 0, 0, 255)
  static let green = SIMD4<UInt8>(0, 255, 0, 255)
  static let blue = SIMD4<UInt8>(0, 0, 255, 255)
  static let black = SIMD4<UInt8>(0, 0, 0, 255)
}

extension [Corner] {
  /// A front-facing triangle over the whole target at one depth.
  static func sheet(_ z: Float, _ color: SIMD4<UInt8>) -> [Corner] {
    [Corner(-1, 3, z, color), Corner(3, -1, z, color), Corner(-1, -1, z, color)]
  }

  /// A back-facing triangle over the whole target at one depth.
  static func backSheet(_ z: Float, _ color: SIMD4<UInt8>) -> [Corner] { sheet(z, color).reversed() }
}

/// Pipelines that draw at depths, and functions that read them.
enum DepthDrawing {
  /// A pipeline of ``Corner``s for one color attachment and one texture of `format`.
  static func descriptor(
    _ format: PixelFormat, samples: Int = 1, fragment: ShaderFunction = DrawingFunctions.flatColor
  ) -> RenderPipelineDescriptor {
    var descriptor = DrawingFunctions.descriptor(DrawingFunctions.flat, fragment, samples: samples)
    descriptor.depthAttachmentPixelFormat = format.hasDepth ? format : nil
    descriptor.stencilAttachmentPixelFormat = format.hasStencil ? format : nil
    return descriptor
  }

  static func texture(_ device: Device, _ size: Size, _ format: PixelFormat, samples: Int = 1) throws -> Texture {
    let descriptor = TextureDescriptor(samples > 1 ? .type2DMultisample : .type2D, size, format, samples: samples)
    return try device.makeTexture(descriptor, label: format.rawValue)
  }

  /// Returns depths or stencils as words: bits of floats, steps of fixed point, or stencil values; of `image` if the
  /// texture is an array.
  static func reading(_ format: PixelFormat, _ image: TextureImage? = nil) -> ShaderFunction {
    let (kind, fetch) =
      image.map { ("2DArray", "texelFetch(source, ivec3(place, \($0.slice)), \($0.level)).r") }
      ?? ("2D", "texelFetch(source, place, 0).r")
    let (type, value) =
      switch format {
      case .depth16Unorm: ("sampler\(kind)", "uint(\(fetch) * 65535.0 + 0.5)")
      case .stencil8: ("usampler\(kind)", fetch)
      default: ("sampler\(kind)", "floatBitsToUint(\(fetch))")
      }
    return ShaderFunction(
      "reading",
      """
      layout(binding = 0) uniform highp \(type) source;
      layout(location = 0) out uvec4 color;
      void main() {
        ivec2 place = ivec2(gl_FragCoord.xy);
        color = uvec4(\(value), 0u, 0u, 0u);
      }
      """, arguments: [.sampledTexture(0)],
      twin: ShaderTwin(fragment: { fragment in
        let texture = fragment.arguments.texture(0).image(level: image?.level ?? 0, slice: image?.slice ?? 0)
        let value = texture.texel(Int(fragment.position.x), Int(fragment.position.y)).x
        var output = FragmentOutput()
        let word =
          switch format {
          case .depth16Unorm: UInt32(value * 65535 + 0.5)
          case .stencil8: UInt32(value)
          default: value.bitPattern
          }
        output[integer: 0] = SIMD4(word, 0, 0, 0)
        return output
      }))
  }
}

extension RenderCommandEncoder {
  /// Sets the tests of the draws that follow.
  func test(_ device: Device, _ body: (inout DepthStencilDescriptor) -> Void) {
    var descriptor = DepthStencilDescriptor()
    body(&descriptor)
    setDepthStencilState(device.makeDepthStencilState(descriptor))
  }

  /// Sets the usual test: nearer pixels win.
  func testNearer(_ device: Device) {
    test(device) {
      $0.depthCompareFunction = .less
      $0.isDepthWriteEnabled = true
    }
  }
}

extension RenderPassDescriptor {
  /// A pass into an image of `texture`, whose depths or stencils, whichever it has, are cleared and kept.
  init(
    _ colors: [ColorAttachment] = [], clearing texture: Texture, _ image: TextureImage = TextureImage(),
    depth: Double = 1, stencil: UInt32 = 0
  ) {
    var depths = DepthAttachment(texture: texture, storeAction: .store, clearDepth: depth)
    var stencils = StencilAttachment(texture: texture, storeAction: .store, clearStencil: stencil)
    (depths.image, stencils.image) = (image, image)
    let format = texture.pixelFormat
    self.init(
      colorAttachments: colors, depthAttachment: format.hasDepth ? depths : nil,
      stencilAttachment: format.hasStencil ? stencils : nil)
  }
}

extension CommandBuffer {
  /// Draws the depths or stencils of `texture`, or of an `image` of an array, into a texture of words and reads those.
  func words(_ texture: Texture, _ device: Device, image: TextureImage? = nil) throws -> Readback {
    let target = try device.makeTexture(texture.descriptor.size(atLevel: image?.level ?? 0), .r32Uint)
    let pipeline = try device.makeRenderPipelineState(fullScreen: DepthDrawing.reading(texture.pixelFormat, image))
    render(RenderPassDescriptor(texture: target), pipeline) { $0.setFragmentTexture(texture, index: 0) }
    return blit { $0.read(target) }
  }
}

extension Device {
  /// Draws at depths into a black target; expects that the twins draw the same, and returns the colors. Devices round
  /// depths of slopes differently: pass false as `comparesDepths` then.
  @discardableResult
  func deep(
    _ size: Size = Size(4, 4), _ format: PixelFormat, samples: Int = 1, clearDepth: Double = 1,
    clearStencil: UInt32 = 0, fragment: ShaderFunction = DrawingFunctions.flatColor, comparesDepths: Bool = true,
    at location: SourceLocation = #_sourceLocation, _ body: (RenderCommandEncoder) throws -> Void
  ) throws -> [UInt8] {
    let texture = try DepthDrawing.texture(self, size, format, samples: samples)
    let target = try DepthDrawing.texture(self, size, .rgba8Unorm, samples: samples)
    let resolved = samples > 1 ? try makeTexture(size, .rgba8Unorm) : target
    let color = RenderPassDescriptor.ColorAttachment(
      texture: target, loadAction: .clear(0, 0, 0, 1), storeAction: samples > 1 ? .multisampleResolve : .store,
      resolveTexture: samples > 1 ? resolved : nil)
    let pass = RenderPassDescriptor([color], clearing: texture, depth: clearDepth, stencil: clearStencil)
    let buffer = makeCommandQueue().makeCommandBuffer(label: "deep")
    let pipeline = try makeRenderPipelineState(DepthDrawing.descriptor(format, samples: samples, fragment: fragment))
    try buffer.render(pass, with: pipeline, body)
    let colors = buffer.blit { $0.read(resolved) }
    let words = samples == 1 && comparesDepths ? try buffer.words(texture, self) : nil
    try buffer.finish()
    let painted = try colors.contents()
    let twin = try Device.open(.cpu).replay(buffer.recording)
    #expect(twin.contents(of: colors) == painted, "the twins draw other colors", sourceLocation: location)
    if let words {
      #expect(
        try twin.contents(of: words)?.words(UInt32.self) == words.contents().words(UInt32.self),
        "the twins leave other depths or stencils", sourceLocation: location)
    }
    return painted
  }

  /// Returns the one color of all pixels after `body`.
  func deepColor(
    _ format: PixelFormat, samples: Int = 1, clearDepth: Double = 1, clearStencil: UInt32 = 0,
    fragment: ShaderFunction = DrawingFunctions.flatColor, comparesDepths: Bool = true,
    at location: SourceLocation = #_sourceLocation,
    _ body: (RenderCommandEncoder) throws -> Void
  ) throws -> SIMD4<UInt8>? {
    let painted = try deep(
      Size(3, 2), format, samples: samples, clearDepth: clearDepth, clearStencil: clearStencil, fragment: fragment,
      comparesDepths: comparesDepths, at: location, body)
    let first = painted.pixel(0, 0, width: 3)
    #expect(painted == (0..<6).flatMap { _ in first }, "not one color", sourceLocation: location)
    return SIMD4(first[0], first[1], first[2], first[3])
  }
}
