import Foundation
import Safelight
import TestSupport
import Testing

/// The pictures of the fixtures after `clahe`, against hashes of what OpenCV made of them.
@Suite struct ContrastLimitedGoldenDeviceTests {
  @Test(arguments: TestDevice.all)
  func pixelsAreOpenCVs(_ test: TestDevice) async throws {
    let device = try test.open()
    let frozen = try Self.frozen()
    let pictures = try frozen.keys.map { ($0, try PNGFile(reading: Fixtures.path($0)).image) }
    var compared = 0
    for settings in Set(frozen.values.flatMap(\.keys)).sorted() {
      for channels in ["each", "luma"] {
        let chain = try FilterChain(parsing: "clahe=\(settings):channels=\(channels)", device: device)
        let processor = FrameProcessor(device: device, chain: chain)
        var images: [String: Image] = [:]
        for (name, image) in pictures where frozen[name]?[settings] != nil {
          images[name] = try await processor.process(image, label: name)
        }
        for (name, hash) in try PixelHashes.of(images) {
          #expect(hash == frozen[name]?[settings]?[channels], "\(name), \(settings), \(channels)")
          compared += 1
        }
      }
    }
    #expect(compared > 700)
  }

  @Test func moreTilesThanTablesAreRefused() async throws {
    let device = try Device.open(.cpu)
    let image = SyntheticImage.noise.image(Size(3, 2), channels: .rgb, depth: .bits16)
    let chain = try FilterChain(parsing: "clahe=columns=13:rows=5", device: device)
    let error = await #expect(throws: SafelightError.self) {
      try await FrameProcessor(device: device, chain: chain).process(image, label: "deep")
    }
    #expect(error?.kind == .limit && error?.what == "deep: clahe of 13×5 tiles")
    #expect(error?.why.contains("takes 64 tiles") == true && error?.remedy?.contains("fewer columns or rows") == true)
  }

  /// By file, by settings and by channels.
  private static func frozen() throws -> [String: [String: [String: String]]] {
    struct Hashes: Decodable {
      let pictures: [String: [String: [String: String]]]
    }
    let data = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("golden/equalization/clahe.json")))
    let hashes = try JSONDecoder().decode(Hashes.self, from: data).pictures
    try #require(hashes.count > 80, "the frozen hashes are not complete")
    return hashes
  }
}
