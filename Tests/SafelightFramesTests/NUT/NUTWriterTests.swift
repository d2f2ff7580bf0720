import SafelightFrames
import SafelightImage
import Testing

@Suite struct NUTWriterTests {
  private static func format(_ timeBase: MediaTime) -> VideoFormat {
    VideoFormat(
      size: Size(4, 3), layout: .bgra8, timeBase: timeBase, frameDuration: MediaTime(value: 1001, timescale: 30000),
      pixelAspect: PixelAspect(10, 11))
  }

  /// Our own reader understands it, checksums and all.
  @Test(arguments: [MediaTime(value: 1, timescale: 30000), MediaTime(value: 1001, timescale: 30000)])
  func timesAndSizesComeBack(_ timeBase: MediaTime) throws {
    let start = try #require(timeBase.multiplied(by: 500))
    var writer = try NUTWriter(Self.format(timeBase), start: start, name: "a")
    var reader = NUTReader()
    reader.append(writer.beginning)
    for ticks in [Int64(500), 501, 630, 100_000, 1 << 34] {
      let time = try #require(timeBase.multiplied(by: ticks))
      reader.append(try writer.frameBeginning(0, at: time, byteCount: 48))
      reader.append([UInt8](repeating: 7, count: 48))
      let header = try #require(try reader.nextFrame())
      #expect(header.presentationTime == timeBase.multiplied(by: ticks - 500) && header.byteCount == 48)
      #expect(reader.takeData().count == 48)
    }
    #expect(reader.stream?.size == Size(4, 3) && reader.stream?.fourCC == Array("BGRA".utf8) && reader.mayEnd)
  }

  @Test func timesThatDoNotGrowAreRefused() throws {
    var writer = try NUTWriter(Self.format(MediaTime(value: 1, timescale: 25)), start: .zero, name: "a")
    _ = try writer.frameBeginning(0, at: MediaTime(value: 3, timescale: 25), byteCount: 48)
    for time in [
      MediaTime(value: 3, timescale: 25), MediaTime(value: 2, timescale: 25), MediaTime(value: 7, timescale: 50),
    ] {
      expectError(.input, mentioning: "frame 8", "\(time)", "ascending") {
        _ = try writer.frameBeginning(7, at: time, byteCount: 48)
      }
    }
  }

  @Test(arguments: PixelLayout.allCases) func layoutsWithoutANameAreRefused(_ layout: PixelLayout) throws {
    let format = PaintedFrames.format(layout, Size(2, 2))
    if layout.yCbCr?.isBiPlanar == true && layout != .yCbCr420BiPlanar8 {
      expectError(.unsupported, mentioning: "\(layout)") { _ = try NUTWriter(format, start: .zero, name: "a") }
    } else {
      #expect(try !NUTWriter(format, start: .zero, name: "a").beginning.isEmpty)
    }
  }
}
