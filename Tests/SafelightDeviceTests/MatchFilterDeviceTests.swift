import Safelight
import TestSupport
import Testing

/// The references that `match` accepts; SpecificationGoldenDeviceTests compares its results.
@Suite struct MatchFilterDeviceTests {
  private let scratch = TemporaryFolder()

  /// A file whose pictures are matched to.
  private func reference(_ image: Image) throws -> String {
    try scratch.write(image, to: "\(image.pixelHash.suffix(16)).png")
  }

  private static let ramp = SyntheticImage.ramp.image(Size(40, 30), channels: .rgb, depth: .bits8)

  private func process(
    _ image: Image, _ reference: String, _ device: Device, _ channels: String = "each"
  ) async throws -> Image {
    try await FrameProcessor("match='\(reference)':channels=\(channels)", on: device, verifying: Device.open(.cpu))
      .process(image)
  }

  @Test(arguments: TestDevice.all)
  func aStoredHistogramIsAsGoodAsItsPicture(_ test: TestDevice) async throws {
    let device = try test.open()
    let histogram = try await HistogramReader(device: device, entries: 256).histogram(of: Self.ramp)
    let frame = HistogramReport.Frame(
      index: 0, file: "a", size: Self.ramp.size, depth: .bits8, series: histogram.series)
    let image = SyntheticImage.noise.image(Size(65, 31), channels: .rgb, depth: .bits8)
    let expected = try await process(image, reference(Self.ramp), device)
    let once = HistogramReport([frame]).json
    let edited = ["\n", " \t\r\n", "\u{FEFF}", "\u{FEFF}\n"].map { $0 + once }
    for text in [once, HistogramReport([frame, frame]).json] + edited {
      let stored = try scratch.write(text, to: "counts.json")
      #expect(try await process(image, stored, device) == expected, "\(Array(text.utf8.prefix(8)))")
    }
  }

  @Test func aColourReferenceForAGreyPictureIsRefused() async throws {
    let device = try Device.open(.cpu)
    let path = try reference(Self.ramp)
    for channels in [Channels.gray, .grayAlpha] {
      let image = SyntheticImage.noise.image(Size(5, 5), channels: channels, depth: .bits8)
      let error = await #expect(throws: SafelightError.self) { try await process(image, path, device) }
      #expect(error?.kind == .unsupported && error?.remedy == "use channels=luma, or a gray reference")
      _ = try await process(image, path, device, "luma")
    }
  }

  /// Gray with alpha, which lies in memory as three equal colors, is a gray reference too.
  @Test(arguments: TestDevice.all) func grayReferencesServeGrayPictures(_ test: TestDevice) async throws {
    let image = SyntheticImage.noise.image(Size(65, 31), channels: .gray, depth: .bits8)
    let plain = SyntheticImage.ramp.image(Size(40, 30), channels: .gray, depth: .bits8)
    let opaque = Image(
      size: plain.size, channels: .grayAlpha, depth: .bits8, bytes: plain.bytes.flatMap { [$0, $0, $0, 255] })
    let device = try test.open()
    let expected = try await process(image, reference(plain), device)
    #expect(try await process(image, reference(opaque), device) == expected)
  }

  @Test func whatIsNoHistogramIsRefused() throws {
    let many = [Int](repeating: 1, count: 256)
    let more = [Int](repeating: 0, count: 512)
    for (text, channels, part) in [
      (#"{"frames":[]}"#, "each", "no frames"), (#"{"frames":3}"#, "each", "frames is of the wrong type"),
      (#"{"frames":[{"channels":{"red":[1,2]}}]}"#, "each", "'red' has 2 entries"),
      (#"{"frames":[{"channels":{"violet":\#(many)}}]}"#, "each", "no channel 'violet'"),
      (#"{"frames":[{"channels":{"gray":\#(many)}},{"channels":{"gray":\#(more)}}]}"#, "each", "differ"),
      (#"{"frames":[{"channels":{"gray":\#([.max] + [UInt64](repeating: 9, count: 255))}}]}"#, "each", "more than"),
      (#"{"frames":[{"channels":{"red":\#(many)}}]}"#, "each", "it counts red"),
      (#"{"frames":[{"channels":{"red":\#(many),"green":\#(many),"blue":\#(many)}}]}"#, "luma", "counts of luma"),
      (#"{"#, "each", "is not JSON"),
    ] {
      let path = try scratch.write(text, to: "counts.json")
      expectRefusal(.input, ofChain: "match='\(path)':channels=\(channels)", why: .containing(part))
    }
    expectRefusal(.missingInput, ofChain: "match=/nowhere/none.png")
  }

  @Test func smoothingSaysHowItIsWritten() throws {
    let device = try Device.open(.cpu)
    for (text, part) in [
      ("smooth=one", "a number of frames such as 24, or of seconds such as 0.5s"), ("smooth=1.5", "a number of frames"),
      ("smooth=-3", "a number of frames"), ("smooth=241", "that is 241 frames; 1 to 240"),
      ("smooth=11s:rate=24", "that is 264 frames"), ("smooth=0", "that is 0 frames; 1 to 240"),
      ("smooth=0s", "that is 0 frames"), ("smooth=0.02s:rate=24", "that is 0 frames"),
    ] { expectRefusal(.usage, ofChain: "equalize=\(text)", why: .containing(part)) }
    for (text, history) in [("smooth=1", 0), ("smooth=24", 23), ("smooth=0.5s", 11), ("smooth=1s:rate=30", 29)] {
      #expect(try FilterChain(parsing: "equalize=\(text)", device: device).history == history)
    }
  }
}
