import Safelight
import TestSupport
import Testing

/// Every picture of the fixtures, equalized by the rules of other programs, against hashes of what those programs made.
@Suite struct EqualizationRuleGoldenDeviceTests {
  @Test(arguments: TestDevice.all, ["opencv", "pillow", "libvips"])
  func pixelsAreThoseOfTheProgram(_ test: TestDevice, _ rule: String) async throws {
    let device = try test.open()
    let frozen = try Fixtures.equalizationRuleHashes().filter { name, _ in
      // A film is much of the same: one of its frames, and all on the twins, whose time they cost least.
      device.info.isCPU || !name.hasPrefix("dark-room/") || name.hasSuffix("12.png")
    }
    for channels in ["each", "luma"] {
      let chain = try FilterChain(parsing: "equalize=rule=\(rule):channels=\(channels)", device: device)
      let processor = FrameProcessor(device: device, chain: chain)
      var images: [String: Image] = [:]
      for (name, rules) in frozen {
        let image = try PNGFile(reading: Fixtures.path(name)).image
        guard rules[rule] != nil else {
          // The program takes no such picture, and neither does the filter.
          let error = await #expect(throws: SafelightError.self) { try await processor.process(image, label: name) }
          #expect(error?.kind == .unsupported && image.depth == .bits16)
          continue
        }
        images[name] = try await processor.process(image, label: name)
      }
      #expect(images.count > 60)
      let hashes = try PixelHashes.of(images)
      for (name, hash) in hashes { #expect(hash == frozen[name]?[rule]?[channels], "\(name), \(channels)") }
    }
  }

  /// Were all rules one, these hashes would prove little: on the fixtures no two of them agree.
  @Test(arguments: ["each", "luma"]) func noTwoRulesAgree(_ channels: String) throws {
    let sums = try Fixtures.equalizationHashes()
    let programs = try Fixtures.equalizationRuleHashes()
    let names = programs.filter { $0.value.count == 3 }.keys
    let hashes = ["opencv", "pillow", "libvips"].map { rule in names.map { programs[$0]?[rule]?[channels] } }
    let all = hashes + [names.map { sums[$0]?[channels] }]
    for (number, one) in all.enumerated() {
      for other in all[..<number] { #expect(zip(one, other).count { $0 != $1 } > 30) }
    }
  }

  @Test func aDepthThatTheProgramLacksIsRefused() async throws {
    let device = try Device.open(.cpu)
    let image = SyntheticImage.noise.image(Size(3, 2), channels: .rgb, depth: .bits16)
    for rule in ["opencv", "pillow"] {
      let chain = try FilterChain(parsing: "saturation=2,equalize=rule=\(rule)", device: device)
      let error = await #expect(throws: SafelightError.self) {
        try await FrameProcessor(device: device, chain: chain).process(image, label: "deep")
      }
      #expect(error?.kind == .unsupported)
      #expect(error?.what == "deep: equalization rule '\(rule)'")
      #expect(error?.why.hasSuffix("takes no pictures of 16 bits") == true)
      #expect(error?.remedy == "use the rule normalized-sum or libvips")
    }
  }
}
