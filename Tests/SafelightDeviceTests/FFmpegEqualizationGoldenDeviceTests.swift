import Foundation
import Safelight
import TestSupport
import Testing

/// The pictures of the fixtures by `rule=ffmpeg`, against hashes of what ffmpeg's histeq made of them.
@Suite struct FFmpegEqualizationGoldenDeviceTests {
  @Test(arguments: TestDevice.all)
  func pixelsAreFFmpegs(_ test: TestDevice) async throws {
    let device = try test.open()
    let frozen = try Self.frozen()
    let pictures = try frozen.keys.map { ($0, try PNGFile(reading: Fixtures.path($0)).image) }
    var compared = 0
    for filter in Set(frozen.values.flatMap(\.keys)).sorted() {
      let processor = FrameProcessor(device: device, chain: try FilterChain(parsing: filter, device: device))
      var images: [String: Image] = [:]
      for (name, image) in pictures { images[name] = try await processor.process(image, label: name) }
      for (name, hash) in try PixelHashes.of(images) {
        #expect(hash == frozen[name]?[filter], "\(name), \(filter)")
        compared += 1
      }
    }
    #expect(compared > 280)
  }

  /// Two equal frames have the table of one, and histograms of frames are summed as those of other rules are.
  @Test(arguments: TestDevice.all)
  func aFilmOfOnePictureIsThatPicture(_ test: TestDevice) async throws {
    let device = try test.open()
    let image = SyntheticImage.ramp.image(Size(65, 63), channels: .rgb, depth: .bits8)
    func frames(_ filter: String) async throws -> [Image] {
      let processor = FrameProcessor(device: device, chain: try FilterChain(parsing: filter, device: device))
      return [try await processor.process(image, label: "first"), try await processor.process(image, label: "second")]
    }
    let one = try await frames("equalize=rule=ffmpeg:intensity=0.5")
    let film = try await frames("equalize=rule=ffmpeg:intensity=0.5:smooth=2")
    #expect(film == one && one[0] != image)
  }

  @Test(arguments: [
    ("equalize=rule=ffmpeg:channels=luma", "leave channels away"),
    ("equalize=strength=0.5", "leave strength away, or use rule=ffmpeg"),
    ("equalize=rule=opencv:intensity=0.5", "leave intensity away, or use rule=ffmpeg"),
  ])
  func whatTheRuleHasNotIsRefused(_ filter: String, _ remedy: String) throws {
    let device = try Device.open(.cpu)
    let error = #expect(throws: SafelightError.self) { try FilterChain(parsing: filter, device: device) }
    #expect(error?.kind == .usage && error?.remedy == remedy)
  }

  @Test func sixteenBitsAreRefused() async throws {
    let device = try Device.open(.cpu)
    let image = SyntheticImage.noise.image(Size(3, 2), channels: .rgb, depth: .bits16)
    let chain = try FilterChain(parsing: "equalize=rule=ffmpeg", device: device)
    let error = await #expect(throws: SafelightError.self) {
      try await FrameProcessor(device: device, chain: chain).process(image, label: "deep")
    }
    #expect(error?.kind == .unsupported && error?.why == "it is ffmpeg's histeq, which takes no pictures of 16 bits")
  }

  /// By file and by filter.
  private static func frozen() throws -> [String: [String: String]] {
    struct Hashes: Decodable {
      let pictures: [String: [String: String]]
    }
    let data = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("golden/equalization/histeq.json")))
    let hashes = try JSONDecoder().decode(Hashes.self, from: data).pictures
    try #require(hashes.count > 70, "the frozen hashes are not complete")
    return hashes
  }
}
