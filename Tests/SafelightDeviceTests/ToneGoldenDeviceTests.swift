import Safelight
import TestSupport
import Testing

/// Filters of tone, size and surroundings on pictures of the fixtures, against hashes of what decimals and integers of another program make.
@Suite struct ToneGoldenDeviceTests {
  @Test(arguments: TestDevice.all)
  func pixelsAreThoseOfTheDefinition(_ test: TestDevice) async throws {
    let device = try test.open()
    let frozen = try Fixtures.toneHashes()
    let pictures = try Dictionary(
      uniqueKeysWithValues: Set(frozen.values.flatMap(\.keys)).map {
        ($0, try PNGFile(reading: Fixtures.path($0)).image)
      })
    var images: [String: Image] = [:]
    for (text, hashes) in frozen {
      let chain = try FilterChain(
        parsing: text.replacing("FIXTURES", with: Fixtures.path("")), device: device)
      let processor = FrameProcessor(device: device, chain: chain)
      for (name, picture) in pictures {
        // Tables of 16 bits are made by the CPU for every device: once is enough where nothing else is.
        if picture.depth == .bits16, !device.info.isCPU, !Self.worksOnTheDevice(text) { continue }
        guard hashes[name] != nil else {
          let error = await #expect(throws: SafelightError.self) { try await processor.process(picture, label: name) }
          #expect(error?.kind == .unsupported)
          continue
        }
        images["\(text) \(name)"] = try await processor.process(picture, label: name)
      }
    }
    #expect(images.count > 400)
    let made = try PixelHashes.of(images)
    for (text, hashes) in frozen {
      for (name, hash) in hashes {
        guard let found = made["\(text) \(name)"] else { continue }
        #expect(found == hash, "\(text) of \(name)")
      }
    }
  }

  /// Whether more than a look-up happens there.
  private static func worksOnTheDevice(_ chain: String) -> Bool {
    ["stretch", "threshold", "lut", "invert", "crop", "median", "resize", "over"].contains { chain.hasPrefix($0) }
  }
}
