import Foundation
import SafelightFrames
import SafelightImage
import Synchronization
import Testing

@Suite struct FFmpegWriterTests {
  private let folder = TemporaryFolder()

  private static let layouts = PixelLayout.allCases.filter { $0.fourCC != nil && $0 != .yCbCr420BiPlanar8 }

  /// Writes a film without loss, and opens it.
  private func lossless(
    _ frames: [VideoFrame], _ format: VideoFormat, to name: String = "a.mkv", as layout: PixelLayout? = nil
  ) async throws -> FFmpegSource {
    try await FFmpegWriter(folder(name), format: format, encoding: FFmpegEncoding(isLossless: true)).write(frames)
    return try await FFmpegSource(.file(folder(name)), options: FFmpegOptions(layout: layout))
  }

  /// Light that is in the form of PNG, and takes frames through another pipe.
  private static let light = VideoFacts(
    PNGMetadata(chunks: [
      // P3 and D65, 1000 and 0.005 cd/m².
      PNGChunk(
        type: "mDCV",
        data: [34000, 16000, 13250, 34500, 7500, 3000, 15635, 16450, 152, 38528, 0, 50].flatMap { number in
          [UInt8(number >> 8), UInt8(number & 255)]
        }),
      PNGChunk(type: "cLLI", data: [0, 0x98, 0x96, 0x80, 0, 0x3D, 9, 0]),
    ]))

  /// FFV1 is lossless, so the frames return unchanged through both pipes.
  @Test(arguments: layouts, [VideoFacts(), light])
  func losslessFilmsArePreserved(_ layout: PixelLayout, _ facts: VideoFacts) async throws {
    var format = PaintedFrames.format(layout, Size(33, 21), color: layout.isYCbCr ? Self.color : .unspecified)
    format.facts = facts
    let frames = PaintedFrames.frames(format, count: 3)
    let source = try await lossless(frames, format, as: layout)
    #expect(source.format.facts == facts)
    let read = try await source.collected()
    #expect(read.map(\.planes) == frames.map(\.planes))
    #expect(try folder.names() == ["a.mkv"])
    guard layout.isYCbCr else { return }
    #expect(source.format.color.matrix == .bt709 && source.format.color.range == .limited)
    #expect(source.format.color.transfer == .bt709 && source.format.color.primaries == .bt709)
  }

  private static let smallSizes = [
    Size(1, 1), Size(4, 1), Size(1, 4), Size(2, 2), Size(3, 3), Size(100, 2), Size(5, 47), Size(64, 63),
  ]
  private static let smallFilms =
    [PixelLayout.gray8, .rgba8, .rgba16, .yCbCr420Planar8, .yCbCr422Planar10, .yCbCr444Planar8].map { ("a.mkv", $0) }
    + [("a.avi", PixelLayout.rgba8), ("a.nut", .yCbCr420Planar8), ("a.webm", .yCbCr420Planar8)]

  /// The encoder FFV1 misnumbers slices that are one pixel wide or high.
  @Test(arguments: smallFilms) func smallLosslessFilmsArePreserved(_ name: String, _ layout: PixelLayout) async throws {
    for size in Self.smallSizes {
      let format = PaintedFrames.format(layout, size, color: layout.isYCbCr ? Self.color : .unspecified)
      let frames = PaintedFrames.frames(format, count: 2)
      let read = try await lossless(frames, format, to: name, as: layout).collected()
      #expect(read.map(\.planes) == frames.map(\.planes), "\(size)")
    }
  }

  /// Frames without alpha get none in the file, and return unchanged.
  @Test(arguments: [PixelLayout.rgba8, .rgba16]) func opaqueFilmsHaveNoAlpha(_ layout: PixelLayout) async throws {
    let color = ColorDescription(matrix: .identity, range: .full, alpha: .opaque)
    let format = PaintedFrames.format(layout, Size(33, 21), color: color)
    let pixels = try RawPixels(named: layout == .rgba8 ? "rgb24" : "rgb48le")
    try await RawWriter(.file(folder("a.raw")), format: format, pixels: pixels)
      .write(PaintedFrames.frames(format, count: 2))
    let raw = try RawSource(
      .file(folder("a.raw")), pixels: pixels, size: Size(33, 21), frameDuration: MediaTime(value: 1, timescale: 25))
    let frames = try await raw.collected()
    let source = try await lossless(frames, raw.format)
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
    let format = clean.format.replacing(color: Self.color, frameDuration: MediaTime(value: 1, timescale: 25))
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

  /// A variable frame rate is preserved: every time, counted from the first.
  @Test(arguments: ["mp4", "mov", "nut"], [VideoFacts(), light])
  func timesAreKept(_ kind: String, _ facts: VideoFacts) async throws {
    let source = try await Videos.open("variable.mov", FFmpegOptions(layout: nil))
    let frames = try await source.collected()
    var format = source.format
    format.facts = facts
    let read = try await lossless(frames, format, to: "a.\(kind)").collected()
    #expect(read.map(\.planes) == frames.map(\.planes))
    let (start, begun) = (frames[0].presentationTime.seconds, read[0].presentationTime.seconds)
    for (read, frame) in zip(read, frames) {
      let moved = read.presentationTime.seconds - begun - (frame.presentationTime.seconds - start)
      #expect(abs(moved) < 1e-9)
    }
  }

  @Test(arguments: Orientation.allCases) func turnedFramesAreTurnedUpright(_ orientation: Orientation) async throws {
    let name = "orientation-\(orientation.rawValue).mov"
    let source = try await Videos.open(name, FFmpegOptions(layout: .rgba8))
    #expect(source.format.orientation == orientation)
    let read = try await lossless(source.collected(), source.format, as: .rgba8).collected()
    #expect(try read.map { Framehash($0).checksum } == Framehash.golden(name, .rgba8).map(\.checksum))
  }

  @Test func theSameFramesGiveTheSameBytes() async throws {
    let format = PaintedFrames.format(.yCbCr420Planar8, Size(32, 32), color: Self.color)
    let frames = PaintedFrames.frames(format, count: 3)
    for name in ["a.mp4", "b.mp4"] { try await FFmpegWriter(folder(name), format: format).write(frames) }
    #expect(try folder.read("a.mp4") == folder.read("b.mp4"))
  }

  @Test func customArguments() async throws {
    let format = PaintedFrames.format(.rgba8, Size(32, 32))
    let encoding = FFmpegEncoding(arguments: ["-c:v", "png", "-pix_fmt", "rgba"])
    let frames = PaintedFrames.frames(format, count: 2)
    try await FFmpegWriter(folder("a.mov"), format: format, encoding: encoding).write(frames)
    let read = try await FFmpegSource(.file(folder("a.mov")), options: FFmpegOptions(layout: nil)).collected()
    #expect(read.map(\.planes) == frames.map(\.planes))
  }

  // MARK: Errors

  @Test func refusals() throws {
    let planar = PaintedFrames.format(.yCbCr420Planar8, Size(2, 2))
    for (name, layout, size, why, remedy) in [
      ("a.xyz", PixelLayout.yCbCr420Planar8, Size(2, 2), "a.xyz", ".mp4, .m4v, .mov"),
      ("a.mp4", .rgba8, Size(2, 2), "libx264 does not take rgba8", "convert the frames to yCbCr420Planar8"),
      ("a.mp4", .yCbCr444Planar16, Size(2, 2), "yCbCr444Planar16", "to yCbCr444Planar10"),
      // H.264 shares chroma between whole pairs of pixels.
      ("a.mp4", .yCbCr420Planar8, Size(33, 20), "33×20", "even size"),
      ("a.mp4", .yCbCr420Planar8, Size(32, 21), "32×21", "even size"),
      ("a.mp4", .yCbCr422Planar8, Size(33, 20), "33×20", "even size"),
    ] {
      expectError(.unsupported, mentioning: name, why, remedy) {
        _ = try FFmpegWriter(folder(name), format: PaintedFrames.format(layout, size))
      }
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

  /// Replaces ffmpeg by a script.
  private func program(_ script: String) throws -> FFmpegEncoding {
    try folder.writeProgram("bin/ffmpeg", script)
    return FFmpegEncoding(programFolder: folder("bin"))
  }

  /// Writes until it fails.
  private func write(_ encoding: FFmpegEncoding, frames count: Int = 40) async throws {
    let format = PaintedFrames.format(.yCbCr420Planar8, Size(320, 240))
    try await FFmpegWriter(folder("a.mp4"), format: format, encoding: encoding)
      .write(PaintedFrames.frames(format, count: count))
  }

  @Test func missingFFmpegHasARemedy() async throws {
    await expectError(.environment, mentioning: "ffmpeg", "apt-get install ffmpeg") {
      try await write(FFmpegEncoding(programFolder: folder.path))
    }
    #expect(try folder.names() == [])
  }

  @Test func earlyEndOfFFmpegIsReported() async throws {
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

  @Test func oddSizesAreAcceptedWithoutSharedChroma() async throws {
    let format = PaintedFrames.format(.yCbCr444Planar8, Size(33, 21))
    try await FFmpegWriter(folder("a.mp4"), format: format).write(PaintedFrames.frames(format, count: 2))
    #expect(try folder.names() == ["a.mp4"])
  }

  /// The encoder's own message is passed on.
  @Test func complaintsOfTheEncoderAreShown() async throws {
    let format = PaintedFrames.format(.yCbCr420Planar8, Size(33, 21))
    let writer = try FFmpegWriter(
      folder("a.mp4"), format: format, encoding: FFmpegEncoding(arguments: ["-c:v", "libx264"]))
    await expectError(.transfer, mentioning: "a.mp4", "not divisible by 2", "even size") {
      try await writer.write(PaintedFrames.frames(format, count: 3))
    }
    #expect(try folder.names() == [])
  }

  @Test func filmsNeedAFrame() async throws {
    let writer = try FFmpegWriter(folder("a.mp4"), format: PaintedFrames.format(.yCbCr420Planar8, Size(2, 2)))
    await expectError(.missingInput, mentioning: "without a frame") { try await writer.finish() }
    #expect(try folder.names() == [])
  }

  @Test func deallocatingEndsTheChildAndLeavesNothing() async throws {
    let encoding = try program("echo $$ >'\(folder("pid"))'; exec sleep 1000")
    let format = PaintedFrames.format(.yCbCr420Planar8, Size(2, 2))
    do {
      let writer = try FFmpegWriter(folder("a.mp4"), format: format, encoding: encoding)
      try await writer.write(PaintedFrames.frame(0, format, at: .zero))
      _ = try await folder.process()
    }
    try await waitForEnd(of: folder.process())
    #expect(try folder.names() == ["bin", "pid"])
  }
}

/// Encoders that people choose must store what they were given, or there is no film.
@Suite struct VideoEncoderProbeTests {
  private let folder = TemporaryFolder()

  private static func color(_ matrix: ColorMatrix, _ range: ColorRange) -> ColorDescription {
    ColorDescription(matrix: matrix, range: range, alpha: .opaque)
  }

  private static let rgb = color(.identity, .full)
  private static let video = color(.bt709, .limited)

  /// A film without loss is refused if one sample of it would be lost, and one of an encoder that was named if a few
  /// have another color.
  @Test(arguments: [
    (#"[ "$last" = -level ] && word=3"#, nil, "every sample of pictures of 3×2"),
    (#"[ "$word" = ffv1 ] && set -- "$@" ffv1 -vf && word=drawbox=0:0:1:1:white"#, ["-c:v", "ffv1"], "became"),
  ])
  func samplesAreCompared(_ change: String, _ arguments: [String]?, _ why: String) async throws {
    try folder.writeProgram(
      "bin/ffmpeg",
      """
      for word; do shift; \(change); last=$word; set -- "$@" "$word"; done
      PATH=${PATH#*:} exec ffmpeg "$@"
      """)
    try folder.writeProgram("bin/ffprobe", #"PATH=${PATH#*:} exec ffprobe "$@""#)
    let format = PaintedFrames.format(.yCbCr444Planar8, Size(3, 2), color: Self.color(.bt709, .limited))
    let encoding = FFmpegEncoding(
      arguments: arguments, isLossless: arguments == nil, programFolder: folder("bin"))
    await expectError(.unsupported, mentioning: "a.mkv", why) {
      try await FFmpegWriter(folder("a.mkv"), format: format, encoding: encoding)
        .write(PaintedFrames.frames(format, count: 1))
    }
    #expect(try folder.names() == ["bin"])
  }

  private func write(
    _ name: String, _ encoder: String, _ layout: PixelLayout, _ color: ColorDescription,
    onLoss: (@Sendable (String) -> Void)? = nil
  ) async throws -> FFmpegSource {
    let format = PaintedFrames.format(
      layout, Size(64, 48), duration: MediaTime(value: 1, timescale: 25), timescale: 25, color: color)
    let encoding = FFmpegEncoding(arguments: encoder.split(separator: " ").map(String.init))
    try await FFmpegWriter(folder(name), format: format, encoding: encoding, onLoss: onLoss)
      .write(PaintedFrames.frames(format, count: 2))
    return try await FFmpegSource(.file(folder(name)), options: FFmpegOptions(layout: nil))
  }

  @Test(arguments: [
    ("a.mkv", "-c:v libx264rgb", PixelLayout.rgba8, rgb), ("a.mp4", "-c:v libx265", .rgba8, rgb),
    ("a.mkv", "-c:v ffv1", .bgra8, rgb), ("a.mov", "-c:v png", .rgba8, rgb),
    ("a.mov", "-c:v prores_ks", .yCbCr420Planar8, video), ("a.mkv", "-c:v libx264 -crf 51", .yCbCr420Planar8, video),
    ("a.mkv", "-c:v mpeg4 -q:v 31", .yCbCr420Planar8, video), ("a.mkv", "-c:v huffyuv", .yCbCr420Planar8, video),
    ("a.mov", "-c:v mjpeg -q:v 31", .yCbCr420Planar8, color(.bt601, .full)),
    ("a.mkv", "-c:v libx264 -vf negate", .yCbCr420Planar8, video),
  ])
  func unconvertedFramesAreWritten(
    _ name: String, _ encoder: String, _ layout: PixelLayout, _ color: ColorDescription
  ) async throws {
    let source = try await write(name, encoder, layout, color)
    #expect(source.format.layout.isYCbCr == layout.isYCbCr)
    #expect(source.format.color.matrix == color.matrix && source.format.color.range == color.range)
    #expect(layout.isYCbCr || source.format.color.alpha == .opaque)
    #expect(try folder.names() == [name])
  }

  @Test(arguments: [
    // Red, green and blue with the tags of luma and chroma, which decoders believe.
    ("a.mkv", "-c:v libx264rgb", PixelLayout.yCbCr420Planar8, video, "ffmpeg converts the frames"),
    ("a.mov", "-c:v png", .yCbCr420Planar8, video, "stores red, green and blue"),
    ("a.mov", "-c:v prores_ks", .rgba8, rgb, "stores luma and chroma"),
    ("a.mkv", "-c:v libx264", .rgba8, rgb, "ffmpeg converts the frames"),
    ("a.mov", "-c:v mjpeg", .yCbCr420Planar8, video, "the matrix bt601"),
    ("a.mov", "-c:v mjpeg", .yCbCr420Planar8, color(.bt601, .limited), "the range full"),
    ("a.mkv", "-c:v ffv1 -pix_fmt gray", .rgba8, rgb, "stores gray"),
    ("a.mkv", "-c:v ffv1 -pix_fmt gray", .yCbCr420Planar8, video, "stores gray"),
    // Four bytes per pixel, which the container takes for three.
    ("a.mov", "-c:v rawvideo", .rgba8, rgb, "ffmpeg converts the frames"),
    // Its frames say so, but the container contradicts them.
    ("a.webm", "-c:v libvpx", .yCbCr420Planar8, video, "the matrix bt601"),
    ("a.ts", "-c:v mpeg2video", .yCbCr420Planar8, color(.bt709, .full), "the range limited"),
    ("a.ts", "-c:v prores_ks", .yCbCr420Planar8, video, "cannot be read back"),
    ("a.mov", "-c:v copy", .yCbCr420Planar8, video, "cannot be read back"),
  ])
  func convertedFramesAreRefused(
    _ name: String, _ encoder: String, _ layout: PixelLayout, _ color: ColorDescription, _ text: String
  ) async throws {
    await expectError(.unsupported, mentioning: name, text) {
      _ = try await write(name, encoder, layout, color)
    }
    #expect(try folder.names() == [])
  }

  @Test(arguments: [
    ("a.mov", "-c:v ffv1", "bt709, limited"), ("a.mov", "-c:v svq1", "bt709, limited"), ("a.mp4", "-c:v libx264", ""),
  ])
  func lostColorTagsAreReported(_ name: String, _ encoder: String, _ values: String) async throws {
    let told = Mutex("")
    _ = try await write(name, encoder, .yCbCr420Planar8, Self.video) { text in told.withLock { $0 = text } }
    let text = told.withLock { $0 }
    #expect(values.isEmpty ? text.isEmpty : text.contains("does not say that its colors are \(values),"), "\(text)")
  }

  @Test(arguments: ["-ss 1", "-t 1", "-frames:v 1", "-r 5"])
  func optionsThatLeaveFramesOutAreRefused(_ option: String) {
    let encoding = FFmpegEncoding(arguments: ["-c:v", "libx264"] + option.split(separator: " ").map(String.init))
    expectError(.usage, mentioning: "a.mp4", "\(encoding.arguments?[2] ?? "") leaves frames out") {
      _ = try FFmpegWriter(
        folder("a.mp4"), format: PaintedFrames.format(.yCbCr420Planar8, Size(2, 2)), encoding: encoding)
    }
  }

  /// AVI has no times, and would hold empty frames between those of another clock.
  @Test func aviHasTheRateOfItsFrames() async throws {
    let format = PaintedFrames.format(
      .yCbCr420Planar8, Size(64, 48), duration: MediaTime(value: 1001, timescale: 30000), timescale: 90000)
    try await FFmpegWriter(folder("a.avi"), format: format).write(PaintedFrames.frames(format, count: 3))
    let source = try await FFmpegSource(.file(folder("a.avi")), options: FFmpegOptions(layout: nil))
    #expect(source.format.timeBase == MediaTime(value: 1001, timescale: 30000))
    #expect(try await source.collected().count == 3)
    expectError(.unsupported, mentioning: "a.avi", "for the same time", ".mkv") {
      _ = try FFmpegWriter(folder("a.avi"), format: PaintedFrames.format(.yCbCr420Planar8, Size(64, 48), duration: nil))
    }
  }
}
