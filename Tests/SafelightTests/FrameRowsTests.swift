import Safelight
import TestSupport
import Testing

/// Look-ups that end a chain, whose rows the CPU makes where they are encoded.
@Suite struct FrameRowsTests {
  private static let kinds = [Channels.gray, .rgb, .rgba].flatMap { channels in
    SampleDepth.allCases.map { (channels, $0) }
  }

  /// The rows are those of the whole picture, and become the same file, however high the strips are.
  @Test(
    arguments: [
      "equalize=channels=each", "equalize=channels=each:smooth=3", "equalize=rule=libvips", "gamma=1.5",
      "levels=black=0.2,invert", "blur=2,invert", "curves=points=0/1 1/0",
    ], kinds)
  func endInTheRowsOfTheWholePicture(_ chain: String, _ kind: (channels: Channels, depth: SampleDepth)) async throws {
    for size in [Size(1, 1), Size(67, 31), Size(700, 300)] {
      let picture = SyntheticImage.noise.image(size, channels: kind.channels, depth: kind.depth)
      let (rows, whole) = try await results(chain, picture)
      let made = try #require(rows)
      #expect(made.image == whole)
      for byteCount in [0, 7 * made.picture.bytesPerRow, 1 << 30] {
        var bytes: [UInt8] = []
        made.forEachStrip(ofBytes: byteCount) { bytes += $0.bytes }
        #expect(bytes == whole.bytes)
      }
      let file = try PNGEncoder.encode(made, metadata: PNGMetadata(), for: "made", codec: PNGCodec(), hashing: true)
      #expect(try file.bytes == PNGEncoder.encode(PNGFile(image: whole)))
      #expect(file.hash == whole.pixelHash)
    }
  }

  /// Chains that end in something else make whole pictures, as do frames that are replayed or captured.
  @Test(arguments: ["blur=2", "gamma=2,median=3", "crop=width=10:height=10", "saturation=2", "passthrough"])
  func otherChainsEndInPictures(_ chain: String) async throws {
    let picture = SyntheticImage.noise.image(Size(40, 30), channels: .rgb, depth: .bits8)
    #expect(try await results(chain, picture).rows == nil)
  }

  @Test func whatIsReplayedOrCapturedIsWhole() async throws {
    let device = try Device.open(.cpu)
    let picture = SyntheticImage.noise.image(Size(9, 9), channels: .rgb, depth: .bits8)
    let chain = try FilterChain(parsing: "invert", device: device)
    #expect(try await submit(picture, to: FrameProcessor(device: device, chain: chain)).rows() != nil)
    let verified = FrameProcessor(device: device, chain: chain, verifying: try Device.open(.cpu))
    #expect(try await submit(picture, to: verified).rows() == nil)
    try device.captureManager.startCapture(CaptureDescriptor(captureObject: .device, destination: CaptureCollector()))
    #expect(try await submit(picture, to: FrameProcessor(device: device, chain: chain)).rows() == nil)
  }

  /// Frames on the way share tables and pictures, and each has its own rows.
  @Test func framesOnTheWayHaveRowsOfTheirOwn() async throws {
    let device = try Device.open(.cpu)
    let chain = try FilterChain(parsing: "equalize=channels=each", device: device)
    let processor = FrameProcessor(device: device, chain: chain)
    let pictures = (0..<8).map { _ in SyntheticImage.noise.image(Size(64, 40), channels: .rgb, depth: .bits8) }
      .enumerated().map { frame, image in
        var image = image
        for index in 0..<640 { image[x: index % 64, y: index / 64, sample: 0] = 9 * frame }
        return image
      }
    let submissions = try pictures.map { try submit($0, to: processor) }
    for (picture, submission) in zip(pictures, submissions) {
      let alone = try await FrameProcessor(device: device, chain: processor.chain).process(picture)
      #expect(try await submission.rows()?.image == alone)
    }
  }

  /// Returns what a chain leaves of a picture, as rows and whole.
  private func results(_ chain: String, _ picture: Image) async throws -> (rows: ImageRows?, whole: Image) {
    let device = try Device.open(.cpu)
    let chain = try FilterChain(parsing: chain, device: device)
    let whole = try await FrameProcessor(device: device, chain: chain).process(picture)
    let rows = try await submit(picture, to: FrameProcessor(device: device, chain: chain)).rows()
    return (rows, whole)
  }

  private func submit(_ picture: Image, to processor: FrameProcessor) throws -> FrameSubmission {
    try processor.submit(.image(picture), as: .image, endsInRows: true, of: FrameIdentity(name: "picture"))
  }
}
