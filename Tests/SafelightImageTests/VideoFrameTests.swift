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
    #expect(frame.size == Size(5, 3) && frame.uprightSize == Size(3, 5))
  }

  @Test func paddedRowsAreMeasured() {
    let plane = PixelPlane(
      size: Size(3, 2), pixelFormat: .rg8Unorm, bytesPerRow: 8, bytes: [UInt8](repeating: 0, count: 14))
    #expect(!plane.isPacked)
    #expect(PixelPlane(size: Size(3, 2), pixelFormat: .r8Unorm, bytes: [UInt8](repeating: 0, count: 6)).isPacked)
  }

  /// Memory that only its owner can read.
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
    let frame = try VideoFrame(index: 4, memory: memory, presentationTime: .zero, orientation: .left, color: .sRGB)
    #expect(frame.memory === memory && frame.size == Size(2, 1) && frame.layout == .gray8)
    let copy = try frame.copied()
    #expect(copy.memory == nil)
    #expect(copy.planes == [PixelPlane(size: Size(2, 1), pixelFormat: .r8Unorm, bytes: [0, 7])])
    #expect(copy.index == 4 && copy.orientation == .left && copy.color == .sRGB)
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
      text.contains("the planes of frame 4 lie in shared memory; read the planes of copied()"), "stopped with: \(text)")
  }

  @Test func theLeaseEndsWithTheLastCopy() {
    final class Count: Sendable { let value = Mutex(0) }
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

@Suite struct MediaTimeTests {
  @Test func equalTimesAreEqualOnEveryClock() {
    let ticks = MediaTime(value: 512, timescale: 15360)
    let thirtieth = MediaTime(value: 1, timescale: 30)
    #expect(ticks == thirtieth)
    #expect(ticks.hashValue == thirtieth.hashValue)
    #expect(MediaTime(value: 0, timescale: 25) == .zero)
    #expect(Set([ticks, thirtieth, MediaTime(value: -1, timescale: 30)]).count == 2)
  }

  /// 2⁶³ − 1 ticks of the fastest clock: cross products have 94 bits.
  @Test func comparingNeverOverflows() {
    let last = MediaTime(value: .max, timescale: .max)
    let first = MediaTime(value: .min, timescale: 1)
    #expect(first < last)
    #expect(MediaTime(value: .max, timescale: .max - 1) > last)
    #expect(MediaTime(value: .max - 1, timescale: .max) < last)
  }

  /// As `Double`s the two are equal.
  @Test func comparingIsExact() {
    let one = MediaTime(value: 9_007_199_254_740_993, timescale: 30)
    let other = MediaTime(value: 9_007_199_254_740_992, timescale: 30)
    #expect(one.seconds == other.seconds)
    #expect(other < one)
    #expect(one != other)
  }

  @Test func rescalingIsExactOrNothing() {
    let time = MediaTime(value: 1001, timescale: 30000)
    #expect(time.rescaled(to: 60000)?.value == 2002 && time.rescaled(to: 60000)?.timescale == 60000)
    #expect(time.rescaled(to: 90000) == time)
    #expect(time.rescaled(to: 1000) == nil)
    #expect(MediaTime(value: .max, timescale: 1).rescaled(to: 2) == nil)
    #expect(MediaTime(value: -4, timescale: 4).rescaled(to: 1)?.value == -1)
  }

  @Test func multipliesOrRefuses() {
    #expect(MediaTime(value: 1001, timescale: 30000).multiplied(by: 3)?.value == 3003)
    #expect(MediaTime(value: .max / 2, timescale: 1).multiplied(by: 3) == nil)
  }

  @Test func fractionsAreReduced() {
    let time = MediaTime(seconds: 2002 * 7, over: 60000 * 7)
    #expect(time?.value == 1001 && time?.timescale == 30000)
    #expect(MediaTime(seconds: 1, over: 1 << 40) == nil)
    #expect(MediaTime(seconds: 1, over: 0) == nil)
    #expect(MediaTime(seconds: 1 << 40, over: 1 << 41)?.timescale == 2)
    #expect(MediaTime(seconds: -3, over: 6)?.value == -1)
  }

  @Test func isShownAsAFraction() {
    #expect("\(MediaTime(value: 1001, timescale: 30000))" == "1001/30000 s")
    #expect(MediaTime(value: 3, timescale: 2).seconds == 1.5)
  }
}

@Suite struct OrientationTests {
  /// `abc` over `def`, as the Exif standard stores it in each orientation.
  private static let stored: [Orientation: [String]] = [
    .up: ["abc", "def"], .upMirrored: ["cba", "fed"], .down: ["fed", "cba"], .downMirrored: ["def", "abc"],
    .leftMirrored: ["ad", "be", "cf"], .right: ["cf", "be", "ad"], .rightMirrored: ["fc", "eb", "da"],
    .left: ["da", "eb", "fc"],
  ]

  private static func turned(_ rows: [String], _ orientation: Orientation) -> [String] {
    let pixels = rows.map(Array.init)
    let size = Size(pixels[0].count, pixels.count)
    let upright = orientation.uprightSize(of: size)
    return (0..<upright.height).map { y in
      String(
        (0..<upright.width).map { x in
          let source = orientation.sourcePosition(ofUprightX: x, y: y, in: size)
          return pixels[source.y][source.x]
        })
    }
  }

  @Test(arguments: Orientation.allCases) func theStoredPictureStandsUpright(_ orientation: Orientation) throws {
    #expect(Self.turned(try #require(Self.stored[orientation]), orientation) == ["abc", "def"])
  }

  @Test(arguments: Orientation.allCases) func theInverseUndoesIt(_ orientation: Orientation) {
    #expect(orientation.followed(by: orientation.inverse) == .up)
    #expect(Self.turned(Self.turned(["abc", "def"], orientation), orientation.inverse) == ["abc", "def"])
  }

  @Test(arguments: Orientation.allCases, Orientation.allCases)
  func twoTurnsAreOne(_ first: Orientation, _ second: Orientation) {
    let both = Self.turned(Self.turned(["abc", "def"], first), second)
    #expect(Self.turned(["abc", "def"], first.followed(by: second)) == both)
  }

  @Test func anglesCountAgainstTheClock() {
    #expect(Orientation(counterclockwiseDegrees: 0) == .up)
    #expect(Orientation(counterclockwiseDegrees: 90) == .left)
    #expect(Orientation(counterclockwiseDegrees: -90) == .right)
    #expect(Orientation(counterclockwiseDegrees: 540) == .down)
    #expect(Orientation(counterclockwiseDegrees: 0, mirrored: true) == .upMirrored)
    // First mirrored, then turned.
    #expect(Orientation(counterclockwiseDegrees: 90, mirrored: true) == Orientation.upMirrored.followed(by: .left))
    #expect(Orientation(counterclockwiseDegrees: 45) == nil)
  }

  @Test func matricesOfQuarterTurnsAreKnown() {
    #expect(Orientation(a: 0, b: -65536, c: 65536, d: 0) == .left)
    #expect(Orientation(a: 65536, b: 0, c: 0, d: 65536) == .up)
    #expect(Orientation(a: -1, b: 0, c: 0, d: 1) == .upMirrored)
    #expect(Orientation(a: 46341, b: 46341, c: -46341, d: 46341) == nil)
    #expect(Orientation(a: 0, b: 0, c: 0, d: 0) == nil)
  }

  @Test func mirroredAreFour() {
    #expect(Orientation.allCases.filter(\.isMirrored) == [.upMirrored, .downMirrored, .leftMirrored, .rightMirrored])
    #expect(Orientation.allCases.filter(\.exchangesAxes) == [.leftMirrored, .right, .rightMirrored, .left])
  }
}

@Suite struct ColorMatrixTests {
  /// ITU-R BT.601-7 §2.5.1, BT.709-6 §3.2, BT.2020-2 table 4 and H.273 table 4: Y = 0.299 R + 0.587 G + 0.114 B and so
  /// on.
  @Test(arguments: [
    (ColorMatrix.bt601, 0.299, 0.587, 0.114), (.bt709, 0.2126, 0.7152, 0.0722), (.bt2020, 0.2627, 0.6780, 0.0593),
    (.fcc, 0.30, 0.59, 0.11), (.smpte240M, 0.212, 0.701, 0.087),
  ])
  func weightsAreThoseOfTheRecommendation(_ matrix: ColorMatrix, _ red: Double, _ green: Double, _ blue: Double) {
    #expect(matrix.lumaWeights.map { $0.red == red && $0.blue == blue } == true)
    #expect(abs(1 - red - blue - green) < 1e-9)
  }

  @Test(arguments: [
    ColorMatrix.unspecified, .identity, .yCgCo, .bt2020Constant, .smpte2085, .chromaticityDerived,
    .chromaticityDerivedConstant, .iCtCp, .other,
  ])
  func whereThereIsNoKnownLumaThereAreNoWeights(_ matrix: ColorMatrix) {
    #expect(matrix.lumaWeights == nil)
    #expect(matrix.isConvertible == (matrix == .yCgCo))
    #expect(matrix.isForeign == ![.unspecified, .identity, .yCgCo].contains(matrix))
  }

  @Test(arguments: [
    (Size(720, 576), ColorMatrix.bt601), (Size(720, 577), .bt709), (Size(1024, 1), .bt601), (Size(1025, 1), .bt709),
  ])
  func filmsThatNameNoneAreTakenBySize(_ size: Size, _ matrix: ColorMatrix) {
    #expect(ColorMatrix.customary(for: size) == matrix)
  }
}
