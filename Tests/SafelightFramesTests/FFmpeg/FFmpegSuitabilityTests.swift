import SafelightFrames
import SafelightImage
import Testing

/// A layout that would lose something of the track is refused by both their names.
@Suite struct FFmpegSuitabilityTests {
  @Test(arguments: [
    ("deep.mkv", PixelLayout.bgra8, "yuv420p10le", "10 bits do not fit into 8; ask for rgba16"),
    ("deep.mkv", .yCbCr420BiPlanar8, "yuv420p10le", "10 bits"),
    ("gray16.mkv", .gray8, "gray16le", "ask for gray16"),
    ("wide-chroma.mkv", .yCbCr420BiPlanar8, "yuv444p", "some of its chroma would be left out; ask for bgra8"),
    ("rgba.mkv", .yCbCr420BiPlanar8, "bgra", "would have to be made into chroma"),
    ("gray8.mkv", .yCbCr420BiPlanar8, "gray", "grey would have to be made into chroma"),
    ("film.mov", .gray8, "yuv420p", "its colors would be left out"),
    ("rgba.mkv", .gray16, "bgra", "its colors would be left out"),
  ])
  func lossIsRefused(_ film: String, _ layout: PixelLayout, _ samples: String, _ reason: String) async {
    let input = FFmpegInput.file(Films.path(film))
    await expectError(.unsupported, mentioning: "\(layout)", samples, reason, film) {
      _ = try await FFmpegSource(input, options: FFmpegOptions(layout: layout))
    }
  }

  @Test(arguments: [
    ("deep.mkv", PixelLayout.bgra8), ("deep.mkv", .yCbCr420BiPlanar8), ("gray16.mkv", .gray8), ("film.mov", .gray8),
    ("rgba.mkv", .yCbCr420BiPlanar8),
  ])
  func lossCanBeAllowed(_ film: String, _ layout: PixelLayout) async throws {
    let input = FFmpegInput.file(Films.path(film))
    let frames = try await FFmpegSource(input, options: FFmpegOptions(layout: layout, allowsLoss: true)).collected()
    #expect(frames.count >= 2)
    #expect(frames.allSatisfy { $0.layout == layout })
  }

  @Test(arguments: [ColorMatrix.bt601, .bt709]) func colorsBecomeChromaByTheMatrixNamed(_ matrix: ColorMatrix)
    async throws
  {
    let input = FFmpegInput.file(Films.path("rgba.mkv"))
    let colors = try await FFmpegSource(input, options: FFmpegOptions(layout: .rgba8)).collected()
    let options = FFmpegOptions(layout: .yCbCr420BiPlanar8, allowsLoss: true, untaggedMatrix: matrix)
    let frames = try await FFmpegSource(input, options: options).collected()
    #expect(frames.allSatisfy { $0.color == ColorDescription(matrix: matrix, range: .limited) })
    let (red, blue) = matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
    for (color, frame) in zip(colors, frames) {
      for (place, luma) in frame.planes[0].bytes.enumerated() {
        let rgb = color.planes[0].bytes[4 * place..<4 * place + 3].map(Double.init)
        let expected = 16 + 219 / 255 * (red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2])
        #expect(abs(Double(luma) - expected) <= 1.5)
      }
    }
  }

  @Test func whatIsWiderLosesNothing() async throws {
    let input = FFmpegInput.file(Films.path("gray8.mkv"))
    let gray = try await FFmpegSource(input, options: FFmpegOptions(layout: .gray8)).collected()
    let colors = try await FFmpegSource(input, options: FFmpegOptions(layout: .bgra8)).collected()
    #expect(colors.map { $0.planes[0].bytes } == gray.map { $0.planes[0].bytes.flatMap { [$0, $0, $0, 255] } })
  }

  @Test(arguments: [
    (FFmpegOptions(size: Size(0, 4)), "0×4"), (FFmpegOptions(frameLimit: 0), "0 frames"),
    (FFmpegOptions(playCount: -1), "-1"), (FFmpegOptions(range: .full), "bgra8"),
    (FFmpegOptions(layout: .yCbCr420BiPlanar8, range: .unspecified), "unspecified"),
    (FFmpegOptions(untaggedMatrix: .identity), "identity"),
  ])
  func optionsThatContradictAreRefused(_ options: FFmpegOptions, _ word: String) async {
    await expectError(.usage, mentioning: word) {
      _ = try await FFmpegSource(.file(Films.path("film.mov")), options: options)
    }
  }
}
