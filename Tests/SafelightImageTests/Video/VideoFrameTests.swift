import SafelightImage
import Synchronization
import Testing

@Suite struct VideoFrameTests {
  @Test func chromaIsRoundedUp() {
    let layout = PixelLayout.yCbCr420BiPlanar8
    #expect(layout.planeSize(0, of: Size(33, 21)) == Size(33, 21))
    #expect(layout.planeSize(1, of: Size(33, 21)) == Size(17, 11))
    #expect(layout.planeByteCounts(of: Size(33, 21)) == [33 * 21, 17 * 11 * 2])
    #expect(layout.planeByteCounts(of: Size(1, 1)) == [1, 2])
    #expect(layout.planeFormats == [.r8Unorm, .rg8Unorm])
    #expect(PixelLayout.rgba16.planeByteCounts(of: Size(3, 2)) == [48])
  }

  @Test(arguments: PixelLayout.allCases) func planesHaveTheDepthOfTheirLayout(_ layout: PixelLayout) {
    for format in layout.planeFormats { #expect(format.bytesPerSample * 8 == layout.depth.rawValue) }
    #expect(layout.isYCbCr == (layout.planeFormats.count == 2))
  }

  @Test(arguments: [Channels.gray, .rgb, .rgba, .grayAlpha], SampleDepth.allCases)
  func picturesComeBack(_ channels: Channels, _ depth: SampleDepth) {
    let image = SyntheticImage.noise.image(Size(5, 3), channels: channels, depth: depth)
    let frame = VideoFrame(image: image)
    #expect(frame.planes.map(\.pixelFormat) == [image.pixelFormat])
    #expect(frame.image(channels: channels == .gray ? .rgba : channels) == image)
  }

  @Test func blueFirstIsNoPicture() {
    let plane = PixelPlane(size: Size(1, 1), pixelFormat: .bgra8Unorm, bytes: [1, 2, 3, 4])
    let frame = VideoFrame(index: 0, size: Size(1, 1), layout: .bgra8, planes: [plane], presentationTime: .zero)
    #expect(frame.image() == nil)
  }

  @Test func orientationTurnsTheSizeAlone() {
    let image = SyntheticImage.ramp.image(Size(5, 3), channels: .gray, depth: .bits8)
    let frame = VideoFrame(image: image, orientation: .left)
    #expect(frame.size == Size(5, 3))
    #expect(frame.uprightSize == Size(3, 5))
  }

  @Test func paddedRowsAreMeasured() {
    let plane = PixelPlane(
      size: Size(3, 2), pixelFormat: .rg8Unorm, bytesPerRow: 8, bytes: [UInt8](repeating: 0, count: 14))
    #expect(!plane.isPacked)
    #expect(PixelPlane(size: Size(3, 2), pixelFormat: .r8Unorm, bytes: [UInt8](repeating: 0, count: 6)).isPacked)
  }

  @Test func theLeaseEndsWithTheLastCopy() {
    final class Count: Sendable {
      let value = Mutex(0)
    }
    let count = Count()
    var frame: VideoFrame? = VideoFrame(image: SyntheticImage.flat.image(Size(1, 1), channels: .gray, depth: .bits8))
      .leased { count.value.withLock { $0 += 1 } }.leased { count.value.withLock { $0 += 10 } }
    var copy = frame
    frame = nil
    #expect(count.value.withLock(\.self) == 0)
    #expect(copy != nil)
    copy = nil
    #expect(count.value.withLock(\.self) == 11)
  }
}
