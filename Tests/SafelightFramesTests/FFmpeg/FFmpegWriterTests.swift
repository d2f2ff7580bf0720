import Foundation
import SafelightFrames
import SafelightImage
import Testing

@Suite struct FFmpegWriterTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let layouts = PixelLayout.allCases.filter { $0.fourCC != nil && $0 != .yCbCr420BiPlanar8 }

  /// FFV1 loses nothing, so what comes back is what went in, through both pipes.
  @Test(arguments: layouts) func losslessFilmsComeBack(_ layout: PixelLayout) async throws {
    let format = PaintedFrames.format(layout, Size(33, 21), color: layout.isYCbCr ? Self.color : .unspecified)
    let frames = PaintedFrames.frames(format, count: 3)
    let path = folder("a.mkv")
    try await FFmpegWriter(path, format: format, encoding: FFmpegEncoding(isLossless: true)).write(frames)
    let source = try await FFmpegSource(.file(path), options: FFmpegOptions(layout: layout))
    let read = try await source.collected()
    #expect(read.map(\.planes) == frames.map(\.planes))
    #expect(try folder.names() == ["a.mkv"])
    guard layout.isYCbCr else { return }
    #expect(source.format.color.matrix == .bt709 && source.format.color.range == .limited)
    #expect(source.format.color.transfer == .bt709 && source.format.color.primaries == .bt709)
  }

  /// Frames that have no alpha get none in the file, and come back as they were.
  @Test(arguments: [PixelLayout.rgba8, .rgba16]) func opaqueFilmsHaveNoAlpha(_ layout: PixelLayout) async throws {
    let color = ColorDescription(matrix: .identity, range: .full, alpha: .opaque)
    let format = PaintedFrames.format(layout, Size(33, 21), color: color)
    let pixels = try RawPixels(named: layout == .rgba8 ? "rgb24" : "rgb48le")
    try await RawWriter(.file(folder("a.raw")), format: format, pixels: pixels)
      .write(PaintedFrames.frames(format, count: 2))
    let raw = try RawSource(
      .file(folder("a.raw")), pixels: pixels, size: Size(33, 21), frameDuration: MediaTime(value: 1, timescale: 25))
    let frames = try await raw.collected()
    let path = folder("a.mkv")
    try await FFmpegWriter(path, format: raw.format, encoding: FFmpegEncoding(isLossless: true)).write(frames)
    let source = try await FFmpegSource(.file(path), options: FFmpegOptions(layout: nil))
    #expect(source.format.layout == layout && source.format.color.alpha == .opaque)
    #expect(try await source.collected().map(\.planes) == frames.map(\.planes))
  }

  private static let color = ColorDescription(
    matrix: .bt709, range: .limited, transfer: .bt709, primaries: .bt709, siting: .left)

  /// Mean distance of the samples of two frames' lumas.
  private func distance(_ left: VideoFrame, _ right: VideoFrame) -> Double {
    let pairs = zip(left.planes[0].bytes, right.planes[0].bytes)
    return pairs.reduce(0.0) { $0 + abs(Double($1.0) - Double($1.1)) } / Double(left.planes[0].bytes.count)
  }

  @Test(arguments: ["mp4", "mov", "mkv", "webm", "ts", "m4v"])
  func usualFilmsAreNearAndTagged(_ kind: String) async throws {
    let clean = try await FFmpegSource(
      .lavfi("testsrc2=size=64x48:rate=25"),
      options: FFmpegOptions(layout: .yCbCr420Planar8, allowsLoss: true, frameLimit: 5))
    let format = VideoFormat(
      size: clean.format.size, layout: clean.format.layout, timeBase: clean.format.timeBase,
      frameDuration: MediaTime(value: 1, timescale: 25), color: Self.color)
    let frames = try await clean.collected()
    let path = folder("a.\(kind)")
    try await FFmpegWriter(path, format: format).write(frames)
    let source = try await FFmpegSource(.file(path), options: FFmpegOptions(layout: nil))
    #expect(source.format.layout == .yCbCr420Planar8)
    #expect(source.format.color.matrix == .bt709 && source.format.color.range == .limited)
    #expect(source.format.frameDuration == MediaTime(value: 1, timescale: 25))
    let read = try await source.collected()
    #expect(read.count == frames.count)
    for (read, frame) in zip(read, frames) { #expect(distance(read, frame) < 3) }
    let first = try #require(read.first?.presentationTime)
    for (place, frame) in read.enumerated() {
      #expect(abs(frame.presentationTime.seconds - first.seconds - Double(place) / 25) < 1e-9)
    }
  }

  /// A variable rate stays one: every time, counted from the first.
  @Test(arguments: ["mp4", "mov", "nut"]) func timesAreKept(_ kind: String) async throws {
    let source = try await FFmpegSource(.file(Films.path("variable.mov")), options: FFmpegOptions(layout: nil))
    let frames = try await source.collected()
    let path = folder("a.\(kind)")
    try await FFmpegWriter(path, format: source.format, encoding: FFmpegEncoding(isLossless: true)).write(frames)
    let read = try await FFmpegSource(.file(path), options: FFmpegOptions(layout: nil)).collected()
    #expect(read.map(\.planes) == frames.map(\.planes))
    let (start, begun) = (frames[0].presentationTime.seconds, read[0].presentationTime.seconds)
    for (read, frame) in zip(read, frames) {
      let moved = read.presentationTime.seconds - begun - (frame.presentationTime.seconds - start)
      #expect(abs(moved) < 1e-9)
    }
  }

  @Test(arguments: Orientation.allCases) func turnedFramesAreTurnedUpright(_ orientation: Orientation) async throws {
    let name = "orientation-\(orientation.rawValue).mov"
    let source = try await FFmpegSource(.file(Films.path(name)), options: FFmpegOptions(layout: .rgba8))
    #expect(source.format.orientation == orientation)
    let path = folder("a.mkv")
    try await FFmpegWriter(path, format: source.format, encoding: FFmpegEncoding(isLossless: true))
      .write(source.collected())
    let read = try await FFmpegSource(.file(path), options: FFmpegOptions(layout: .rgba8)).collected()
    #expect(try Framehash(read).lines.map(\.checksum) == Framehash(name, .rgba8).lines.map(\.checksum))
  }

  @Test func theSameFramesGiveTheSameBytes() async throws {
    let format = PaintedFrames.format(.yCbCr420Planar8, Size(32, 32), color: Self.color)
    let frames = PaintedFrames.frames(format, count: 3)
    for name in ["a.mp4", "b.mp4"] { try await FFmpegWriter(folder(name), format: format).write(frames) }
    #expect(try folder.read("a.mp4") == folder.read("b.mp4"))
  }

  @Test func argumentsOfOnesOwn() async throws {
    let format = PaintedFrames.format(.rgba8, Size(32, 32))
    let encoding = FFmpegEncoding(arguments: ["-c:v", "png", "-pix_fmt", "rgba"])
    let frames = PaintedFrames.frames(format, count: 2)
    try await FFmpegWriter(folder("a.mov"), format: format, encoding: encoding).write(frames)
    let read = try await FFmpegSource(.file(folder("a.mov")), options: FFmpegOptions(layout: nil)).collected()
    #expect(read.map(\.planes) == frames.map(\.planes))
  }

  // MARK: What does not go

  @Test func refusals() throws {
    let planar = PaintedFrames.format(.yCbCr420Planar8, Size(2, 2))
    expectError(.unsupported, mentioning: "a.xyz", ".mp4, .m4v, .mov") {
      _ = try FFmpegWriter(folder("a.xyz"), format: planar)
    }
    expectError(.unsupported, mentioning: "libx264 does not take rgba8", "convert the frames to yCbCr420Planar8") {
      _ = try FFmpegWriter(folder("a.mp4"), format: PaintedFrames.format(.rgba8, Size(2, 2)))
    }
    expectError(.unsupported, mentioning: "yCbCr444Planar16", "to yCbCr444Planar10") {
      _ = try FFmpegWriter(folder("a.mp4"), format: PaintedFrames.format(.yCbCr444Planar16, Size(2, 2)))
    }
    expectError(.usage, mentioning: "leave one of them out") {
      _ = try FFmpegWriter(
        folder("a.mp4"), format: planar, encoding: FFmpegEncoding(arguments: ["-c:v", "png"], isLossless: true))
    }
    expectError(.output, mentioning: "/no/such/a.mp4") { _ = try FFmpegWriter("/no/such/a.mp4", format: planar) }
    #expect(try folder.names() == [])
  }

  @Test(arguments: [
    ("a.mp4", PixelLayout.rgba8, PixelLayout.yCbCr420Planar8), ("a.mp4", .rgba16, .yCbCr420Planar10),
    ("a.mp4", .gray8, .yCbCr420Planar8), ("a.mp4", .gray16, .yCbCr420Planar10), ("a.webm", .rgba16, .yCbCr420Planar10),
    ("a.webm", .yCbCr444Planar16, .yCbCr444Planar12), ("a.avi", .yCbCr444Planar10, .yCbCr420Planar8),
    ("a.nut", .rgba16, .rgba16), ("a.mov", .yCbCr422Planar8, .yCbCr422Planar8),
  ])
  func layoutsToConvertTo(_ name: String, _ layout: PixelLayout, _ preferred: PixelLayout) {
    #expect(FFmpegWriter.preferredLayout(name, for: layout) == preferred)
  }

  /// Programs of our own in the place of ffmpeg's.
  private func program(_ script: String) throws -> FFmpegEncoding {
    try folder.writeProgram("bin/ffmpeg", script)
    return FFmpegEncoding(programFolder: folder("bin"))
  }

  /// Writes until it fails.
  private func write(_ encoding: FFmpegEncoding, frames count: Int = 40) async throws {
    let format = PaintedFrames.format(.yCbCr420Planar8, Size(320, 240))
    let writer = try FFmpegWriter(folder("a.mp4"), format: format, encoding: encoding)
    do {
      for frame in PaintedFrames.frames(format, count: count) { try await writer.write(frame) }
      try await writer.finish()
    } catch {
      await writer.abandon()
      throw error
    }
  }

  @Test func withoutFFmpegTheRemedyIsSaid() async throws {
    await expectError(.environment, mentioning: "ffmpeg", "apt-get install ffmpeg") {
      try await write(FFmpegEncoding(programFolder: folder.path))
    }
    #expect(try folder.names() == [])
  }

  @Test func deathInTheMiddleIsSaid() async throws {
    let dying = try program("head -c 200000 >/dev/null; echo the encoder is gone >&2; exit 3")
    await expectError(.transfer, mentioning: "a.mp4", "status 3 at frame", "the encoder is gone") {
      try await write(dying)
    }
    let killed = try program("head -c 200000 >/dev/null; kill -9 $$")
    await expectError(.transfer, mentioning: "signal 9 at frame") { try await write(killed) }
    let late = try program("cat >/dev/null; echo no room >&2; exit 1")
    await expectError(.transfer, mentioning: "status 1 at the end", "no room") { try await write(late, frames: 2) }
    #expect(try folder.names() == ["bin"])
  }

  @Test(arguments: [
    (PixelLayout.yCbCr420Planar8, Size(33, 20)), (.yCbCr420Planar8, Size(32, 21)), (.yCbCr422Planar8, Size(33, 20)),
  ])
  func oddSizesAreRefusedByH264(_ layout: PixelLayout, _ size: Size) throws {
    expectError(.unsupported, mentioning: "a.mp4", "\(size)", "even size") {
      _ = try FFmpegWriter(folder("a.mp4"), format: PaintedFrames.format(layout, size))
    }
    #expect(try folder.names() == [])
  }

  @Test func oddSizesGoWhereNothingIsShared() async throws {
    let format = PaintedFrames.format(.yCbCr444Planar8, Size(33, 21))
    try await FFmpegWriter(folder("a.mp4"), format: format).write(PaintedFrames.frames(format, count: 2))
    #expect(try folder.names() == ["a.mp4"])
  }

  /// What the encoder itself says is passed on.
  @Test func complaintsOfTheEncoderAreShown() async throws {
    let format = PaintedFrames.format(.yCbCr420Planar8, Size(33, 21))
    let writer = try FFmpegWriter(
      folder("a.mp4"), format: format, encoding: FFmpegEncoding(arguments: ["-c:v", "libx264"]))
    await expectError(.transfer, mentioning: "a.mp4", "not divisible by 2", "even size") {
      try await writer.write(PaintedFrames.frames(format, count: 3))
    }
    await writer.abandon()
    #expect(try folder.names() == [])
  }

  @Test func aFilmWithoutFramesIsNone() async throws {
    let writer = try FFmpegWriter(folder("a.mp4"), format: PaintedFrames.format(.yCbCr420Planar8, Size(2, 2)))
    await expectError(.missingInput, mentioning: "without a frame") { try await writer.finish() }
    #expect(try folder.names() == [])
  }

  @Test func whoLetsGoEndsTheChildAndLeavesNothing() async throws {
    let encoding = try program("echo $$ >'\(folder("pid"))'; exec sleep 1000")
    let format = PaintedFrames.format(.yCbCr420Planar8, Size(2, 2))
    do {
      let writer = try FFmpegWriter(folder("a.mp4"), format: format, encoding: encoding)
      try await writer.write(PaintedFrames.frame(0, format, at: .zero))
      while try !fileExists(folder("pid")) || folder.read("pid").last != 10 {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    let process = try #require(Int32(String(decoding: folder.read("pid").dropLast(), as: UTF8.self)))
    while kill(process, 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try folder.names() == ["bin", "pid"])
  }
}
