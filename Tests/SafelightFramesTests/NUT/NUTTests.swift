import SafelightFrames
import SafelightImage
import Testing

@Suite struct NUTReaderTests {
  private let stream: [UInt8]

  init() throws { stream = try Videos.bytes("stream.nut") }

  private struct Read: Equatable {
    var times: [MediaTime] = []
    var data: [[UInt8]] = []
    var mayEnd = false
  }

  /// Reads bytes in pieces of `length`.
  private func read(_ bytes: [UInt8], inPiecesOf length: Int) throws(NUTFault) -> Read {
    var reader = NUTReader()
    var read = Read()
    for start in stride(from: 0, to: bytes.count, by: length) {
      reader.append(bytes[start..<min(start + length, bytes.count)])
      while true {
        if reader.missingData > 0 {
          let data = reader.takeData()
          if data.isEmpty { break }
          read.data[read.data.count - 1] += data
        } else {
          guard let time = try reader.nextFrame() else { break }
          read.times.append(time)
          read.data.append([])
        }
      }
    }
    read.mayEnd = reader.mayEnd
    return read
  }

  @Test func timesAndSamplesAreRead() throws {
    let read = try read(stream, inPiecesOf: stream.count)
    #expect(read.times == [500, 1501, 4504].map { MediaTime(value: $0, timescale: 30000) })
    // As scripts/fixtures/films.py paints it.
    let painted = (0..<144).map { UInt8(truncatingIfNeeded: ($0 * 2_654_435_761) >> 13) }
    #expect(read.data == [Array(painted[..<48]), Array(painted[48..<96]), Array(painted[96...])])
    #expect(read.mayEnd)
  }

  @Test(arguments: [1, 2, 3, 7, 48, 64, 100]) func piecesDoNotMatter(_ length: Int) throws {
    #expect(try read(stream, inPiecesOf: length) == read(stream, inPiecesOf: stream.count))
  }

  /// Wherever the stream is cut, complete frames arrive, and the reader knows that it may end only between frames.
  @Test func streamsEndOnlyBetweenFrames() throws {
    let whole = try read(stream, inPiecesOf: stream.count)
    var ends = 0
    for count in 0..<stream.count {
      let read = try read(Array(stream[..<count]), inPiecesOf: 16)
      let complete = read.data.filter { $0.count == 48 }
      #expect(complete == Array(whole.data.prefix(complete.count)), "cut at \(count)")
      if read.mayEnd {
        ends += 1
        #expect(read.data.count == complete.count, "cut at \(count)")
      }
    }
    // After the stream's header, the information, the syncpoints and each frame but the last.
    #expect(ends > 3 && ends < 12)
  }

  /// A changed bit in a header is found by a checksum, or changes nothing that is read.
  @Test func damagedHeadersAreFound() throws {
    let whole = try read(stream, inPiecesOf: stream.count)
    let firstFrame = try #require(stream.firstRange(of: whole.data[0])).lowerBound
    var found = 0
    stream.forEachFlippedBit(at: 0..<firstFrame) { damaged, bit in
      do {
        let read = try read(damaged, inPiecesOf: damaged.count)
        #expect(read == whole || !read.mayEnd || read.times != whole.times, bit)
      } catch {
        found += 1
      }
    }
    // Almost all; the others are in the header of the first frame, or make a length longer than the stream.
    #expect(found > firstFrame * 8 * 9 / 10, "\(found) of \(firstFrame * 8)")
  }

  @Test func otherStreamsAreRefused() {
    #expect(throws: NUTFault.damaged("it does not begin with the signature of NUT")) { try read([0x00], inPiecesOf: 1) }
    #expect(throws: NUTFault.damaged("it does not begin with the signature of NUT")) {
      try read(Array("nut/multimedia contaiNer\0".utf8), inPiecesOf: 1)
    }
    let begin = Array("nut/multimedia container\0".utf8)
    #expect(throws: NUTFault.damaged("a frame comes before the headers")) { try read(begin + [0], inPiecesOf: 99) }
    // A header that claims an impossible length.
    let claim = begin + [0x4E, 0x4D, 0x7A, 0x56, 0x1F, 0x5F, 0x04, 0xAD, 0xFF, 0xFF, 0xFF, 0x7F]
    #expect(throws: NUTFault.self) { try read(claim, inPiecesOf: 99) }
  }

  @Test func numbersAreBounded() throws {
    var most = NUTCursor([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F][...])
    #expect(try most.number() == Int.max)
    var more = NUTCursor([0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00][...])
    #expect(throws: NUTFault.damaged("a number has more than 63 bits")) { try more.number() }
    var short = NUTCursor([0xFF, 0xFF][...])
    #expect(throws: NUTFault.short) { try short.number() }
    var signed = NUTCursor([0, 1, 2, 3, 4][...])
    #expect(try (0..<5).map { _ in try signed.signed() } == [0, 1, -1, 2, -2])
  }

  /// CRC-32/POSIX without its length and complement: check value of "123456789" with initial 0 and no final inversion.
  @Test func checksumFollowsTheFormat() { #expect(NUTChecksum.of(Array("123456789".utf8)[...]) == 0x89A1_897F) }
}

@Suite struct NUTWriterTests {
  private static func format(_ timeBase: MediaTime) -> VideoFormat {
    VideoFormat(
      size: Size(4, 3), layout: .bgra8, timeBase: timeBase, frameDuration: MediaTime(value: 1001, timescale: 30000),
      pixelAspect: PixelAspect(10, 11))
  }

  /// Our own reader understands the stream and its checksums.
  @Test(arguments: [MediaTime(value: 1, timescale: 30000), MediaTime(value: 1001, timescale: 30000)])
  func timesAndSizesArePreserved(_ timeBase: MediaTime) throws {
    let start = try #require(timeBase.multiplied(by: 500))
    var writer = try NUTWriter(Self.format(timeBase), start: start, name: "a")
    var reader = NUTReader()
    reader.append(writer.beginning)
    for ticks in [Int64(500), 501, 630, 100_000, 1 << 34] {
      let time = try #require(timeBase.multiplied(by: ticks))
      reader.append(try writer.frameBeginning(0, at: time, byteCount: 48))
      reader.append([UInt8](repeating: 7, count: 48))
      #expect(try reader.nextFrame() == timeBase.multiplied(by: ticks - 500) && reader.missingData == 48)
      #expect(reader.takeData().count == 48)
    }
    #expect(reader.stream?.size == Size(4, 3) && reader.stream?.fourCC == Array("BGRA".utf8) && reader.mayEnd)
  }

  @Test func timesMustAscend() throws {
    var writer = try NUTWriter(Self.format(MediaTime(value: 1, timescale: 25)), start: .zero, name: "a")
    _ = try writer.frameBeginning(0, at: MediaTime(value: 3, timescale: 25), byteCount: 48)
    for time in [
      MediaTime(value: 3, timescale: 25), MediaTime(value: 2, timescale: 25), MediaTime(value: 7, timescale: 50),
    ] {
      expectError(.input, mentioning: "frame 8", "\(time)", "a later time than the one before") {
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
