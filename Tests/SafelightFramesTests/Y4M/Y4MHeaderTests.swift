import SafelightFrames
import SafelightImage
import Testing

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
  func linesOfFFmpegComeBack(_ fields: String, _ layout: PixelLayout, _ siting: ChromaSiting) throws {
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

  /// What a header leaves out.
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
  func liesAreNamed(_ fields: String, _ why: String) {
    expectError(.input, mentioning: "a.y4m", why, "ffmpeg -i") { _ = try read(fields) }
  }

  @Test(arguments: ["It", "Ib", "Im"]) func interlacedPicturesAreRefused(_ field: String) {
    expectError(.unsupported, mentioning: "interlaced (\(field))", "bwdif") { _ = try read("W4 H4 F25:1 \(field)") }
  }

  @Test(arguments: ["C444alpha", "C411", "C410", "C420p9", "C420p14", "Cnonsense", "C"])
  func otherChromaIsNamed(_ field: String) {
    expectError(.unsupported, mentioning: "its chroma is \(field);", "420mpeg2", "mono16") {
      _ = try read("W4 H4 F25:1 \(field)")
    }
  }
}
