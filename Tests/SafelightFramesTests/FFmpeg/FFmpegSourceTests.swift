import SafelightFrames
import SafelightImage
import Testing

@Suite struct FFmpegSourceTests {
  /// Times and samples equal those that ffmpeg itself writes to a file (`scripts/freeze-films`).
  @Test(arguments: [
    ("film.mov", PixelLayout.yCbCr420BiPlanar8), ("film.mov", .bgra8), ("film.mov", .rgba16),
    ("variable.mov", .bgra8), ("variable.mov", .yCbCr420BiPlanar8), ("gray8.mkv", .gray8), ("gray16.mkv", .gray16),
    ("rgba.mkv", .rgba8), ("rgba.mkv", .bgra8), ("deep.mkv", .rgba16), ("wide-chroma.mkv", .bgra8),
  ])
  func framesEqualFFmpegs(_ film: String, _ layout: PixelLayout) async throws {
    let source = try await Videos.open(film, FFmpegOptions(layout: layout))
    let frames = try await source.collected()
    #expect(try frames.map(Framehash.init) == Framehash.golden(film, layout))
    #expect(frames.map(\.index) == Array(frames.indices))
    for frame in frames {
      #expect(frame.layout == layout && frame.size == source.format.size && frame.color == source.format.color)
      // On the clock of the file, not of the pipe.
      #expect(frame.presentationTime.timescale == source.format.timeBase.timescale)
    }
  }

  @Test func formatDescribesTheTrack() async throws {
    let film = try await Videos.open("film.mov", FFmpegOptions(layout: .yCbCr420BiPlanar8)).format
    #expect(film.size == Size(33, 21))
    #expect(film.timeBase == MediaTime(value: 1, timescale: 30000))
    #expect(film.frameDuration == MediaTime(value: 1001, timescale: 30000))
    #expect(film.orientation == .up)
    #expect(film.color.matrix == .bt709 && film.color.transfer == .bt709 && film.color.primaries == .bt709)
    let variable = try await Videos.open("variable.mov", FFmpegOptions()).format
    #expect(variable.frameDuration == nil)
    #expect(variable.color == ColorDescription(matrix: .identity, range: .full, alpha: .opaque))
    let rgba = try await Videos.open("rgba.mkv", FFmpegOptions(layout: .rgba8)).format
    #expect(rgba.color.alpha == .unspecified)
    let untagged = try await Videos.open("untagged.mkv", FFmpegOptions(layout: .yCbCr420BiPlanar8)).format
    #expect(untagged.color == .unspecified)
  }

  @Test(arguments: Orientation.allCases) func orientationIsCarried(_ orientation: Orientation) async throws {
    let name = "orientation-\(orientation.rawValue).mov"
    let source = try await Videos.open(name, FFmpegOptions(layout: .rgba8))
    #expect(source.format.orientation == orientation)
    let frames = try await source.collected()
    let turned = frames.map { frame in
      let upright = frame.orientation.uprightSize(of: frame.size)
      var bytes: [UInt8] = []
      for y in 0..<upright.height {
        for x in 0..<upright.width {
          let place = frame.orientation.sourcePosition(ofUprightX: x, y: y, in: frame.size)
          let start = (place.y * frame.size.width + place.x) * 4
          bytes += frame.planes[0].bytes[start..<start + 4]
        }
      }
      return Framehash(frame.presentationTime, of: bytes)
    }
    #expect(frames.allSatisfy { $0.size == Size(6, 4) && $0.orientation == orientation })
    // As ffmpeg turns them.
    #expect(try turned == Framehash.golden(name, .rgba8))
  }

  @Test(arguments: Orientation.allCases) func framesAreTurnedUprightOnRequest(_ orientation: Orientation) async throws {
    let name = "orientation-\(orientation.rawValue).mov"
    let source = try await Videos.open(name, FFmpegOptions(layout: .rgba8, turnsUpright: true))
    let upright = orientation.uprightSize(of: Size(6, 4))
    #expect(source.format.orientation == .up && source.format.size == upright)
    let frames = try await source.collected()
    #expect(try frames.map(Framehash.init) == Framehash.golden(name, .rgba8))
    #expect(frames.allSatisfy { $0.size == upright && $0.orientation == .up })
  }

  @Test(arguments: [
    ("film.mov", PixelLayout.yCbCr420Planar8), ("gray8.mkv", .gray8), ("gray16.mkv", .gray16), ("rgba.mkv", .rgba8),
    ("deep.mkv", .yCbCr420Planar10), ("wide-chroma.mkv", .yCbCr444Planar8), ("bt709-full.mkv", .yCbCr420Planar8),
  ])
  func theNearestLayout(_ film: String, _ layout: PixelLayout) async throws {
    let source = try await Videos.open(film, FFmpegOptions(layout: nil))
    #expect(source.format.layout == layout)
    #expect(try await source.collected().allSatisfy { $0.layout == layout })
  }

  @Test func framesAreScaledToTheRequestedSize() async throws {
    let options = FFmpegOptions(layout: .yCbCr420BiPlanar8, size: Size(16, 10), frameLimit: 2)
    let source = try await Videos.open("film.mov", options)
    let frames = try await source.collected()
    #expect(source.format.size == Size(16, 10))
    #expect(frames.map { $0.planes.map(\.size) } == Array(repeating: [Size(16, 10), Size(8, 5)], count: 2))
  }

  @Test func filmsArePlayedRepeatedly() async throws {
    let frames = try await Videos.open("film.mov", FFmpegOptions(playCount: 2)).collected()
    #expect(frames.count == 24)
    #expect(Array(frames[12...]).map(\.planes) == Array(frames[..<12]).map(\.planes))
    #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.presentationTime < $1.presentationTime })
  }

  /// A pipe of 23 MB: headers and syncpoints recur, and memory is reused.
  @Test func aLongStreamReusesItsMemory() async throws {
    let graph = "testsrc2=size=320x240:rate=30"
    let source = try await FFmpegSource(.lavfi(graph), options: FFmpegOptions(frameLimit: 75))
    let iterator = source.makeAsyncIterator()
    let byteCount: Int = 320 * 240 * 4
    var count = 0
    while let frame = try await iterator.reading.next() {
      #expect(frame.index == count)
      #expect(frame.presentationTime == MediaTime(value: Int64(count), timescale: 30))
      #expect(frame.planes[0].bytes.count == byteCount)
      count += 1
    }
    #expect(count == 75)
    // One being read, one on its way, one waiting, one in use.
    #expect(iterator.reading.memory.allocations <= 4)
  }

  @Test func streamsAndPacedFilmsAreTheSameFrames() async throws {
    let options = FFmpegOptions(layout: .gray8, isPaced: true)
    let stream = try await FFmpegSource(.stream("file://" + Videos.path("gray8.mkv")), options: options)
    #expect(try await stream.collected().map(Framehash.init) == Framehash.golden("gray8.mkv", .gray8))
  }

  @Test func inputsAreOpenedByTheirKind() {
    // Neither an option nor an address.
    #expect(FFmpegInput.file("-i:a").arguments == ["-i", "file:-i:a"])
    #expect(
      FFmpegInput.camera("/dev/video0", size: Size(640, 480), framesPerSecond: 30).arguments
        == ["-f", "v4l2", "-video_size", "640x480", "-framerate", "30", "-i", "/dev/video0"])
    #expect(FFmpegInput.camera("/dev/video1").arguments == ["-f", "v4l2", "-i", "/dev/video1"])
    #expect(FFmpegInput.lavfi("testsrc2").arguments == ["-f", "lavfi", "-i", "testsrc2"])
  }

  @Test func everyIteratorBeginsAnew() async throws {
    let source = try await Videos.open("gray8.mkv", FFmpegOptions(layout: .gray8))
    let first = try await source.collected()
    let second = try await source.collected()
    #expect(first.count == 2)
    #expect(first.map(\.planes) == second.map(\.planes))
  }
}

@Suite struct FFmpegColorTests {
  /// scripts/fixtures/films.py: luma, blue difference, red difference.
  private static let flat: [[Double]] = [
    [16, 128, 128], [235, 128, 128], [126, 128, 128], [81, 90, 240], [145, 54, 34], [41, 240, 110], [180, 100, 150],
  ]

  @Test(arguments: [ColorMatrix.bt601, .bt709, .bt2020], [ColorRange.limited, .full])
  func matrixAndRangeFollowTheTag(_ matrix: ColorMatrix, _ range: ColorRange) async throws {
    let stored = try await Videos.open("\(matrix)-\(range).mkv", FFmpegOptions(layout: .yCbCr420BiPlanar8))
    #expect(stored.format.color.matrix == matrix)
    #expect(stored.format.color.range == range)
    // The samples themselves are untouched.
    let planes = try await stored.collected().map {
      [$0.planes[0].bytes[0], $0.planes[1].bytes[0], $0.planes[1].bytes[1]]
    }
    #expect(planes == Self.flat.map { $0.map { UInt8($0) } })

    let colors = try await Videos.open("\(matrix)-\(range).mkv", FFmpegOptions(layout: .rgba8))
    #expect(colors.format.color.matrix == .identity)
    #expect(colors.format.color.range == .full)
    try await Self.expect(colors, matrix, range)
  }

  @Test func optionsDescribeUntaggedTracks() async throws {
    try await Self.expect(Videos.open("untagged.mkv", FFmpegOptions(layout: .rgba8)), .bt601, .limited)
    try await Self.expect(
      Videos.open("untagged.mkv", FFmpegOptions(layout: .rgba8, untaggedMatrix: .bt709)), .bt709, .limited)
  }

  @Test func anotherRangeIsStretched() async throws {
    let source = try await Videos.open("bt709-limited.mkv", FFmpegOptions(layout: .yCbCr420BiPlanar8, range: .full))
    #expect(source.format.color.range == .full)
    let luma = try await source.collected().map { Int($0.planes[0].bytes[0]) }
    for (luma, flat) in zip(luma, Self.flat) { #expect(abs(Double(luma) - (flat[0] - 16) * 255 / 219) <= 1) }
  }

  /// Red, green and blue by the formulas of ITU-T H.273, within the rounding of 8 bits.
  private static func expect(_ source: FFmpegSource, _ matrix: ColorMatrix, _ range: ColorRange) async throws {
    let (red, blue) = [.bt601: (0.299, 0.114), .bt709: (0.2126, 0.0722)][matrix] ?? (0.2627, 0.0593)
    let (lumaRange, chromaRange, black) = range == .full ? (255.0, 255.0, 0.0) : (219.0, 224.0, 16.0)
    let frames = try await source.collected()
    #expect(frames.count == flat.count)
    for (frame, samples) in zip(frames, flat) {
      let (y, cb, cr) = (
        (samples[0] - black) / lumaRange, (samples[1] - 128) / chromaRange, (samples[2] - 128) / chromaRange
      )
      let (r, b) = (y + 2 * (1 - red) * cr, y + 2 * (1 - blue) * cb)
      let g = (y - red * r - blue * b) / (1 - red - blue)
      for (sample, color) in zip(frame.planes[0].bytes, [r, g, b]) {
        #expect(abs(Double(sample) - max(0, min(1, color)) * 255) <= 1.5, "\(matrix) \(range) \(samples)")
      }
    }
  }
}

/// An error about a lossy layout names both the layout and the track's samples.
@Suite struct FFmpegSuitabilityTests {
  @Test(arguments: [
    ("deep.mkv", PixelLayout.bgra8, "yuv420p10le", "10 bits do not fit into 8; ask for rgba16"),
    ("deep.mkv", .yCbCr420BiPlanar8, "yuv420p10le", "10 bits"), ("gray16.mkv", .gray8, "gray16le", "ask for gray16"),
    ("wide-chroma.mkv", .yCbCr420BiPlanar8, "yuv444p", "some of its chroma would be left out; ask for bgra8"),
    ("rgba.mkv", .yCbCr420BiPlanar8, "bgra", "would have to become chroma"),
    ("gray8.mkv", .yCbCr420BiPlanar8, "gray", "gray would have to become chroma"),
    ("film.mov", .gray8, "yuv420p", "its colors would be left out"),
    ("rgba.mkv", .gray16, "bgra", "its colors would be left out"),
  ])
  func lossIsRefused(_ film: String, _ layout: PixelLayout, _ samples: String, _ reason: String) async {
    await expectError(.unsupported, mentioning: "\(layout)", samples, reason, film) {
      _ = try await Videos.open(film, FFmpegOptions(layout: layout))
    }
  }

  @Test(arguments: [
    ("deep.mkv", PixelLayout.bgra8), ("deep.mkv", .yCbCr420BiPlanar8), ("gray16.mkv", .gray8), ("film.mov", .gray8),
    ("rgba.mkv", .yCbCr420BiPlanar8),
  ])
  func lossCanBeAllowed(_ film: String, _ layout: PixelLayout) async throws {
    let frames = try await Videos.open(film, FFmpegOptions(layout: layout, allowsLoss: true)).collected()
    #expect(frames.count >= 2)
    #expect(frames.allSatisfy { $0.layout == layout })
  }

  @Test(arguments: [ColorMatrix.bt601, .bt709])
  func colorsBecomeChromaByTheMatrixNamed(_ matrix: ColorMatrix) async throws {
    let colors = try await Videos.open("rgba.mkv", FFmpegOptions(layout: .rgba8)).collected()
    let options = FFmpegOptions(layout: .yCbCr420BiPlanar8, allowsLoss: true, untaggedMatrix: matrix)
    let frames = try await Videos.open("rgba.mkv", options).collected()
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

  @Test func widerLayoutsLoseNothing() async throws {
    let gray = try await Videos.open("gray8.mkv", FFmpegOptions(layout: .gray8)).collected()
    let colors = try await Videos.open("gray8.mkv", FFmpegOptions(layout: .bgra8)).collected()
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
      _ = try await Videos.open("film.mov", options)
    }
  }
}
