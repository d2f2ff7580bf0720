import SafelightFrames
import SafelightImage
import Testing

@Suite struct FrameSequenceSourceTests {
  private let folder: TemporaryFolder
  private static let duration = MediaTime(value: 1001, timescale: 30000)

  init() throws {
    folder = try TemporaryFolder()
  }

  private func frames(_ images: [Image]) throws -> [Frame] {
    for (index, image) in images.enumerated() { try PNGFile(image: image).write(to: folder("f\(index).png")) }
    return try FrameList([folder.path]).frames
  }

  private func noise(_ count: Int, _ channels: Channels, _ depth: SampleDepth) -> [Image] {
    (0..<count).map { SyntheticImage.noise.image(Size(5, 3), channels: channels, depth: depth).shifted(by: $0) }
  }

  @Test(arguments: [
    (Channels.rgb, SampleDepth.bits8, PixelLayout.rgba8), (.rgba, .bits16, .rgba16), (.gray, .bits8, .gray8),
    (.gray, .bits16, .gray16),
  ])
  func picturesFollowOneAnother(_ channels: Channels, _ depth: SampleDepth, _ layout: PixelLayout) async throws {
    let images = noise(4, channels, depth)
    let source = try FrameSequenceSource(frames(images), frameDuration: Self.duration)
    #expect(source.format.layout == layout && source.format.size == Size(5, 3))
    #expect(source.format.timeBase == MediaTime(value: 1, timescale: 30000))
    let frames = try await source.collected()
    var color = ColorDescription(
      matrix: .identity, range: .full, alpha: channels.hasAlpha ? .straight : channels.isGray ? .unspecified : .opaque)
    #expect(source.format.color == color)
    // A picture without alpha says so by its channels.
    if color.alpha == .opaque { color.alpha = .unspecified }
    #expect(
      frames.map { $0.image(channels: channels == .gray ? .rgba : channels) }
        == images.map { $0.replacing(bytes: $0.bytes, color: color) })
    #expect(frames.map(\.presentationTime.value) == [0, 1001, 2002, 3003])
    #expect(frames.allSatisfy { $0.duration == Self.duration && $0.presentationTime.timescale == 30000 })
    #expect(frames.map(\.index) == [0, 1, 2, 3])
  }

  @Test func otherOrdersHoldTheSameSamples() async throws {
    let colors = noise(1, .rgba, .bits8)
    let blueFirst = try FrameSequenceSource(frames(colors), frameDuration: Self.duration, layout: .bgra8)
    let pixel = try #require(try await blueFirst.collected().first?.planes[0].bytes.prefix(4))
    #expect(Array(pixel) == [colors[0].bytes[2], colors[0].bytes[1], colors[0].bytes[0], colors[0].bytes[3]])

    let gray = noise(1, .gray, .bits8)
    let wide = try FrameSequenceSource(frames(gray), frameDuration: Self.duration, layout: .rgba8)
    #expect(
      try await wide.collected().first?.planes[0].bytes == gray[0].bytes.flatMap { [$0, $0, $0, 255] })

    let deep = noise(1, .gray, .bits16)
    let wideDeep = try FrameSequenceSource(frames(deep), frameDuration: Self.duration, layout: .rgba16)
    let low = deep[0].bytes[0]
    let high = deep[0].bytes[1]
    #expect(
      try await wideDeep.collected().first?.planes[0].bytes.prefix(8) == [low, high, low, high, low, high, 255, 255])
  }

  @Test func layoutsThatLoseAreRefused() throws {
    let frames = try frames(noise(1, .rgb, .bits16))
    expectError(.unsupported, mentioning: "rgba16", "bgra8") {
      _ = try FrameSequenceSource(frames, frameDuration: Self.duration, layout: .bgra8)
    }
    expectError(.usage, mentioning: "0/30 s") {
      _ = try FrameSequenceSource(frames, frameDuration: MediaTime(value: 0, timescale: 30))
    }
    expectError(.missingInput, mentioning: "empty") { _ = try FrameSequenceSource([], frameDuration: Self.duration) }
  }

  @Test func anotherSizeOrKindOnTheWayIsAnError() async throws {
    let small = SyntheticImage.ramp.image(Size(4, 3), channels: .rgb, depth: .bits8)
    let source = try FrameSequenceSource(frames(noise(2, .rgb, .bits8) + [small]), frameDuration: Self.duration)
    var count = 0
    await expectError(.input, mentioning: "f2.png", "4×3", "5×3") {
      for try await _ in source { count += 1 }
    }
    #expect(count == 2)
    let deep = try FrameSequenceSource(
      frames(noise(1, .rgb, .bits8) + noise(1, .rgb, .bits16)), frameDuration: Self.duration)
    await expectError(.unsupported, mentioning: "f1.png", "rgba16", "rgba8") { _ = try await deep.collected() }
  }

  @Test func aFileThatIsGoneIsAnError() async throws {
    let frames = try frames(noise(1, .rgb, .bits8)) + [Frame(index: 1, number: 2, path: folder("gone.png"))]
    let source = try FrameSequenceSource(frames, frameDuration: Self.duration)
    await expectError(.missingInput, mentioning: "gone.png") { _ = try await source.collected() }
  }

  @Test func aTimeBeyondAllClocksIsAnError() async throws {
    let source = try FrameSequenceSource(
      frames(noise(3, .gray, .bits8)), frameDuration: MediaTime(value: .max / 2 + 1, timescale: 1))
    await expectError(.limit, mentioning: "f2.png", "out of range") { _ = try await source.collected() }
  }
}

extension Image {
  /// Another picture for each `offset`.
  fileprivate func shifted(by offset: Int) -> Image {
    guard channels != .rgb else {
      return replacing(
        bytes: bytes.enumerated().map {
          $0 % (4 * depth.rawValue / 8) / (depth.rawValue / 8) == 3 ? $1 : $1 &+ UInt8(offset)
        })
    }
    return replacing(bytes: bytes.map { $0 &+ UInt8(offset) })
  }
}
