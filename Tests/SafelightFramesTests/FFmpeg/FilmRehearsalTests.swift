import Foundation
import SafelightFrames
import SafelightImage
import Synchronization
import Testing

/// Encoders that people name: what they store is what they were given, or there is no film.
@Suite struct FilmRehearsalTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func color(_ matrix: ColorMatrix, _ range: ColorRange) -> ColorDescription {
    ColorDescription(matrix: matrix, range: range, alpha: .opaque)
  }

  private static let rgb = color(.identity, .full)
  private static let video = color(.bt709, .limited)

  private func write(
    _ name: String, _ encoder: String, _ layout: PixelLayout, _ color: ColorDescription
  ) async throws -> FFmpegSource {
    let format = PaintedFrames.format(
      layout, Size(64, 48), duration: MediaTime(value: 1, timescale: 25), timescale: 25, color: color)
    let encoding = FFmpegEncoding(arguments: encoder.split(separator: " ").map(String.init))
    let writer = try FFmpegWriter(folder(name), format: format, encoding: encoding)
    do {
      try await writer.write(PaintedFrames.frames(format, count: 2))
    } catch {
      await writer.abandon()
      throw error
    }
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
  func whatIsStoredAsItIsGivenIsWritten(
    _ name: String, _ encoder: String, _ layout: PixelLayout, _ color: ColorDescription
  ) async throws {
    let source = try await write(name, encoder, layout, color)
    #expect(source.format.layout.isYCbCr == layout.isYCbCr)
    #expect(source.format.color.matrix == color.matrix && source.format.color.range == color.range)
    #expect(layout.isYCbCr || source.format.color.alpha == .opaque)
    #expect(try folder.names() == [name])
  }

  @Test(arguments: [
    // Red, green and blue behind the tags of luma and chroma, which decoders believe.
    ("a.mkv", "-c:v libx264rgb", PixelLayout.yCbCr420Planar8, video, "ffmpeg converts the frames"),
    ("a.mov", "-c:v png", .yCbCr420Planar8, video, "stores red, green and blue"),
    ("a.mov", "-c:v prores_ks", .rgba8, rgb, "stores luma and chroma"),
    ("a.mkv", "-c:v libx264", .rgba8, rgb, "ffmpeg converts the frames"),
    ("a.mov", "-c:v mjpeg", .yCbCr420Planar8, video, "the matrix bt601"),
    ("a.mov", "-c:v mjpeg", .yCbCr420Planar8, color(.bt601, .limited), "the range full"),
    ("a.mkv", "-c:v ffv1 -pix_fmt gray", .rgba8, rgb, "stores gray"),
    ("a.mkv", "-c:v ffv1 -pix_fmt gray", .yCbCr420Planar8, video, "stores gray"),
    // Four bytes a pixel, which the container takes for three.
    ("a.mov", "-c:v rawvideo", .rgba8, rgb, "ffmpeg converts the frames"),
    // Its frames say so, and the container something else.
    ("a.webm", "-c:v libvpx", .yCbCr420Planar8, video, "the matrix bt601"),
    ("a.ts", "-c:v mpeg2video", .yCbCr420Planar8, color(.bt709, .full), "the range limited"),
    ("a.ts", "-c:v prores_ks", .yCbCr420Planar8, video, "cannot be read back"),
    ("a.mov", "-c:v copy", .yCbCr420Planar8, video, "cannot be read back"),
  ])
  func whatIsConvertedIsRefused(
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
  func whatAFilmDoesNotSayIsTold(_ name: String, _ encoder: String, _ values: String) async throws {
    let told = Mutex("")
    let format = PaintedFrames.format(
      .yCbCr420Planar8, Size(64, 48), duration: MediaTime(value: 1, timescale: 25), timescale: 25, color: Self.video)
    let encoding = FFmpegEncoding(arguments: encoder.split(separator: " ").map(String.init))
    let writer = try FFmpegWriter(folder(name), format: format, encoding: encoding) { text in
      told.withLock { $0 = text }
    }
    try await writer.write(PaintedFrames.frames(format, count: 2))
    let text = told.withLock { $0 }
    #expect(values.isEmpty ? text.isEmpty : text.contains("does not say that its colors are \(values),"), "\(text)")
  }

  @Test(arguments: ["-ss 1", "-t 1", "-frames:v 1", "-r 5"]) func optionsThatLeaveFramesOutAreRefused(_ option: String)
  {
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
    expectError(.unsupported, mentioning: "a.avi", "equally long", ".mkv") {
      _ = try FFmpegWriter(folder("a.avi"), format: PaintedFrames.format(.yCbCr420Planar8, Size(64, 48), duration: nil))
    }
  }
}
