import Foundation
import Safelight
import TestSupport
import Testing

/// By file and by channels.
private func equalizationHashes() throws -> [String: [String: String]] {
  try Fixtures.hashes("equalization/hashes", above: 80)
}

/// By file, by rule and by channels.
private func equalizationRuleHashes() throws -> [String: [String: [String: String]]] {
  try Fixtures.pictureHashes("equalization/rules", above: 80)
}

/// Every picture of the fixtures, equalized, against hashes computed without this package.
@Suite struct EqualizationGoldenDeviceTests {
  @Test(arguments: TestDevice.all, ["each", "luma", "each:counts=all", "luma:counts=all"])
  func pixelsHaveTheFrozenHashes(_ test: TestDevice, _ channels: String) async throws {
    let device = try test.open()
    let frozen = try equalizationHashes().filter { name, _ in
      // Three frames of a film suffice; the twins, which are fastest, take them all.
      device.info.isCPU || !name.hasPrefix("dark-room/") || ["01.png", "12.png", "24.png"].contains(name.suffix(6))
    }
    // Where all pixels count by default, there is no other hash for counts=all.
    let hashes = frozen.compactMapValues { $0[channels] }
    try await expectHashes(hashes, after: "equalize=channels=\(channels)", on: device)
    #expect(channels.hasSuffix("all") ? hashes.count > 10 : hashes.count == frozen.count)
  }

  /// Pictures that were not equalized have other hashes.
  @Test func untouchedPixelsHaveOtherHashes() throws {
    let frozen = try equalizationHashes()
    for (name, channels) in [("dark-room/frame0001.png", "each"), ("made/rgb16-dark.png", "luma")] {
      #expect(try Fixtures.image(name).pixelHash != frozen[name]?[channels])
    }
  }
}

/// Every picture of the fixtures, equalized by the rules of other programs, against hashes of what those programs made.
@Suite struct EqualizationRuleGoldenDeviceTests {
  @Test(arguments: TestDevice.all, ["opencv", "pillow", "libvips"])
  func pixelsAreThoseOfTheProgram(_ test: TestDevice, _ rule: String) async throws {
    let device = try test.open()
    let frozen = try equalizationRuleHashes().filter { name, _ in
      // A film is much of the same: one of its frames, and all on the twins, whose time they cost least.
      device.info.isCPU || !name.hasPrefix("dark-room/") || name.hasSuffix("12.png")
    }
    // The program takes no such picture, and neither does the filter.
    for name in frozen.keys where frozen[name]?[rule] == nil {
      #expect(try Fixtures.image(name).depth == .bits16, "\(name)")
    }
    for channels in ["each", "luma"] {
      let count = try await expectHashes(
        frozen.mapValues { $0[rule]?[channels] }, after: "equalize=rule=\(rule):channels=\(channels)", on: device)
      #expect(count > 60)
    }
  }

  /// The default, which leaves pixels of alpha 0 out, is that of this package's rule alone.
  @Test(arguments: ["opencv", "pillow", "libvips", "ffmpeg"]) func programsCountAllPixels(_ rule: String) async throws {
    let image = try Fixtures.image("made/rgba8-sprite.png")
    let made = try await FrameProcessor("equalize=rule=\(rule)", on: .open(.cpu)).process(image)
    let all = try await FrameProcessor("equalize=rule=\(rule):counts=all", on: .open(.cpu)).process(image)
    #expect(made == all && made != image)
  }

  /// Were all rules one, these hashes would prove little: on the fixtures no two of them agree.
  @Test(arguments: ["each", "luma"]) func noTwoRulesAgree(_ channels: String) throws {
    let sums = try equalizationHashes()
    let programs = try equalizationRuleHashes()
    let names = programs.filter { $0.value.count == 3 }.keys
    let hashes = ["opencv", "pillow", "libvips"].map { rule in names.map { programs[$0]?[rule]?[channels] } }
    let all = hashes + [names.map { sums[$0]?[channels] }]
    for (number, one) in all.enumerated() {
      for other in all[..<number] { #expect(zip(one, other).count { $0 != $1 } > 30) }
    }
  }

  @Test(arguments: ["opencv", "pillow"]) func aDepthThatTheProgramLacksIsRefused(_ rule: String) async throws {
    let error = try await refusalOf16Bits("saturation=2,equalize=rule=\(rule)")
    #expect(error?.kind == .unsupported)
    #expect(error?.what == "deep: equalization rule '\(rule)'")
    #expect(error?.why.hasSuffix("takes no pictures of 16 bits") == true)
    #expect(error?.remedy == "use the rule normalized-sum or libvips")
  }
}

/// The pictures of the fixtures by `rule=ffmpeg`, against hashes of what ffmpeg's histeq made of them.
@Suite struct FFmpegEqualizationGoldenDeviceTests {
  @Test(arguments: TestDevice.all)
  func pixelsAreFFmpegs(_ test: TestDevice) async throws {
    let frozen: [String: [String: String]] = try Fixtures.pictureHashes("equalization/histeq", above: 70)
    var compared = 0
    for filter in Set(frozen.values.flatMap(\.keys)) {
      compared += try await expectHashes(frozen.mapValues { $0[filter] }, after: filter, on: test.open())
    }
    #expect(compared > 280)
  }

  /// Two equal frames have the table of one, and histograms of frames are summed as those of other rules are.
  @Test(arguments: TestDevice.all)
  func aFilmOfOnePictureIsThatPicture(_ test: TestDevice) async throws {
    let device = try test.open()
    let image = SyntheticImage.ramp.image(Size(65, 63), channels: .rgb, depth: .bits8)
    func frames(_ filter: String) async throws -> [Image] {
      let processor = try FrameProcessor(filter, on: device)
      return [try await processor.process(image, label: "first"), try await processor.process(image, label: "second")]
    }
    let one = try await frames("equalize=rule=ffmpeg:intensity=0.5")
    let film = try await frames("equalize=rule=ffmpeg:intensity=0.5:smooth=2")
    #expect(film == one && one[0] != image)
  }

  @Test(arguments: [
    ("equalize=rule=ffmpeg:channels=luma", "leave out channels"),
    ("equalize=strength=0.5", "leave out strength, or use rule=ffmpeg"),
    ("equalize=rule=opencv:intensity=0.5", "leave out intensity, or use rule=ffmpeg"),
  ])
  func whatTheRuleHasNotIsRefused(_ filter: String, _ remedy: String) {
    expectRefusal(.usage, ofChain: filter, remedy: .whole(remedy))
  }

  @Test func sixteenBitsAreRefused() async throws {
    let error = try await refusalOf16Bits("equalize=rule=ffmpeg")
    #expect(error?.kind == .unsupported && error?.why == "it is ffmpeg's histeq, which takes no pictures of 16 bits")
  }
}

/// The pictures of the fixtures after `clahe`, against hashes of what OpenCV made of them.
@Suite struct ContrastLimitedGoldenDeviceTests {
  @Test(arguments: TestDevice.all)
  func pixelsAreOpenCVs(_ test: TestDevice) async throws {
    let frozen: [String: [String: [String: String]]] = try Fixtures.pictureHashes("equalization/clahe", above: 80)
    var compared = 0
    for settings in Set(frozen.values.flatMap(\.keys)) {
      let hashes = frozen.compactMapValues { $0[settings] }
      for channels in ["each", "luma", "each:counts=all", "luma:counts=all"] {
        let chosen: [String: String] = hashes.compactMapValues { $0[channels] }
        compared += try await expectHashes(
          chosen, after: "clahe=\(settings):channels=\(channels)", on: test.open())
      }
    }
    #expect(compared > 780)
  }

  @Test func moreTilesThanTablesAreRefused() async throws {
    let error = try await refusalOf16Bits("clahe=columns=13:rows=5")
    #expect(error?.kind == .limit && error?.what == "deep: clahe of 13×5 tiles")
    #expect(error?.why.contains("at most 64 tiles") == true && error?.remedy?.contains("fewer columns or rows") == true)
  }
}

/// Pictures of the fixtures matched to two of them, against hashes computed without this package.
@Suite struct SpecificationGoldenDeviceTests {
  @Test(arguments: TestDevice.all)
  func pixelsAreThoseOfTheDefinition(_ test: TestDevice) async throws {
    let frozen: [String: [String: [String: String]]] = try Fixtures.hashes("histogram/specification", above: 80)
    for reference in Set(frozen.values.flatMap(\.keys)) {
      for channels in ["each", "luma", "each:counts=all", "luma:counts=all"] {
        let chain = "match='\(Fixtures.path(reference))':channels=\(channels)"
        let hashes = frozen.compactMapValues { $0[reference]?[channels] }
        #expect(try await expectHashes(hashes, after: chain, on: test.open()) > (channels.hasSuffix("all") ? 5 : 30))
      }
    }
  }
}
