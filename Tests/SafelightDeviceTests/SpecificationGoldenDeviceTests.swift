import Safelight
import TestSupport
import Testing

/// Pictures of the fixtures matched to two of them, against hashes that were computed elsewhere.
@Suite struct SpecificationGoldenDeviceTests {
  @Test(arguments: TestDevice.all)
  func pixelsAreThoseOfTheDefinition(_ test: TestDevice) async throws {
    let device = try test.open()
    let frozen = try Fixtures.specificationHashes()
    for reference in Set(frozen.values.flatMap(\.keys)).sorted() {
      for channels in ["each", "luma"] {
        let chain = try FilterChain(
          parsing: "match='\(Fixtures.path(reference))':channels=\(channels)", device: device)
        let processor = FrameProcessor(device: device, chain: chain)
        var images: [String: Image] = [:]
        for (name, hashes) in frozen where hashes[reference]?[channels] != nil {
          images[name] = try await processor.process(
            try PNGFile(reading: Fixtures.path(name)).image, label: name)
        }
        #expect(images.count > 30)
        for (name, hash) in try PixelHashes.of(images) {
          #expect(hash == frozen[name]?[reference]?[channels], "\(name) to \(reference), \(channels)")
        }
      }
    }
  }
}
