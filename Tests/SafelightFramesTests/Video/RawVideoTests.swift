import SafelightFrames
import SafelightImage
import Testing

@Suite struct RawVideoTests {
  private let folder = TemporaryFolder()

  /// A film of 25 frames per second.
  private func film(
    _ path: String, _ pixels: RawPixels, _ size: Size, color: ColorDescription = .unspecified
  ) throws -> RawSource {
    try RawSource(
      .file(path), pixels: pixels, size: size, frameDuration: MediaTime(value: 1, timescale: 25), color: color)
  }

  @Test(arguments: RawPixels.all) func framesArePreserved(_ pixels: RawPixels) async throws {
    let format = PaintedFrames.format(pixels.layout, Size(5, 3))
    let frames = PaintedFrames.frames(format, count: 2)
    try await RawWriter(.file(folder("a.raw")), format: format, pixels: pixels).write(frames)
    let source = try film(folder("a.raw"), pixels, Size(5, 3))
    for _ in 0..<2 {
      let read = try await source.collected()
      #expect(read.map(\.presentationTime.seconds) == [0, 0.04])
      let expected = frames.map { frame in
        frame.planes.map { plane in pixels.samples.samples(pixels.samples.stored(plane.bytes)) }
      }
      #expect(read.map { $0.planes.map(\.bytes) } == expected)
    }
    let stored = pixels.layout.planeByteCounts(of: Size(5, 3)).map(pixels.samples.storedByteCount).reduce(0, +)
    #expect(try folder.read("a.raw").count == 2 * stored)
  }

  @Test func redGreenBlueAreFullByDefault() throws {
    let path = try folder.write("a.raw")
    func color(_ pixels: RawPixels, _ color: ColorDescription) throws -> ColorDescription {
      try film(path, pixels, Size(1, 1), color: color).format.color
    }
    let rgb = try RawPixels(named: "rgb24")
    #expect(try color(rgb, .unspecified) == ColorDescription(matrix: .identity, range: .full, alpha: .opaque))
    #expect(try color(rgb, ColorDescription(range: .limited)).range == .limited)
    #expect(try color(RawPixels(named: "yuv420p"), .unspecified) == .unspecified)
  }

  @Test func truncatedFramesAreMeasured() async throws {
    let path = try folder.write("a.raw", [UInt8](repeating: 7, count: 30))
    let source = try film(path, RawPixels(named: "rgb24"), Size(3, 2))
    #expect(await source.count(before: .input, mentioning: "frame 2 is cut short: 12 of its 18 bytes") == 1)
  }

  @Test func invalidArgumentsAreRefused() throws {
    expectError(.usage, mentioning: "pixels rgb23", "rgb24, rgb48le") { _ = try RawPixels(named: "rgb23") }
    for (size, duration) in [(Size(0, 1), Int64(1)), (Size(1 << 40, 1), 1), (Size(1, 1), 0)] {
      expectError(.usage, mentioning: "/dev/null") {
        _ = try RawSource(
          .file("/dev/null"), pixels: RawPixels(named: "gray"), size: size,
          frameDuration: MediaTime(value: duration, timescale: 25))
      }
    }
    expectError(.usage, mentioning: "pixels rgb24 store rgba8, but the frames are gray8") {
      _ = try RawWriter(
        .file(folder("a.raw")), format: PaintedFrames.format(.gray8, Size(1, 1)), pixels: RawPixels(named: "rgb24"))
    }
  }
}

@Suite struct StoredSamplesTests {
  private static func words(_ words: [UInt16]) -> [UInt8] { words.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } }

  /// Every sample of every depth is restored, order is kept, and white stays white.
  @Test(arguments: [9, 10, 12, 14, 15]) func grayIsPreserved(_ bits: Int) {
    let all = (0..<1 << bits).map { UInt16($0) }
    for isLimited in [false, true] {
      let samples = StoredSamples.gray(bits: bits, isLimited: isLimited)
      let wide = samples.samples(Self.words(all))
      #expect(samples.stored(wide) == Self.words(all))
      let steps = stride(from: 0, to: wide.count, by: 2).map { (at: Int) -> UInt16 in
        UInt16(wide[at]) | UInt16(wide[at + 1]) << 8
      }
      let white: UInt16 = isLimited ? .max << (16 - bits) : .max
      #expect(steps.last == white)
      #expect(zip(steps, steps.dropFirst()).allSatisfy(<))
    }
  }

  @Test func examplesOfTheRule() {
    func wide(_ word: UInt16, _ bits: Int, _ isLimited: Bool) -> [UInt8] {
      StoredSamples.gray(bits: bits, isLimited: isLimited).samples(Self.words([word]))
    }
    #expect(wide(0x155, 10, false) == Self.words([0x5555]))
    #expect(wide(0xABC, 12, false) == Self.words([0xABCA]))
    // Black and white of the limited range are those of 16 bits.
    #expect(wide(64, 10, true) == Self.words([16 << 8]) && wide(940, 10, true) == Self.words([235 << 8]))
    // Above the largest sample.
    #expect(wide(0xFFFF, 10, false) == Self.words([0xFFFF]))
  }

  @Test func alphaIsDroppedAndRestoredAsOpaque() {
    let bytes = StoredSamples.withoutAlpha(.bits8)
    #expect(bytes.stored([1, 2, 3, 4, 5, 6, 7, 8]) == [1, 2, 3, 5, 6, 7])
    #expect(bytes.samples([1, 2, 3, 5, 6, 7]) == [1, 2, 3, 255, 5, 6, 7, 255])
    #expect(bytes.storedByteCount(8) == 6)
    let words = StoredSamples.withoutAlpha(.bits16)
    #expect(words.stored([1, 2, 3, 4, 5, 6, 7, 8]) == [1, 2, 3, 4, 5, 6])
    #expect(words.samples([1, 2, 3, 4, 5, 6]) == [1, 2, 3, 4, 5, 6, 255, 255])
  }
}
