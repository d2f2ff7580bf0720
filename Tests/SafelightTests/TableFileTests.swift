import Foundation
import Safelight
import SafelightImage
import Testing

/// Files of look-up tables and curves, sound and broken.
@Suite struct TableFileTests {
  private static func path(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../fixtures/\(name)").standardized.path
  }

  /// Broken files, the place of the fault, and part of the message.
  private static let faults: [(String, String, String)] = [
    ("empty.cube", "", "it has no LUT_1D_SIZE and no LUT_3D_SIZE"),
    ("picture.cube", ", line 1", "'\u{FFFD}PNG' is not a keyword of this format"),
    ("no-size.cube", "", "it has no LUT_1D_SIZE and no LUT_3D_SIZE"),
    ("entry-before-size.cube", ", line 1", "an entry comes before the size of the table"),
    ("two-sizes.cube", ", line 2", "LUT_3D_SIZE 2 was given before"),
    (
      "shaper-without-entries.cube", ", line 10",
      "the file ends after 8 entries; LUT_1D_SIZE 2 and LUT_3D_SIZE 2 need 10"
    ),
    (
      "shaper-with-domain.cube", ", line 4",
      "DOMAIN_MIN and DOMAIN_MAX do not say which of the two tables they mean"
    ),
    (
      "range-of-no-table.cube", ", line 3",
      "LUT_1D_INPUT_RANGE is given, and the file has no table of that kind"
    ),
    ("size-1.cube", ", line 1", "LUT_3D_SIZE is '1'; it must be from 2 to 129"),
    ("size-130.cube", ", line 1", "LUT_3D_SIZE is '130'; it must be from 2 to 129"),
    ("size-of-a-billion.cube", ", line 1", "LUT_3D_SIZE is '1000'; it must be from 2 to 129"),
    ("size-of-a-billion-values.cube", ", line 1", "LUT_1D_SIZE is '1000000000'; it must be from 2 to 65536"),
    ("size-no-number.cube", ", line 1", "LUT_3D_SIZE is 'two'; it must be from 2 to 129"),
    ("truncated.cube", ", line 7", "an entry has three numbers; this line has 2"),
    ("one-entry-less.cube", ", line 8", "the file ends after 7 entries; LUT_3D_SIZE 2 needs 8"),
    ("one-entry-more.cube", ", line 10", "LUT_3D_SIZE 2 needs 8 entries, and this entry is one too many"),
    ("two-numbers.cube", ", line 3", "an entry has three numbers; this line has 2"),
    ("four-numbers.cube", ", line 3", "an entry has three numbers; this line has 4"),
    ("nan.cube", ", line 3", "'nan' is not a number"),
    ("nan-first.cube", ", line 3", "'NaN' is not a number"),
    ("infinity.cube", ", line 3", "'1e999' is not a number"),
    ("comma.cube", ", line 3", "'0,5' is not a number"),
    ("domain-falls.cube", ", line 4", "the domain of green runs from 0.5 to 0.5"),
    ("domain-short.cube", ", line 1", "DOMAIN_MAX needs three numbers"),
    ("keyword-behind.cube", ", line 3", "'DOMAIN_MAX' comes after the first entry"),
    ("unknown-keyword.cube", ", line 1", "'LUT_4D_SIZE' is not a keyword of this format"),
    ("empty.acv", ", byte 0", "it ends in its version"),
    ("truncated.acv", ", byte 21", "it ends in its point 2 of curve 2"),
    ("version.acv", ", byte 0", "its version is 3, not 1 or 4"),
    ("no-curves.acv", ", byte 2", "it has 0 curves; 1 to 19 are allowed"),
    ("many-curves.acv", ", byte 2", "it has 20 curves; 1 to 19 are allowed"),
    ("one-point.acv", ", byte 14", "curve 2 has 1 points; it needs 2 to 19"),
    (
      "falling.acv", ", byte 24",
      "curve 3: inputs must rise by 1/65536 or more; that of point 3, 0.39215686274509803, follows 0.7843137254901961"
    ),
    ("above-255.acv", ", byte 10", "point 2 of curve 1 is 255/256; both must be from 0 to 255"),
    ("fifth-curve.acv", ", byte 44", "curve 5 is for a channel other than red, green and blue"),
  ]

  @Test(arguments: faults) func brokenFilesNameTheirFault(_ name: String, _ place: String, _ why: String) throws {
    let path = Self.path("broken-tables/\(name)")
    let filter = name.hasSuffix(".acv") ? "curves=file='\(path)'" : "lut='\(path)'"
    expectFault(filter, .input, path + place, why)
  }

  @Test func everyBrokenFileIsTried() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.path("broken-tables"))
    #expect(files.sorted() == Self.faults.map(\.0).sorted())
  }

  /// Texts in the chain itself fail as files do.
  @Test(arguments: [
    ("lut='data:,'", "", "it has no LUT_1D_SIZE and no LUT_3D_SIZE"),
    ("lut='data:,LUT_3D_SIZE 130'", ", line 1", "LUT_3D_SIZE is '130'; it must be from 2 to 129"),
    ("lut='data:,LUT_1D_SIZE 2%0A0 0 0%0A1 nan 1'", ", line 3", "'nan' is not a number"),
    ("lut='data:,LUT_1D_SIZE 2%0D%0A0 0 0'", ", line 2", "the file ends after 1 entries; LUT_1D_SIZE 2 needs 2"),
    ("lut='data:;base64,TFVUXzFEX1NJWkUgMQ=='", ", line 1", "LUT_1D_SIZE is '1'; it must be from 2 to 65536"),
    (
      "lut='data:,LUT_IN_VIDEO_RANGE%0ALUT_3D_SIZE 2%0ADOMAIN_MIN -1e306 0 0%0ADOMAIN_MAX 1e306 1 1%0A0 0 0'",
      ", line 5", "the domain of red runs from -1e+306 to 1e+306"
    ),
    (
      "lut='data:,LUT_IN_VIDEO_RANGE%0ALUT_1D_SIZE 2%0ADOMAIN_MAX 1 1e-20 1%0A0 0 0'", ", line 4",
      "the domain of green runs from 0.0 to 1e-20"
    ),
    ("curves=file='data:,'", ", byte 0", "it ends in its version"),
    ("curves=file='data:,%00%03%00%01'", ", byte 0", "its version is 3, not 1 or 4"),
    ("curves=file='data:;base64,AAQAAQACAAAAAA=='", ", byte 10", "it ends in its point 2 of curve 1"),
  ])
  func brokenTextsNameTheirFault(_ filter: String, _ place: String, _ why: String) {
    expectFault(filter, .input, "the data: address" + place, why)
  }

  private func expectFault(_ filter: String, _ kind: SafelightError.Kind, _ what: String?, _ why: String?) {
    let error = #expect(throws: SafelightError.self) { try FilterChain(parsing: filter, device: Device.open(.cpu)) }
    #expect(error?.kind == kind)
    if let what { #expect(error?.what == what) }
    if let why { #expect(error?.why == why) }
    #expect(error?.remedy?.isEmpty == false)
  }

  @Test func entriesAndDomainsAreRead() throws {
    guard case .cube(let cube) = try CubeFile.read(Self.path("tables/domain-5.cube")) else {
      Issue.record("domain-5.cube is a cube")
      return
    }
    #expect(cube.size == 5 && cube.entries.count == 375)
    #expect(cube.domainMin == SIMD3(0.1, 0, -0.25) && cube.domainMax == SIMD3(0.9, 1.5, 1))
    // Red of -0.2 is cut to 0; blue of -0.2 + 1.4 / 10 too.
    #expect(cube.entries[0...2] == [0, 0, 0])
    guard case .channels(let curves) = try CubeFile.read(Self.path("tables/grey-3.cube")) else {
      Issue.record("grey-3.cube has one dimension")
      return
    }
    #expect(!curves.makesColors)
    #expect(curves.tables(.bits8).red.outputs[64] == 38)
  }

  /// The largest numbers are white, the least black, also where a range is taken off.
  @Test(arguments: ["", "LUT_OUT_VIDEO_RANGE\n"]) func hugeEntriesAreEnds(_ range: String) throws {
    guard case .channels(let curves) = try read(Data("\(range)LUT_1D_SIZE 2\n-1e306 0 0\n1e306 1 1".utf8)) else {
      Issue.record("a table of one dimension")
      return
    }
    let outputs = curves.tables(.bits8).red.outputs
    #expect(outputs.first == 0 && outputs.last == 255)
  }

  /// The sample of Resolve's documentation, which inverts twice; with a byte order mark, its shaper alone inverts once.
  @Test func aTableShapesColorsForTheCube() throws {
    let inverting = (0...5).map { String(repeating: "\(1 - Double($0) / 5) ", count: 3) }
    let corners = (0..<27).map { "\(1 - Double($0 % 3) / 2) \(1 - Double($0 / 3 % 3) / 2) \(1 - Double($0 / 9) / 2)" }
    let header = ["LUT_1D_SIZE 6", "LUT_1D_INPUT_RANGE 0.0 1.0", "LUT_3D_SIZE 3", "LUT_3D_INPUT_RANGE 0.0 1.0"]
    let both = (["\u{FEFF}# comment"] + header + inverting + corners).joined(separator: "\n")
    let alone = (["\u{FEFF}LUT_1D_SIZE 6"] + inverting).joined(separator: "\n")
    guard case .cube(let cube) = try read(Data(both.utf8)), case .channels(let curves) = try read(Data(alone.utf8))
    else {
      Issue.record("a cube and a table")
      return
    }
    #expect(cube.shaper == curves && cube.size == 3)
    #expect(curves.tables(.bits8).red.outputs == (0...255).reversed().map { UInt16($0) })
  }

  /// Black and white of video range are those of pictures, which are full.
  @Test func tablesOfVideoRangeFitPicturesOfFullRange() throws {
    let entries = "0.0625610948191593 0 0\n0.918866080156403 1 1"
    for (keywords, white, green) in [
      ("LUT_IN_VIDEO_RANGE\nLUT_OUT_VIDEO_RANGE", 234, 255), ("LUT_IN_VIDEO_RANGE", 217, 234), ("", 234, 255),
    ] {
      guard case .channels(let curves) = try read(Data("\(keywords)\nLUT_1D_SIZE 2\n\(entries)".utf8)) else {
        Issue.record("a table")
        continue
      }
      let tables = curves.tables(.bits8)
      #expect(tables.red.outputs[255] == white && tables.green.outputs[255] == green, "\(keywords)")
    }
  }

  @Test func missingFilesAreMissing() { expectFault("lut=no-such.cube", .missingInput, nil, nil) }

  // MARK: Settings

  private static let level = "inputs must rise by 1/65536 or more; that of point 2, 1e-320, follows 0.0"

  @Test(arguments: [
    ("curves=0/0", "curves=points=0/0", "it needs 2 points or more; there are 1"),
    ("curves=0/0 1", "curves=points=0/0 1", "'1' is not a point"),
    ("curves=0/0 1/x", "curves=points=0/0 1/x", "'1/x' is not a point"),
    ("curves=blue=0/0 2/1", "curves=blue=0/0 2/1", "point 2, 2.0/1.0, lies outside 0 to 1"),
    ("curves=0/0 1e-320/1 1/1", "curves=points=0/0 1e-320/1 1/1", level),
    ("curves=red=0/0 1e-320/1 1/1", "curves=red=0/0 1e-320/1 1/1", level),
    (
      "curves=0/0 0.5/0.2 1/1:file=a.acv", "curves=file=a.acv:points=0/0 0.5/0.2 1/1",
      "curves come from a file or from points, not both"
    ),
    ("levels=black=0.5:white=0.5", "levels=black=0.5:white=0.5", "black must be less than white"),
    ("stretch=low=0.99:high=0.2", "stretch=low=0.99:high=0.2", "low must be less than high by at least 1/65536"),
    ("lut='data:x'", "the data: address", "there is no comma before the data"),
    ("lut='data:,%4'", "the data: address", "a % is not followed by two hexadecimal digits"),
    ("lut='data:;base64,A==='", "the data: address", "it is not valid base64"),
    ("lut='data:;base64,AA*='", "the data: address", "it is not valid base64"),
    ("lut='data:;base64,AA'", "the data: address", "it is not valid base64"),
    ("lut='data:;base64,AB=C'", "the data: address", "it is not valid base64"),
    ("lut='data:;base64,AAAA===='", "the data: address", "it is not valid base64"),
    ("lut='data:;base64,AAAA='", "the data: address", "it is not valid base64"),
  ])
  func settingsThatMakeNoSenseAreRefused(_ filter: String, _ what: String, _ why: String) {
    expectFault(filter, .usage, what, why)
  }

  @Test func greyPicturesAreNotColoured() throws {
    let grey = SyntheticImage.flat.image(Size(1, 1), channels: .grayAlpha, depth: .bits8)
    let color = SyntheticImage.flat.image(Size(1, 1), channels: .rgb, depth: .bits8)
    for filter in ["levels=channels=red", "curves=green=0/0 1/0.5", "lut='\(Self.path("tables/range-3.cube"))'"] {
      let made = try #require(try FilterChain(parsing: filter, device: Device.open(.cpu)).filters.first)
      #expect(throws: Never.self) { _ = try made.output(of: color.descriptor) }
      let error = #expect(throws: SafelightError.self) { try made.output(of: grey.descriptor) }
      #expect(error?.kind == .unsupported)
    }
  }

  /// Powers may differ in their last bit between C libraries, and sums of curves if a compiler fuses them: no output of
  /// the examples is so close to the middle between two samples that it would matter.
  @Test func nothingLiesOnTheEdgeOfARounding() throws {
    let curves = ToneCurves(
      all: try ToneCurve(points: "0/0 0.3/0.5 1/1", of: ""), red: try ToneCurve(points: "0/0.07 1/0.93", of: ""),
      blue: try ToneCurve(points: "0/0 0.5/0.4 0.6/0.8 1/1", of: ""))
    let bent = try ToneCurve(points: "0/0 0.25/0.15 0.75/0.9 1/1", of: "")
    func made<Kernel: ImageKernel>(_ kernel: Kernel, _ change: (inout Kernel) -> Void) -> Kernel {
      var kernel = kernel
      change(&kernel)
      return kernel
    }
    let functions: [(Double) -> Double] = [
      made(ImageLevels()) { ($0.black, $0.white, $0.gamma) = (0.1, 0.9, 1.2) }.output,
      made(ImageLevels()) { ($0.outputBlack, $0.outputWhite) = (0.91, 0.23) }.output,
      made(ImageLevels()) { $0.gamma = 0.45 }.output, made(ImageGamma()) { $0.gamma = 2.2 }.output,
      made(ImageGamma()) { $0.gamma = 0.5 }.output, made(ImageExposure()) { $0.stops = 1 }.output,
      made(ImageExposure()) { $0.stops = -1.5 }.output,
      made(ImageBrightnessContrast()) { ($0.brightness, $0.contrast) = (0.1, 1.3) }.output,
      made(ImageBrightnessContrast()) { ($0.brightness, $0.contrast) = (-0.2, 0.5) }.output, bent.output,
      { curves.all.output(curves.red.output($0)) },
      { curves.all.output(curves.blue.output($0)) },
    ]
    for (number, function) in functions.enumerated() {
      for maximum in [255.0, 65535] {
        var nearest = 1.0
        for value in 0...Int(maximum) {
          let output = function(Double(value) / maximum) * maximum
          nearest = min(nearest, abs(output - output.rounded(.down) - 0.5))
        }
        #expect(nearest > 1e-9, "function \(number), \(Int(maximum))")
      }
    }
  }
}

/// Large files without content take no more memory than their bytes.
@Suite struct HostileTableTests {
  @Test func linesAreNotGathered() async {
    await #expect(processExitsWith: .success) {
      try expectRefusal(
        of: Data(repeating: UInt8(ascii: "\n"), count: 1 << 22), ": it has no LUT_1D_SIZE and no LUT_3D_SIZE")
    }
  }

  @Test func aLineHasAnEnd() async {
    await #expect(processExitsWith: .success) {
      try expectRefusal(
        of: Data("LUT_1D_SIZE 2\n".utf8) + Data(repeating: UInt8(ascii: " "), count: 4097),
        ", line 2: the line is longer than 4096 bytes")
      try expectRefusal(
        of: Data(String(repeating: "0 ", count: 1 << 21).utf8), ", line 1: the line is longer than 4096 bytes")
    }
  }

  @Test func entriesBeyondTheSizeAreNotRead() async {
    await #expect(processExitsWith: .success) {
      try expectRefusal(
        of: Data("LUT_3D_SIZE 2\n".utf8) + Data(String(repeating: "0 0 0\n", count: 1 << 19).utf8) + Data("end".utf8),
        ", line 10: LUT_3D_SIZE 2 needs 8 entries, and this entry is one too many")
    }
  }

  /// Lines of 4096 bytes are read.
  @Test func longLinesAreLines() throws {
    let filler = String(repeating: "x", count: 4095)
    let table = try read(Data("#\(filler)\nLUT_1D_SIZE 2\n0 0 0\n\n1 1 1".utf8))
    guard case .channels(let curves) = table else {
      Issue.record("a table of one dimension is none")
      return
    }
    #expect(curves.samples == [0, 0, 0, 1, 1, 1])
  }
}

/// Expects that a file of `data` is refused with `fault`, in less than 8 times its memory, which a list of its lines or
/// words would take.
///
/// Runs in its own process, whose peak memory is known, and ends it with a failure otherwise.
private func expectRefusal(of data: Data, _ fault: String) throws {
  let before = try peakMemory()
  do {
    _ = try read(data)
    preconditionFailure("not refused")
  } catch let error as SafelightError {
    precondition("\(error.what): \(error.why)".hasSuffix(fault), "\(error)")
  }
  let grown = try peakMemory() - before
  precondition(grown < 8 * data.count + 8 << 20, "\(grown) bytes for a file of \(data.count)")
}

/// Returns the peak memory of this process in bytes.
private func peakMemory() throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let kibibytes = try #require(status.firstMatch(of: /VmHWM:\s+(\d+) kB/)?.output.1)
  return try #require(Int(kibibytes)) * 1024
}

/// Reads a file that contains `data`.
private func read(_ data: Data) throws -> CubeFile.Table {
  let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).cube")
  try data.write(to: file)
  defer { try? FileManager.default.removeItem(at: file) }
  return try CubeFile.read(file.path)
}
