import SafelightFrames
import SafelightImage
import Testing

@Suite struct RawFilmTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: RawPixels.all) func whatIsWrittenComesBack(_ pixels: RawPixels) async throws {
    let format = PaintedFrames.format(pixels.layout, Size(5, 3))
    let frames = PaintedFrames.frames(format, count: 2)
    try await RawWriter(.file(folder("a.raw")), format: format, pixels: pixels).write(frames)
    let source = try RawSource(
      .file(folder("a.raw")), pixels: pixels, size: Size(5, 3), frameDuration: MediaTime(value: 1, timescale: 25))
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

  @Test func redGreenBlueAreFullUnlessSaid() throws {
    let path = try folder.write("a.raw")
    func color(_ pixels: RawPixels, _ color: ColorDescription) throws -> ColorDescription {
      try RawSource(
        .file(path), pixels: pixels, size: Size(1, 1), frameDuration: MediaTime(value: 1, timescale: 25), color: color
      ).format.color
    }
    let rgb = try RawPixels(named: "rgb24")
    #expect(try color(rgb, .unspecified) == ColorDescription(matrix: .identity, range: .full, alpha: .opaque))
    #expect(try color(rgb, ColorDescription(range: .limited)).range == .limited)
    #expect(try color(RawPixels(named: "yuv420p"), .unspecified) == .unspecified)
  }

  @Test func aFrameThatIsCutShortIsMeasured() async throws {
    let path = try folder.write("a.raw", [UInt8](repeating: 7, count: 30))
    let source = try RawSource(
      .file(path), pixels: RawPixels(named: "rgb24"), size: Size(3, 2),
      frameDuration: MediaTime(value: 1, timescale: 25))
    var came = 0
    await expectError(.input, mentioning: "frame 2 is cut short: 12 of its 18 bytes") {
      for try await _ in source { came += 1 }
    }
    #expect(came == 1)
  }

  @Test func whatCannotBeIsRefused() throws {
    expectError(.usage, mentioning: "pixels rgb23", "rgb24, rgb48le") { _ = try RawPixels(named: "rgb23") }
    for (size, duration) in [(Size(0, 1), Int64(1)), (Size(1 << 40, 1), 1), (Size(1, 1), 0)] {
      expectError(.usage, mentioning: "/dev/null") {
        _ = try RawSource(
          .file("/dev/null"), pixels: RawPixels(named: "gray"), size: size,
          frameDuration: MediaTime(value: duration, timescale: 25))
      }
    }
    expectError(.usage, mentioning: "pixels rgb24 are made of rgba8; the frames are gray8") {
      _ = try RawWriter(
        .file(folder("a.raw")), format: PaintedFrames.format(.gray8, Size(1, 1)), pixels: RawPixels(named: "rgb24"))
    }
  }
}
