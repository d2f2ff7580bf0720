import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// A corner with a depth: a position in Metal's clip space and a color of bytes.
struct DeepCorner: BitwiseCopyable {
  var x, y, z: Float
  var color: SIMD4<UInt8>

  init(_ x: Float, _ y: Float, _ z: Float, _ color: SIMD4<UInt8>) {
    (self.x, self.y, self.z, self.color) = (x, y, z, color)
  }

  static let descriptor = VertexDescriptor(
    attributes: [
      0: VertexDescriptor.Attribute(format: .float3),
      1: VertexDescriptor.Attribute(format: .uchar4Normalized, offset: 12),
    ], layouts: [0: VertexDescriptor.Layout(stride: 16)])
}

extension SIMD4<UInt8> {
  static let red = SIMD4<UInt8>(255, 0, 0, 255)
  static let green = SIMD4<UInt8>(0, 255, 0, 255)
  static let blue = SIMD4<UInt8>(0, 0, 255, 255)
  static let black = SIMD4<UInt8>(0, 0, 0, 255)
}

extension [DeepCorner] {
  /// A front-facing triangle over the whole target at one depth.
  static func sheet(_ z: Float, _ color: SIMD4<UInt8>) -> [DeepCorner] {
    [DeepCorner(-1, 3, z, color), DeepCorner(3, -1, z, color), DeepCorner(-1, -1, z, color)]
  }

  /// A back-facing triangle over the whole target at one depth.
  static func backSheet(_ z: Float, _ color: SIMD4<UInt8>) -> [DeepCorner] { sheet(z, color).reversed() }
}

/// Functions to draw at depths, with both bodies, and their pipelines.
enum DepthDrawing {
  static let vertex = ShaderFunction(
    "deep",
    """
    layout(location = 0) in vec3 position;
    layout(location = 1) in vec4 color;
    flat out vec4 vertexColor;
    void main() {
      gl_Position = vec4(position, 1.0);
      vertexColor = color;
    }
    """, arguments: [],
    twin: ShaderTwin(
      vertex: { corner in
        let place = corner.attribute(0)
        return VertexOutput(position: SIMD4(place.x, place.y, place.z, 1), varyings: [corner.attribute(1)])
      }, flat: [0]))

  /// A pipeline of ``DeepCorner``s for one color attachment and one texture of `format`.
  static func descriptor(
    _ format: PixelFormat, samples: Int = 1, fragment: ShaderFunction = DrawingFunctions.flatColor
  ) -> RenderPipelineDescriptor {
    var descriptor = RenderPipelineDescriptor(vertex: vertex, fragment: fragment, pixelFormats: .rgba8Unorm)
    descriptor.vertexDescriptor = DeepCorner.descriptor
    descriptor.depthAttachmentPixelFormat = format.hasDepth ? format : nil
    descriptor.stencilAttachmentPixelFormat = format.hasStencil ? format : nil
    descriptor.rasterSampleCount = samples
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
  func draw(_ corners: [DeepCorner], with pipeline: RenderPipelineState? = nil) {
    draw(corners, as: .triangle, with: pipeline)
  }

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

extension CommandBuffer {
  /// Draws the depths or stencils of `texture`, or of an `image` of an array, into a texture of words and reads those.
  func words(_ texture: Texture, _ device: Device, image: TextureImage? = nil) throws -> Readback {
    let target = try device.makeTexture(texture.descriptor.size(atLevel: image?.level ?? 0), .r32Uint)
    let pipeline = try device.makeRenderPipelineState(
      fullScreen: DepthDrawing.reading(texture.pixelFormat, image))
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
    var pass = RenderPassDescriptor(colorAttachments: [
      .init(
        texture: target, loadAction: .clear(0, 0, 0, 1), storeAction: samples > 1 ? .multisampleResolve : .store,
        resolveTexture: samples > 1 ? resolved : nil)
    ])
    if format.hasDepth {
      pass.depthAttachment = .init(texture: texture, storeAction: .store, clearDepth: clearDepth)
    }
    if format.hasStencil {
      pass.stencilAttachment = .init(texture: texture, storeAction: .store, clearStencil: clearStencil)
    }
    let buffer = makeCommandQueue().makeCommandBuffer(label: "deep")
    let pipeline = try makeRenderPipelineState(
      DepthDrawing.descriptor(format, samples: samples, fragment: fragment))
    try buffer.render(pass) { encoder in
      encoder.setRenderPipelineState(pipeline)
      try body(encoder)
    }
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
