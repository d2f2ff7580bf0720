import Foundation
import SafelightFrames
import SafelightImage
import Testing

@Suite struct Y4MSourceTests {
  private let folder = TemporaryFolder()

  private func write(_ text: String, _ rest: [UInt8] = []) throws -> VideoLocation {
    .file(try folder.write("a.y4m", Array(text.utf8) + rest))
  }

  /// 3×3 in 4:2:0: 9 + 4 + 4 bytes.
  private static let header = "YUV4MPEG2 W3 H3 F30000:1001 Ip C420mpeg2\n"
  private static let samples = Array(UInt8(1)...17)

  @Test func framesTimesAndPlanes() async throws {
    let place = try write(
      Self.header, Array("FRAME\n".utf8) + Self.samples + Array("FRAME Xwhat ever\n".utf8) + Self.samples.reversed())
    let source = try await Y4MSource(place)
    #expect(source.format.size == Size(3, 3) && source.format.layout == .yCbCr420Planar8)
    #expect(source.format.color == ColorDescription(siting: .left))
    #expect(source.format.frameDuration == MediaTime(value: 1001, timescale: 30000))
    // A file can be read repeatedly.
    for _ in 0..<3 {
      let frames = try await source.collected()
      #expect(frames.map(\.index) == [0, 1])
      #expect(frames.map(\.presentationTime) == [.zero, MediaTime(value: 1001, timescale: 30000)])
      #expect(frames[0].planes.map(\.bytes) == [Array(1...9), Array(10...13), Array(14...17)])
      #expect(frames[1].planes.map(\.size) == [Size(3, 3), Size(2, 2), Size(2, 2)])
      #expect(frames[1].planes[0].bytes == Array((9...17).reversed()))
    }
  }

  @Test func streamsMayBeEmpty() async throws { #expect(try await Y4MSource(write(Self.header)).collected().isEmpty) }

  @Test func missingRatesMustBeStated() async throws {
    let place = try write("YUV4MPEG2 W1 H1 F0:0 Cmono\nFRAME\n7FRAME\n8")
    await expectError(.input, mentioning: "a.y4m", "how many frames") { _ = try await Y4MSource(place) }
    let frames = try await Y4MSource(place, frameDuration: MediaTime(value: 1, timescale: 10)).collected()
    #expect(frames.map(\.presentationTime.seconds) == [0, 0.1])
  }

  // MARK: Damage

  @Test(arguments: [
    ("", "it is empty"), ("YUV4MPEG", "it is not a Y4M film; it holds text"), ("{\"a\": 1}\n", "it holds text"),
    ("\u{89}PNG", "not a Y4M"), ("GIF89a", "it holds a GIF picture"), ("RIFF....AVI ", "RIFF container"),
    ("YUV4MPEG2 W3 H3", "its header has no end: 15 bytes arrived"),
  ])
  func otherFormatsAreNamed(_ text: String, _ why: String) async throws {
    let place = try write(text)
    await expectError(.input, mentioning: "a.y4m", why) { _ = try await Y4MSource(place) }
  }

  @Test func endlessHeadersAreRefused() async throws {
    let place = try write("YUV4MPEG2 " + String(repeating: "Xabc ", count: 100_000))
    await expectError(.input, mentioning: "no end: 4096 bytes") { _ = try await Y4MSource(place) }
    await expectError(.input, mentioning: "/dev/zero", "not a Y4M") { _ = try await Y4MSource(.file("/dev/zero")) }
  }

  @Test func tooLargePicturesAreRefused() async throws {
    let place = try write("YUV4MPEG2 W1000000 H1000000 F25:1\nFRAME\n")
    await expectError(.limit, mentioning: "1000000×1000000", "\(1 << 29)") { _ = try await Y4MSource(place) }
    // Large but missing: memory is allocated only for arriving bytes.
    let large = try write("YUV4MPEG2 W20000 H20000 F25:1\nFRAME\nabc")
    let source = try await Y4MSource(large)
    await expectError(.input, mentioning: "frame 1 is cut short: 3 of its 600000000 bytes") {
      _ = try await source.collected()
    }
  }

  /// Wherever the film is cut, complete frames arrive, and the error says what is missing.
  @Test func cutsAreMeasured() async throws {
    let whole = Array(Self.header.utf8) + Array("FRAME\n".utf8) + Self.samples + Array("FRAME\n".utf8) + Self.samples
    for count in Self.header.utf8.count...whole.count {
      let source = try await Y4MSource(.file(folder.write("cut.y4m", Array(whole[..<count]))))
      let (whole, behind) = (count - Self.header.utf8.count).quotientAndRemainder(dividingBy: 23)
      let came =
        if behind == 0 {
          try await source.collected().count
        } else if behind < 6 {
          await source.count(
            before: .input, mentioning: "the line before frame \(whole + 1) has no end", "\(behind) bytes")
        } else {
          await source.count(
            before: .input, mentioning: "frame \(whole + 1) is cut short: \(behind - 6) of its 17 bytes",
            whole == 1 ? "the frame before it is complete" : "the \(whole) frames before it are complete")
        }
      #expect(came == whole)
    }
  }

  @Test(arguments: [
    ("FRAMES\n", "frame 2 begins with \"FRAMES\""), ("frame\n", "begins with \"frame\""), ("\n", "begins with \"\""),
    ("\u{1}\u{2}\n", "begins with \"··\""), ("FRAME It1\n", "interlaced"), ("FRAME Iz\n", "interlacing is Iz"),
  ])
  func invalidFrameLinesAreShown(_ line: String, _ why: String) async throws {
    let place = try write(Self.header, Array("FRAME I1pp\n".utf8) + Self.samples + Array(line.utf8) + Self.samples)
    #expect(try await Y4MSource(place).count(before: .input, mentioning: why) == 1)
  }

  /// Where the header says that some pictures are interlaced, each may say what it is.
  @Test(arguments: ["FRAME Itt1", "FRAME I1pp", "FRAME"]) func mixedFramesAreRead(_ line: String) async throws {
    let place = try write(Self.header.replacing("Ip", with: "Im"), Array("\(line)\n".utf8) + Self.samples)
    let source = try await Y4MSource(place)
    #expect(source.isInterlaced)
    #expect(try await source.collected().count == 1)
  }

  // MARK: Pipes

  @Test func pipesAreReadOnce() async throws {
    let pipe = Pipe()
    let place = VideoLocation.descriptor(pipe.fileHandleForReading.fileDescriptor, name: "the pipe")
    let writing = pipe.fileHandleForWriting
    // In pieces that end anywhere.
    let bytes = Array(Self.header.utf8) + Array("FRAME\n".utf8) + Self.samples + Array("FRAME\n".utf8) + Self.samples
    let writer = Task {
      for start in stride(from: 0, to: bytes.count, by: 7) {
        try writing.write(contentsOf: bytes[start..<min(start + 7, bytes.count)])
        try await Task.sleep(for: .milliseconds(1))
      }
      try writing.close()
    }
    let source = try await Y4MSource(place)
    #expect(try await source.collected().count == 2)
    try await writer.value
    await expectError(.usage, mentioning: "the pipe", "once") { _ = try await source.collected() }
  }

  /// Leaving or cancelling does not wait for a silent writer.
  @Test func silentPipesDoNotBlock() async throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Array(Self.header.utf8) + Array("FRAME\n".utf8) + Self.samples)
    let source = try await Y4MSource(.descriptor(pipe.fileHandleForReading.fileDescriptor, name: "the pipe"))
    let reading = Task { try await source.collected().count }
    try await Task.sleep(for: .milliseconds(20))
    reading.cancel()
    #expect(try await reading.value <= 1)
    try pipe.fileHandleForWriting.close()
  }
}

@Suite struct Y4MHeaderTests {
  private func read(_ fields: String) throws -> Y4MHeader { try Y4MHeader("YUV4MPEG2 \(fields)", name: "a.y4m") }

  @Test(arguments: [
    ("W640 H360 F30000:1001 Ip A1:1 C420jpeg XYSCSS=420JPEG", PixelLayout.yCbCr420Planar8, ChromaSiting.center),
    ("W7 H5 F25:1 Ip A10:11 C420mpeg2 XYSCSS=420MPEG2 XCOLORRANGE=LIMITED", .yCbCr420Planar8, .left),
    ("W7 H5 F25:1 Ip A0:0 C420paldv XYSCSS=420PALDV XCOLORRANGE=FULL", .yCbCr420Planar8, .topLeft),
    ("W7 H5 F25:1 Ip A1:1 C422 XYSCSS=422", .yCbCr422Planar8, .unspecified),
    ("W7 H5 F25:1 Ip A1:1 C444p12 XYSCSS=444P12 XCOLORRANGE=LIMITED", .yCbCr444Planar12, .unspecified),
    ("W7 H5 F25:1 Ip A1:1 C420p10 XYSCSS=420P10 XCOLORRANGE=LIMITED", .yCbCr420Planar10, .unspecified),
    ("W7 H5 F25:1 Ip A1:1 Cmono XCOLORRANGE=FULL", .gray8, .unspecified),
    ("W7 H5 F25:1 Ip A1:1 Cmono10 XCOLORRANGE=FULL", .gray16, .unspecified),
  ])
  func linesOfFFmpegArePreserved(_ fields: String, _ layout: PixelLayout, _ siting: ChromaSiting) throws {
    let header = try read(fields)
    #expect(header.colorSpace.layout == layout && header.colorSpace.siting == siting)
    #expect(header.text == "YUV4MPEG2 \(fields)\n")
  }

  @Test func valuesAreRead() throws {
    let header = try read("W720 H576 F25:1 A16:15 Ip C420mpeg2 XCOLORRANGE=LIMITED XOTHER=1 Xplain")
    #expect(header.size == Size(720, 576) && header.frameDuration == MediaTime(value: 1, timescale: 25))
    #expect(header.pixelAspect == PixelAspect(16, 15) && header.range == .limited)
    // A rate in its lowest terms.
    #expect(try read("W2 H2 F50:2").frameDuration?.timescale == 25)
    #expect(try read("W2 H2 F0:0 A0:0").frameDuration == nil && read("W2 H2").pixelAspect == nil)
  }

  /// Defaults for missing fields.
  @Test func chromaIsThatOfTheExtensionOrTheDefault() throws {
    #expect(try read("W2 H2 F1:1").colorSpace.name == "420jpeg")
    #expect(try read("W2 H2 F1:1 XYSCSS=444P10").colorSpace.name == "444p10")
    #expect(try read("W2 H2 F1:1 C420").colorSpace.siting == .unspecified)
    #expect(try read("W2 H2 F1:1").range == .unspecified)
  }

  @Test(arguments: [
    ("H5 F1:1", "names no columns (W)"), ("W5 F1:1", "names no rows (H)"), ("W0 H5", "0 columns"),
    ("W5 H-3", "-3 rows"), ("W+5 H3", "+5 columns"), ("W5x H3", "5x columns"), ("W H3", " columns"),
    ("W99999999999999999999 H3", "99999999999999999999 columns"), ("W4294967297 H1", "4294967297 columns"),
    ("W5 H5 W6", "names W twice"), ("W5 H5 F1", "rate (F) is 1"), ("W5 H5 F0:1", "rate (F) is 0:1"),
    ("W5 H5 F-1:1", "rate (F) is -1:1"), ("W5 H5 F1:2:3", "rate (F) is 1:2:3"), ("W5 H5 A1:0", "aspect (A) is 1:0"),
    ("W5 H5 Ix", "interlacing is Ix"),
  ])
  func invalidFieldsAreNamed(_ fields: String, _ why: String) {
    expectError(.input, mentioning: "a.y4m", why, "ffmpeg -i") { _ = try read(fields) }
  }

  @Test(arguments: [("It", true), ("Ib", true), ("Im", true), ("Ip", false), ("I?", nil), ("", nil)])
  func interlacingIsRead(_ field: String, _ isInterlaced: Bool?) throws {
    #expect(try read("W4 H4 F25:1 \(field)").isInterlaced == isInterlaced)
  }

  @Test(arguments: ["C444alpha", "C411", "C410", "C420p9", "C420p14", "Cnonsense", "C"])
  func otherChromaIsNamed(_ field: String) {
    expectError(.unsupported, mentioning: "its chroma is \(field);", "420mpeg2", "mono16") {
      _ = try read("W4 H4 F25:1 \(field)")
    }
  }
}
