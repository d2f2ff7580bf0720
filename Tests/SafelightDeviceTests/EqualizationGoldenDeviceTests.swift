import Foundation
import Safelight
import TestSupport
import Testing

/// Every picture of the fixtures, equalized, against hashes computed without this package.
@Suite struct EqualizationGoldenDeviceTests {
  @Test(arguments: TestDevice.all, ["each", "luma"])
  func pixelsHaveTheFrozenHashes(_ test: TestDevice, _ channels: String) async throws {
    let device = try test.open()
    let frozen = try Fixtures.equalizationHashes().filter { name, _ in
      // Three frames of a film suffice; the twins, which are fastest, take them all.
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

  /// Pictures that were not equalized have other hashes.
  @Test func untouchedPixelsHaveOtherHashes() throws {
    let frozen = try Fixtures.equalizationHashes()
    let names = ["dark-room/frame0001.png", "made/rgb16-dark.png", "made/grey8-ramp.png"]
    let images = try names.map { try PNGFile(reading: Fixtures.path($0)).image }
    let hashes = try PixelHashes.of(Dictionary(uniqueKeysWithValues: zip(names, images)))
    #expect(hashes["dark-room/frame0001.png"] != frozen["dark-room/frame0001.png"]?["each"])
    #expect(hashes["made/rgb16-dark.png"] != frozen["made/rgb16-dark.png"]?["luma"])
  }
}

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

/// The pictures of the fixtures by `rule=ffmpeg`, against hashes of what ffmpeg's histeq made of them.
@Suite struct FFmpegEqualizationGoldenDeviceTests {
  @Test(arguments: TestDevice.all)
  func pixelsAreFFmpegs(_ test: TestDevice) async throws {
    let device = try test.open()
    let frozen = try Fixtures.histeqHashes()
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
    ("equalize=rule=ffmpeg:channels=luma", "leave out channels"),
    ("equalize=strength=0.5", "leave out strength, or use rule=ffmpeg"),
    ("equalize=rule=opencv:intensity=0.5", "leave out intensity, or use rule=ffmpeg"),
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
}

/// The pictures of the fixtures after `clahe`, against hashes of what OpenCV made of them.
@Suite struct ContrastLimitedGoldenDeviceTests {
  @Test(arguments: TestDevice.all)
  func pixelsAreOpenCVs(_ test: TestDevice) async throws {
    let device = try test.open()
    let frozen = try Fixtures.claheHashes()
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
    #expect(error?.why.contains("at most 64 tiles") == true && error?.remedy?.contains("fewer columns or rows") == true)
  }
}

/// Pictures of the fixtures matched to two of them, against hashes computed without this package.
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
