import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// A corner in the tests' vertex buffers: a position in Metal's clip space and a color of bytes.
struct Corner: BitwiseCopyable {
  var x, y, z: Float
  var color: SIMD4<UInt8>

  init(_ x: Float, _ y: Float, _ z: Float, _ color: SIMD4<UInt8>) {
    (self.x, self.y, self.z, self.color) = (x, y, z, color)
  }

  init(_ x: Float, _ y: Float, _ color: SIMD4<UInt8> = SIMD4(255, 255, 255, 255)) { self.init(x, y, 0, color) }

  /// A white triangle over the whole target.
  static let everywhere = covering(SIMD4(255, 255, 255, 255))

  /// A triangle over the whole target in one color.
  static func covering(_ color: SIMD4<UInt8>) -> [Corner] {
    [Corner(-1, -1, color), Corner(3, -1, color), Corner(-1, 3, color)]
  }

  static let descriptor = VertexDescriptor(
    attributes: [
      0: VertexDescriptor.Attribute(format: .float3),
      1: VertexDescriptor.Attribute(format: .uchar4Normalized, offset: 12),
    ], layouts: [0: VertexDescriptor.Layout(stride: 16)])
}

/// Functions to draw with, with both bodies.
enum DrawingFunctions {
  /// Attribute 0 is the position, attribute 1 the color, interpolated.
  static let smooth = vertex("smooth", "out", flat: [])
  /// Attribute 0 is the position, attribute 1 the color of a triangle's last corner.
  static let flat = vertex("flat", "flat out", flat: [0])

  private static func vertex(_ name: String, _ qualifier: String, flat: Set<Int>) -> ShaderFunction {
    ShaderFunction(
      name,
      """
      layout(location = 0) in vec3 position;
      layout(location = 1) in vec4 color;
      \(qualifier) vec4 vertexColor;
      void main() {
        gl_Position = vec4(position, 1.0);
        vertexColor = color;
      }
      """, arguments: [],
      twin: ShaderTwin(
        vertex: { corner in
          let place = corner.attribute(0)
          return VertexOutput(position: SIMD4(place.x, place.y, place.z, 1), varyings: [corner.attribute(1)])
        }, flat: flat))
  }

  /// Writes the varying so that rounding and truncating leave the same byte.
  static let color = fragment("color", "in")
  /// The same for a flat varying.
  static let flatColor = fragment("flatColor", "flat in")

  /// The same for a flat varying, and then `text`, which `body` does in Swift.
  static func coloring(
    _ name: String, and text: String,
    _ body: @escaping @Sendable (_ output: inout FragmentOutput, FragmentArguments) -> Void
  ) -> ShaderFunction {
    fragment(name, "flat in", text, body)
  }

  private static func fragment(
    _ name: String, _ qualifier: String, _ text: String = "",
    _ body: @escaping @Sendable (inout FragmentOutput, FragmentArguments) -> Void = { _, _ in }
  ) -> ShaderFunction {
    ShaderFunction(
      name,
      """
      \(qualifier) vec4 vertexColor;
      layout(location = 0) out vec4 color;
      void main() {
        color = vertexColor + 0.25 / 255.0;
        \(text)
      }
      """, arguments: [],
      twin: ShaderTwin(fragment: { fragment in
        var output = FragmentOutput(fragment.varyings[0] + 0.25 / 255)
        body(&output, fragment)
        return output
      }))
  }

  /// A pipeline of a vertex and a fragment function with ``Corner``s, for one attachment.
  static func descriptor(
    _ vertex: ShaderFunction = flat, _ fragment: ShaderFunction = flatColor, _ format: PixelFormat = .rgba8Unorm,
    samples: Int = 1
  ) -> RenderPipelineDescriptor {
    var descriptor = RenderPipelineDescriptor(vertex: vertex, fragment: fragment, pixelFormats: format)
    descriptor.rasterSampleCount = samples
    descriptor.vertexDescriptor = Corner.descriptor
    return descriptor
  }
}

extension RenderCommandEncoder {
  /// Draws all of `corners`, as bytes at index 0, with `pipeline` if it is not set yet.
  func draw(
    _ corners: [Corner], as type: PrimitiveType = .triangle, with pipeline: RenderPipelineState? = nil,
    fileID: StaticString = #fileID, line: Int = #line
  ) {
    if let pipeline { setRenderPipelineState(pipeline) }
    setVertexBytes(corners, index: 0)
    drawPrimitives(type, vertexStart: 0, vertexCount: corners.count, fileID: fileID, line: line)
  }
}

/// Pseudorandom numbers, the same each time.
struct Dice {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func next() -> UInt32 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt32(truncatingIfNeeded: state >> 33)
  }

  /// Between the ends of a range.
  mutating func next(_ range: ClosedRange<Float>) -> Float {
    range.lowerBound + (range.upperBound - range.lowerBound) * Float(next() % 100_003) / 100_003
  }

  mutating func color() -> SIMD4<UInt8> {
    SIMD4(UInt8(next() % 256), UInt8(next() % 256), UInt8(next() % 256), 255)
  }
}

extension Device {
  /// Draws into a new black texture, and returns its bytes from this device and from the twins.
  func drawn(
    _ size: Size, _ format: PixelFormat = .rgba8Unorm, with pipeline: RenderPipelineState? = nil,
    _ body: (RenderCommandEncoder) throws -> Void
  ) throws -> (device: [UInt8], twin: [UInt8]) {
    let texture = try makeTexture(size, format)
    return try replayed { buffer in
      try buffer.render(RenderPassDescriptor(texture: texture, loadAction: .clear(0, 0, 0, 1))) { encoder in
        if let pipeline { encoder.setRenderPipelineState(pipeline) }
        try body(encoder)
      }
      return buffer.blit { $0.read(texture) }
    }
  }

  /// Records with `body` and runs it, here and on the twins; returns what they leave in the readback of `body`.
  func replayed(_ body: (CommandBuffer) throws -> Readback) throws -> (device: [UInt8], twin: [UInt8]) {
    let buffer = makeCommandQueue().makeCommandBuffer(label: "replayed")
    let readback = try body(buffer)
    try buffer.finish()
    let twin = try Device.open(.cpu).replay(buffer.recording)
    return (try readback.contents(), try #require(twin.contents(of: readback)))
  }

  /// Expects that this device draws what the twins draw; returns it.
  @discardableResult
  func expectTwin(
    _ size: Size, _ format: PixelFormat = .rgba8Unorm, with pipeline: RenderPipelineState? = nil,
    within tolerance: Int = 0, _ body: (RenderCommandEncoder) throws -> Void,
    at location: SourceLocation = #_sourceLocation
  ) throws -> [UInt8] {
    let (device, twin) = try drawn(size, format, with: pipeline, body)
    let wrong = zip(device, twin).enumerated().filter { abs(Int($1.0) - Int($1.1)) > tolerance }
    let first = wrong.first.map { index, bytes in
      let pixel = index / format.bytesPerPixel
      return "first at (\(pixel % size.width), \(pixel / size.width)): \(bytes.0), the twin has \(bytes.1)"
    }
    #expect(wrong.isEmpty, "\(wrong.count) bytes differ, \(first ?? "")", sourceLocation: location)
    return device
  }
}

extension Array where Element == UInt8 {
  /// The pixel of four bytes at a position.
  func pixel(_ x: Int, _ y: Int, width: Int) -> [UInt8] { Array(self[(y * width + x) * 4..<(y * width + x) * 4 + 4]) }

  /// Expects each pixel of an image to be what `expected` says of its position, if it says anything.
  func expectPixels(
    _ size: Size, _ comment: String = "pixel", at location: SourceLocation = #_sourceLocation,
    _ expected: (_ x: Int, _ y: Int) -> [UInt8]?
  ) {
    #expect(count == size.area * 4, sourceLocation: location)
    for place in 0..<size.area {
      let (y, x) = place.quotientAndRemainder(dividingBy: size.width)
      guard let expected = expected(x, y) else { continue }
      #expect(pixel(x, y, width: size.width) == expected, "\(comment) at (\(x), \(y))", sourceLocation: location)
    }
  }
}

/// Fragment functions that read the target's pixel, with both bodies.
enum FetchingFunctions {
  /// Multiplies the target by one half, on the whole strip.
  static let multiply = function("multiply", "in", "old * 128u / 255u") { old, _ in old &* 128 / 255 }

  /// Adds 2/3 of the corner's color to 1/3 of the target's, so that the order matters.
  static let mix = function("mix", "flat in", "(old + 2u * uvec4(vertexColor * 255.0 + 0.5)) / 3u") { old, color in
    (old &+ 2 &* color) / 3
  }

  /// Bytes are counted as integers, so that no driver rounds.
  private static func function(
    _ name: String, _ qualifier: String, _ expression: String,
    _ join: @escaping @Sendable (_ old: SIMD4<UInt32>, _ color: SIMD4<UInt32>) -> SIMD4<UInt32>
  ) -> ShaderFunction {
    ShaderFunction(
      name,
      """
      #extension GL_EXT_shader_framebuffer_fetch : require
      \(qualifier) highp vec4 vertexColor;
      layout(location = 0) inout highp vec4 color;
      void main() {
        uvec4 old = uvec4(color * 255.0 + 0.5);
        color = (vec4(\(expression)) + 0.25) / 255.0;
      }
      """, arguments: [],
      twin: ShaderTwin(fragment: { fragment in
        func bytes(_ color: SIMD4<Float>) -> SIMD4<UInt32> { SIMD4<UInt32>(color * 255 + 0.5) }
        let color = fragment.varyings.first.map(bytes) ?? SIMD4()
        return FragmentOutput((SIMD4<Float>(join(bytes(fragment.color(0)), color)) + 0.25) / 255)
      }), functionType: .fragment)
  }

  /// Doubles the integers of attachment 1 and adds its number to each; attachment 0 gets the earlier values.
  static let count = ShaderFunction(
    "count",
    """
    #extension GL_EXT_shader_framebuffer_fetch : require
    layout(location = 0) out highp uvec4 before;
    layout(location = 1) inout highp uvec4 count;
    void main() {
      before = count;
      count = count * 2u + uvec4(1u, 2u, 3u, 4u);
    }
    """, arguments: [],
    twin: ShaderTwin(fragment: { fragment in
      let count = fragment.integerColor(1)
      var output = FragmentOutput()
      output[integer: 0] = count
      output[integer: 1] = count &* 2 &+ SIMD4(1, 2, 3, 4)
      return output
    }), functionType: .fragment)
}
