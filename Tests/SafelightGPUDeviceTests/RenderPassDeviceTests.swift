import SafelightGPU
import SafelightImage
import TestSupport
import Testing

@Suite struct RenderPassDeviceTests {
  /// A color with samples from 0 to the format's maximum, and the floats that every driver converts to it, rounding or
  /// truncating.
  private func color(_ format: PixelFormat) -> (samples: [Int], clear: RenderPassDescriptor.LoadAction) {
    let maximum = format.maximum
    let samples = [maximum * 3 / 10, maximum, 0, 77]
    let floats = samples.map { Float((Double($0) + ($0 == maximum ? 0 : 0.25)) / Double(maximum)) }
    return (samples, .clear(floats[0], floats[1], floats[2], floats[3]))
  }

  private func bytes(_ samples: [Int], _ format: PixelFormat) -> [UInt8] {
    samples.prefix(format.samplesPerPixel).flatMap { sample in
      (0..<format.bytesPerSample).map { UInt8(truncatingIfNeeded: sample >> (8 * $0)) }
    }
  }

  @Test(arguments: TestDevice.all, TextureDeviceTests.formats)
  func aPassThatDrawsNothingClears(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(5, 3), format)
    let (samples, clear) = color(format)
    try device.render(RenderPassDescriptor(texture: texture, loadAction: clear))
    let pixel = bytes(samples, format)
    #expect(try device.contents(of: texture) == (0..<15).flatMap { _ in pixel })
  }

  @Test(arguments: TestDevice.all, PixelFormat.colors.filter { $0.sampleKind != .float })
  func colorsOutsideTheRangeClearToItsEnds(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    guard device.canRead(format) else { return }
    let texture = try device.makeTexture(Size(2, 1), format)
    for (value, byte) in [(Float(1), UInt8(255)), (2, 255), (.infinity, 255), (0, 0), (-1, 0)] {
      let pass = RenderPassDescriptor(texture: texture, loadAction: .clear(value, value, value, value))
      try device.render(pass)
      let expected = [UInt8](repeating: byte, count: 2 * format.bytesPerPixel)
      #expect(try device.contents(of: texture) == expected, "cleared to \(value)")
    }
  }

  @Test(arguments: TestDevice.all)
  func loadingAndNotCaringKeepWhatNoDrawTouches(_ test: TestDevice) throws {
    let device = try test.open()
    let image = SyntheticImage.noise.image(Size(6, 4), channels: .rgba, depth: .bits8)
    let texture = try device.makeTexture(of: image)
    try device.render(RenderPassDescriptor(texture: texture, loadAction: .load))
    #expect(try device.contents(of: texture) == image.bytes)
  }

  /// Three corners cover the triangle left-bottom, right-bottom, left-top: pixels right of and above its long side keep
  /// the result of the load action.
  @Test(arguments: TestDevice.gles, [true, false])
  func aTriangleLeavesTheOtherHalf(_ test: TestDevice, _ clears: Bool) throws {
    let device = try test.open()
    let size = Size(8, 8)
    let image = SyntheticImage.noise.image(size, channels: .rgba, depth: .bits8)
    let texture = try device.makeTexture(size, .rgba8Unorm)
    let pipeline = try device.makeRenderPipelineState(fullScreen: Self.white)
    let (samples, clear) = color(.rgba8Unorm)
    try device.run {
      $0.blit { $0.copy(from: image, to: texture) }
      $0.render(RenderPassDescriptor(texture: texture, loadAction: clears ? clear : .load), pipeline, vertexCount: 3)
    }
    // Pixels whose center lies on the long side may be covered or not.
    try device.contents(of: texture).expectPixels(size) { x, y in
      guard x >= y else { return [255, 255, 255, 255] }
      let outside = clears ? samples.map { UInt8($0) } : image.bytes.pixel(x, y, width: 8)
      return x == y ? nil : outside
    }
  }

  @Test func theCPUSaysThatItDrawsNoTriangles() throws {
    let device = try Device.open(.cpu)
    let texture = try device.makeTexture(Size(8, 8), .rgba8Unorm)
    expectError(.unsupported) {
      try device.render(
        RenderPassDescriptor(texture: texture), RenderPipelineState(fullScreen: Self.white), vertexCount: 3)
    }
  }

  /// Row 0 in memory is the top: texture coordinates increase rightward and downward from the top-left pixel.
  @Test(arguments: TestDevice.all, [Size(16, 8), Size(1, 1), Size(37, 5)])
  func textureCoordinatesBeginAtTheTopLeft(_ test: TestDevice, _ size: Size) throws {
    let device = try test.open()
    let texture = try device.makeTexture(size, .rgba8Unorm)
    let pipeline = try device.makeRenderPipelineState(fullScreen: Self.coordinates)
    try device.render(RenderPassDescriptor(texture: texture), pipeline)
    let painted = try device.contents(of: texture)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let pixel = painted.pixel(x, y, width: size.width)
        // The center of a pixel; interpolation and conversion may each be off by less than one step.
        let across = 255 * (2 * x + 1) / (2 * size.width)
        let down = 255 * (2 * y + 1) / (2 * size.height)
        #expect(abs(Int(pixel[0]) - across) <= 1, "column at (\(x), \(y))")
        #expect(abs(Int(pixel[1]) - down) <= 1, "row at (\(x), \(y))")
        #expect(pixel[2...] == [0, 255])
      }
    }
  }

  private static let white = ShaderFunction(
    "white", "layout(location = 0) out vec4 color; void main() { color = vec4(1.0); }", arguments: [],
    twin: ShaderTwin { _ in })

  private static let coordinates = ShaderFunction(
    "coordinates",
    """
    in vec2 textureCoordinate;
    layout(location = 0) out vec4 color;
    void main() { color = vec4(textureCoordinate, 0.0, 1.0); }
    """, arguments: [],
    twin: ShaderTwin(fragment: { FragmentOutput(SIMD4($0.varyings[0].x, $0.varyings[0].y, 0, 1)) }))
}

@Suite struct VisibilityDeviceTests {
  /// Draws that are visible, outside, discarded, two of which one is visible, and without a test.
  @Test(arguments: TestDevice.all)
  func drawsSayWhetherAnyPixelPassed(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let discarding = try device.makeRenderPipelineState(
      DrawingFunctions.descriptor(DrawingFunctions.flat, Self.discarding))
    let answers = try device.makeBuffer(bytes: [UInt8](repeating: 0xee, count: 48))
    let texture = try device.makeTexture(Size(4, 4), .rgba8Unorm)
    var pass = RenderPassDescriptor(texture: texture, loadAction: .clear(0, 0, 0, 0))
    pass.visibilityResultBuffer = answers
    let inside = Corner.everywhere
    let outside = [Corner(2, 2), Corner(3, 2), Corner(2, 3)]
    try device.render(pass) { encoder in
      encoder.draw(inside, with: pipeline)
      encoder.setVisibilityResultMode(.boolean, offset: 8)
      encoder.draw(inside, with: pipeline)
      encoder.setVisibilityResultMode(.boolean, offset: 16)
      encoder.draw(outside, with: pipeline)
      encoder.setVisibilityResultMode(.boolean, offset: 24)
      encoder.draw(inside, with: discarding)
      encoder.setVisibilityResultMode(.boolean, offset: 32)
      encoder.draw(inside, with: pipeline)
      encoder.draw(outside, with: pipeline)
      encoder.setVisibilityResultMode(.disabled, offset: 40)
      encoder.draw(inside, with: pipeline)
    }
    let unasked: UInt64 = 0xeeee_eeee_eeee_eeee
    #expect(try device.contents(of: answers).words(UInt64.self) == [unasked, 1, 0, 0, 1, unasked])
  }

  private static let discarding = DrawingFunctions.coloring(
    "discarding", and: "if (vertexColor.a > 0.5) discard;"
  ) { $0.isDiscarded = $1.varyings[0].w > 0.5 }
}
