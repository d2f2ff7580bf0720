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
    #expect(layout.isYCbCr == (layout.planeFormats.count > 1))
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

  /// Memory that only its owner knows.
  private final class Elsewhere: SharedFrameMemory {
    let size = Size(2, 1)
    let layout: PixelLayout?
    let isReachable: Bool

    init(_ layout: PixelLayout?, isReachable: Bool = true) {
      self.layout = layout
      self.isReachable = isReachable
    }

    func copy(ofPlane index: Int) throws(SafelightError) -> PixelPlane {
      guard isReachable else { throw SafelightError(.unsupported, "elsewhere", why: "it is far") }
      return PixelPlane(size: size, pixelFormat: .r8Unorm, bytes: [UInt8(index), 7])
    }
  }

  @Test func sharedMemoryIsCopiedWhenAsked() throws {
    let memory = Elsewhere(.gray8)
    let frame = try VideoFrame(
      index: 4, memory: memory, presentationTime: .zero, orientation: .left, color: .sRGB)
    #expect(frame.memory === memory)
    #expect(frame.size == Size(2, 1))
    #expect(frame.layout == .gray8)
    let copy = try frame.copied()
    #expect(copy.memory == nil)
    #expect(copy.planes == [PixelPlane(size: Size(2, 1), pixelFormat: .r8Unorm, bytes: [0, 7])])
    #expect(copy.index == 4)
    #expect(copy.orientation == .left)
    #expect(copy.color == .sRGB)
    #expect(try copy.copied().planes == copy.planes)
    let far = try VideoFrame(index: 0, memory: Elsewhere(.gray8, isReachable: false), presentationTime: .zero)
    #expect(throws: SafelightError.self) { try far.copied() }
    let error = #expect(throws: SafelightError.self) {
      try VideoFrame(index: 9, memory: Elsewhere(nil), presentationTime: .zero)
    }
    #expect(error?.what == "frame 9")
  }

  @Test func thePlanesOfSharedMemoryAreNotLookedAt() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try VideoFrame(index: 4, memory: Elsewhere(.gray8), presentationTime: .zero).planes
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains("the planes of frame 4 lie in shared memory; take those of copied()"), "stopped with: \(text)")
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
