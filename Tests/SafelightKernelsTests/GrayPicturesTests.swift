import SafelightImage
import SafelightKernels
import Testing

@Suite struct GrayPicturesTests {
  /// A kernel that turns grays into colors.
  private struct Tint: PointKernel {
    static let card = KernelCard<Self>("tint", "more red", discussion: "", examples: ["tint"])
    static let grays = GrayPictures.refused

    static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: NoUniforms, _ samples: PointSamples) -> SIMD4<Int32> {
      SIMD4(samples.maximum, pixel.y, pixel.z, pixel.w)
    }
  }

  @Test(arguments: [Channels.gray, .grayAlpha, .rgb, .rgba])
  func graysThatWouldBecomeColorsAreRefused(_ channels: Channels) throws {
    let picture = ImageDescriptor(size: Size(3, 2), channels: channels, depth: .bits8)
    guard channels.isGray else { return try Tint().check(picture) }
    let error = #expect(throws: SafelightError.self) { try Tint().check(picture) }
    #expect(error?.kind == .unsupported)
    #expect(error?.what == "filter 'tint'")
  }

  @Test func texturesHaveFourChannels() {
    #expect(Set(Tint.formats.map(\.samplesPerPixel)) == [4])
    #expect(Set(ImageVibrance.formats.map(\.samplesPerPixel)) == [1, 2, 4])
  }
}
