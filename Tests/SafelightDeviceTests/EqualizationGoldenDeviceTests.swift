import Safelight
import TestSupport
import Testing

/// Every picture of the fixtures, equalized, against hashes that were computed without this package.
@Suite struct EqualizationGoldenDeviceTests {
  @Test(arguments: TestDevice.all, ["each", "luma"])
  func pixelsHaveTheFrozenHashes(_ test: TestDevice, _ channels: String) async throws {
    let device = try test.open()
    let frozen = try Fixtures.equalizationHashes().filter { name, _ in
      // A film is much of the same: three of its frames, and all on the twins, whose time they cost least.
      device.info.isCPU || !name.hasPrefix("dark-room/") || ["01.png", "12.png", "24.png"].contains(name.suffix(6))
    }
    let processor = FrameProcessor(
      device: device, chain: try FilterChain(parsing: "equalize=channels=\(channels)", device: device))
    var images: [String: Image] = [:]
    for name in frozen.keys.sorted() {
      images[name] = try await processor.process(PNGFile(reading: Fixtures.path(name)).image, label: name)
    }
    let hashes = try PixelHashes.of(images)
    #expect(hashes.count == frozen.count)
    for (name, expected) in frozen {
      #expect(hashes[name] == expected[channels], "\(name)")
    }
  }

  /// The hash itself can tell: pictures that were not equalized have others.
  @Test func untouchedPixelsHaveOtherHashes() throws {
    let frozen = try Fixtures.equalizationHashes()
    let names = ["dark-room/frame0001.png", "made/rgb16-dark.png", "made/grey8-ramp.png"]
    let images = try names.map { try PNGFile(reading: Fixtures.path($0)).image }
    let hashes = try PixelHashes.of(Dictionary(uniqueKeysWithValues: zip(names, images)))
    #expect(hashes["dark-room/frame0001.png"] != frozen["dark-room/frame0001.png"]?["each"])
    #expect(hashes["made/rgb16-dark.png"] != frozen["made/rgb16-dark.png"]?["luma"])
  }
}
