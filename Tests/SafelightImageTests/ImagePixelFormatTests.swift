import SafelightImage
import Testing

@Suite struct ImagePixelFormatTests {
  private let size = Size(2, 1)

  @Test func blueFirstBecomesRedFirst() throws {
    let image = try Image(size: size, pixelFormat: .bgra8Unorm, bytes: [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(image == Image(size: size, channels: .rgba, depth: .bits8, bytes: [3, 2, 1, 4, 7, 6, 5, 8]))
  }

  @Test(arguments: [
    (PixelFormat.r8Unorm, Channels.gray, SampleDepth.bits8), (.rgba8Unorm, .rgba, .bits8), (.r16Uint, .gray, .bits16),
    (.r16Unorm, .gray, .bits16), (.rgba16Uint, .rgba, .bits16), (.rgba16Unorm, .rgba, .bits16),
  ])
  func othersStayAsTheyLie(_ format: PixelFormat, _ channels: Channels, _ depth: SampleDepth) throws {
    let bytes = (0..<UInt8(2 * format.bytesPerPixel)).map { $0 }
    let image = try Image(size: size, pixelFormat: format, bytes: bytes)
    #expect(image == Image(size: size, channels: channels, depth: depth, bytes: bytes))
  }

  @Test(arguments: [
    PixelFormat.rg8Unorm, .rg16Uint, .rg16Unorm, .r32Uint, .r16Float, .rg16Float, .rgba16Float, .r32Float, .rg32Float,
    .rgba32Float,
  ])
  func whatIsNoPictureIsRefused(_ format: PixelFormat) {
    let bytes = [UInt8](repeating: 0, count: 2 * format.bytesPerPixel)
    let error = #expect(throws: SafelightError.self) {
      try Image(size: size, pixelFormat: format, bytes: bytes)
    }
    #expect(error?.kind == .unsupported)
    #expect(error?.what == "picture of \(format.rawValue)")
  }
}
