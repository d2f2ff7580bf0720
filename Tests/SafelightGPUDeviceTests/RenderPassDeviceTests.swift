import SafelightGPU
import SafelightImage
import SafelightShaders
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
    try device.run { $0.render(RenderPassDescriptor(texture: texture, loadAction: clear), nil) }
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
      try device.run { $0.render(pass, nil) }
      let expected = [UInt8](repeating: byte, count: 2 * format.bytesPerPixel)
      #expect(try device.contents(of: texture) == expected, "cleared to \(value)")
    }
  }

  @Test(arguments: TestDevice.all)
  func loadingAndNotCaringKeepWhatNoDrawTouches(_ test: TestDevice) throws {
    let device = try test.open()
    let image = SyntheticImage.noise.image(Size(6, 4), channels: .rgba, depth: .bits8)
    let texture = try device.makeTexture(image.size, .rgba8Unorm)
    try device.run { $0.blit { $0.copy(from: image, to: texture) } }
    try device.run { $0.render(RenderPassDescriptor(texture: texture, loadAction: .load), nil) }
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
    let painted = try device.contents(of: texture)
    let cleared = samples.map { UInt8($0) }
    // Pixels whose center lies on the long side may be covered or not.
    for y in 0..<8 {
      for x in 0..<8 where x != y {
        let first = (y * 8 + x) * 4
        let pixel = Array(painted[first..<first + 4])
        let outside = clears ? cleared : Array(image.bytes[first..<first + 4])
        #expect(pixel == (x < y ? [255, 255, 255, 255] : outside), "at (\(x), \(y))")
      }
    }
  }

  @Test func theCPUSaysThatItDrawsNoTriangles() throws {
    let device = try Device.open(.cpu)
    let texture = try device.makeTexture(Size(8, 8), .rgba8Unorm)
    expectError(.unsupported) {
      try device.run {
        $0.render(RenderPassDescriptor(texture: texture), RenderPipelineState(fullScreen: Self.white), vertexCount: 3)
      }
    }
  }

  /// Row 0 in memory is the top: texture coordinates increase rightward and downward from the top-left pixel.
  @Test(arguments: TestDevice.all, [Size(16, 8), Size(1, 1), Size(37, 5)])
  func textureCoordinatesBeginAtTheTopLeft(_ test: TestDevice, _ size: Size) throws {
    let device = try test.open()
    let texture = try device.makeTexture(size, .rgba8Unorm)
    let pipeline = try device.makeRenderPipelineState(fullScreen: Self.coordinates)
    try device.run { $0.render(RenderPassDescriptor(texture: texture), pipeline) }
    let painted = try device.contents(of: texture)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let first = (y * size.width + x) * 4
        // The center of a pixel; interpolation and conversion may each be off by less than one step.
        let across = 255 * (2 * x + 1) / (2 * size.width)
        let down = 255 * (2 * y + 1) / (2 * size.height)
        #expect(abs(Int(painted[first]) - across) <= 1, "column at (\(x), \(y))")
        #expect(abs(Int(painted[first + 1]) - down) <= 1, "row at (\(x), \(y))")
        #expect(Array(painted[first + 2..<first + 4]) == [0, 255])
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
    twin: ShaderTwin { arguments in
      let size = arguments.grid
      arguments.colorAttachment?.withMutableSamples(of: UInt8.self) { samples in
        for y in 0..<size.height {
          for x in 0..<size.width {
            let first = (y * size.width + x) * 4
            samples[first] = UInt8((510 * x + 255 + size.width) / (2 * size.width))
            samples[first + 1] = UInt8((510 * y + 255 + size.height) / (2 * size.height))
            samples[first + 2] = 0
            samples[first + 3] = 255
          }
        }
      }
    })
}
