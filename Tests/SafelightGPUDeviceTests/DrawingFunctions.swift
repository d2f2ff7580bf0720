import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// A corner in the tests' vertex buffers: a position in clip space and a color of bytes.
struct Corner: BitwiseCopyable {
  var x: Float
  var y: Float
  var color: SIMD4<UInt8>

  init(_ x: Float, _ y: Float, _ color: SIMD4<UInt8> = SIMD4(255, 255, 255, 255)) {
    (self.x, self.y, self.color) = (x, y, color)
  }

  /// A white triangle over the whole target.
  static let everywhere = [Corner(-1, -1), Corner(3, -1), Corner(-1, 3)]

  static let descriptor = VertexDescriptor(
    attributes: [
      0: VertexDescriptor.Attribute(format: .float2),
      1: VertexDescriptor.Attribute(format: .uchar4Normalized, offset: 8),
    ], layouts: [0: VertexDescriptor.Layout(stride: 12)])
}

extension [Corner] {
  var bytes: [UInt8] { withUnsafeBytes { Array<UInt8>($0) } }
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
      layout(location = 0) in vec2 position;
      layout(location = 1) in vec4 color;
      \(qualifier) vec4 vertexColor;
      void main() {
        gl_Position = vec4(position, 0.0, 1.0);
        vertexColor = color;
      }
      """, arguments: [],
      twin: ShaderTwin(
        vertex: { corner in
          let place = corner.attribute(0)
          return VertexOutput(position: SIMD4(place.x, place.y, 0, 1), varyings: [corner.attribute(1)])
        }, flat: flat))
  }

  /// Writes the varying so that rounding and truncating leave the same byte.
  static let color = fragment("color", "in")
  /// The same for a flat varying.
  static let flatColor = fragment("flatColor", "flat in")

  private static func fragment(_ name: String, _ qualifier: String) -> ShaderFunction {
    ShaderFunction(
      name,
      """
      \(qualifier) vec4 vertexColor;
      layout(location = 0) out vec4 color;
      void main() { color = vertexColor + 0.25 / 255.0; }
      """, arguments: [],
      twin: ShaderTwin(fragment: { FragmentOutput($0.varyings[0] + 0.25 / 255) }))
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
  func draw<Element: BitwiseCopyable>(
    _ corners: [Element], as type: PrimitiveType = .triangle, with pipeline: RenderPipelineState? = nil,
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
    _ size: Size, _ format: PixelFormat = .rgba8Unorm, _ body: (RenderCommandEncoder) throws -> Void
  ) throws -> (device: [UInt8], twin: [UInt8]) {
    let texture = try makeTexture(size, format)
    let buffer = makeCommandQueue().makeCommandBuffer(label: "drawing")
    try buffer.render(RenderPassDescriptor(texture: texture, loadAction: .clear(0, 0, 0, 1))) { try body($0) }
    let readback = buffer.blit { $0.read(texture) }
    try buffer.finish()
    let twin = try Device.open(.cpu).replay(buffer.recording)
    return (try readback.contents(), try #require(twin.contents(of: readback)))
  }

  /// Expects that this device draws what the twins draw; returns it.
  @discardableResult
  func expectTwin(
    _ size: Size, _ format: PixelFormat = .rgba8Unorm, within tolerance: Int = 0, _ comment: Comment? = nil,
    _ body: (RenderCommandEncoder) throws -> Void, at location: SourceLocation = #_sourceLocation
  ) throws -> [UInt8] {
    let (device, twin) = try drawn(size, format, body)
    let wrong = zip(device, twin).enumerated().filter { abs(Int($1.0) - Int($1.1)) > tolerance }
    let first = wrong.first.map { index, bytes in
      let pixel = index / format.bytesPerPixel
      return "first at (\(pixel % size.width), \(pixel / size.width)): \(bytes.0), the twin has \(bytes.1)"
    }
    #expect(
      wrong.isEmpty, "\(comment?.rawValue ?? ""): \(wrong.count) bytes differ, \(first ?? "")", sourceLocation: location
    )
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
