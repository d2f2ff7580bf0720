import SafelightFrames
import SafelightImage
import Testing

@Suite(
  "PngSuite and the files that crashed other readers: one verdict, whichever library reads",
  .enabled(if: PNGSuites.isThere, "scripts/fetch-png-suites fetches them"))
struct PNGSuiteTests {
  @Test(
    "none is missing",
    arguments: [
      ("spng-images", 175), ("spng-crashers", 27), ("libpng-pngsuite", 60), ("libpng-testpngs", 127),
      ("libpng-testpngs/crashers", 23),
    ])
  func counts(suite: String, count: Int) {
    #expect(PNGSuites.files(in: suite).count == count, "run scripts/fetch-png-suites again")
  }

  @Test("both ways of reading give the same picture and the same remarks, or refuse", arguments: PNGSuites.files)
  func verdicts(file: PNGSuites.File) throws {
    let bytes = try file.bytes()
    let verdict = try PNGVerdict(bytes, by: .auto)
    #expect(try verdict == PNGVerdict(bytes, by: .libpng))
    if case .refused(let error) = verdict { #expect(error.kind == .input, "\(error)") }
  }

  /// Else equal verdicts would say nothing: what is not sound goes to libpng from either side.
  @Test("whole pictures are unfolded at once, unless they are interlaced")
  func wholePictures() throws {
    var whole = 0
    for file in PNGSuites.files(in: "spng-images") where !file.name.hasPrefix("x") {
      let bytes = try file.bytes()
      let isInterlaced = bytes[28] == 1
      #expect(try HandmadePNG.readWhole(bytes) == !isInterlaced, "\(file.path)")
      whole += isInterlaced ? 0 : 1
    }
    #expect(whole == 126)
  }

  @Test("the corrupt ones are refused", arguments: PNGSuites.files(in: "spng-images").filter { $0.name.hasPrefix("x") })
  func corrupt(file: PNGSuites.File) throws {
    let bytes = try file.bytes()
    for backend in PNGCodec.Backend.allCases {
      #expect(try !PNGVerdict(bytes, by: backend).isRead, "\(backend)")
    }
  }

  @Test("a picture that was read comes back from every way of writing", arguments: PNGSuites.files(in: "spng-images"))
  func again(file: PNGSuites.File) throws {
    guard case .read(let read) = try PNGVerdict(file.bytes(), by: .auto) else { return }
    for backend in PNGCodec.Backend.allCases {
      for compression in PNGCompression.allCases {
        let bytes = try PNGEncoder.encode(read, compression: compression, codec: PNGCodec(backend))
        let again = try PNGDecoder.decode(bytes, name: "a.png", codec: PNGCodec(.libpng))
        #expect(again.image == read.image && again.grayBits == read.grayBits && again.warnings.isEmpty)
      }
    }
  }
}
