import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageRendererErrorDeviceTests {
  private func failure(
    _ from: PixelFormat, _ size: Size = Size(4, 4), to: PixelFormat, _ bounds: Region, form: KernelForm = .automatic
  ) throws -> SafelightError? {
    let device = try Device.open(.cpu)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    let source = try device.makeTexture(size, from, label: "camera")
    let target = try device.makeTexture(Size(8, 8), to, label: "screen")
    do throws(SafelightError) {
      try ImageRenderer().render(
        source, to: target, commandBuffer: buffer, bounds: bounds, form: form, label: "frame 17")
    } catch {
      #expect(buffer.recording.commands.isEmpty)
      return error
    }
    return nil
  }

  @Test(arguments: [
    (PixelFormat.rgba8Unorm, PixelFormat.rgba16Uint), (.rgba16Uint, .bgra8Unorm), (.r8Unorm, .r16Uint),
    (.rgba8Unorm, .r8Unorm), (.rgba16Uint, .r16Uint), (.rg8Unorm, .rgba8Unorm), (.rgba8Unorm, .rgba32Float),
    (.r16Float, .r16Uint), (.r32Uint, .r32Uint),
  ])
  func formatsThatDoNotGoTogether(_ from: PixelFormat, _ to: PixelFormat) throws {
    let error = try #require(try failure(from, to: to, Region(x: 0, y: 0, width: 8, height: 8)))
    #expect(error.kind == .unsupported)
    #expect(error.what == "frame 17")
    for part in ["'camera' of \(from.rawValue)", "'screen' of \(to.rawValue)"] {
      #expect(error.why.contains(part), "\(error)")
    }
    #expect(error.remedy?.contains("same bits a sample") == true)
  }

  @Test(arguments: [
    Region(x: 0, y: 0, width: 1 << 30, height: 4), Region(x: 0, y: 0, width: 4, height: .max),
    Region(x: .min, y: 0, width: 4, height: 4), Region(x: 0, y: .max, width: 4, height: 4), Region.noClip,
  ])
  func boundsBeyondReach(_ bounds: Region) throws {
    let error = try #require(try failure(.rgba8Unorm, to: .rgba8Unorm, bounds))
    #expect(error.kind == .limit)
    #expect(error.why.contains("a picture of 4×4 in bounds of \(bounds)"), "\(error)")
  }

  /// 2047 = 23 · 89 and 2²¹ have no common divisor; their product has 32 bits.
  @Test func scalesBeyondReach() throws {
    let wide = Region(x: 0, y: 0, width: 1 << 21, height: 4)
    #expect(try failure(.rgba8Unorm, Size(2047, 4), to: .rgba8Unorm, wide)?.kind == .limit)
    #expect(try failure(.rgba8Unorm, Size(1024, 4), to: .rgba8Unorm, wide) == nil)
    #expect(try failure(.rgba8Unorm, Size(1023, 4), to: .rgba8Unorm, wide) == nil)
  }

  /// Both executors refuse what OpenGL ES cannot, in the same words.
  @Test(arguments: TestDevice.all)
  func grayCannotBeStored(_ test: TestDevice) throws {
    let device = try test.open()
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "frame 17")
    let source = try device.makeTexture(Size(4, 4), .r8Unorm)
    let target = try device.makeTexture(Size(8, 8), .r8Unorm)
    try ImageRenderer().render(
      source, to: target, commandBuffer: buffer, bounds: Region(size: target.size), form: .compute)
    buffer.commit()
    let error = #expect(throws: SafelightError.self) { try buffer.waitUntilCompleted() }
    #expect(error?.kind == .unsupported)
    #expect(error?.why == "OpenGL ES 3.1 cannot store to texture 1 of r8Unorm")
  }

  @Test func renderingToItself() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "screen")
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      try ImageRenderer().render(
        texture.makeTextureView(), to: texture, commandBuffer: buffer, bounds: Region(size: texture.size))
    }
    expectStop(result, saying: "render reads and paints 'screen'; render into another texture")
  }

  @Test func negativeBounds() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      let (source, target) = (
        try device.makeTexture(Size(4, 4), .rgba8Unorm), try device.makeTexture(Size(4, 4), .rgba8Unorm)
      )
      try ImageRenderer().render(
        source, to: target, commandBuffer: buffer, bounds: Region(x: 0, y: 0, width: -4, height: 4))
    }
    expectStop(result, saying: "render was given bounds of -4×4; none is negative")
  }
}
