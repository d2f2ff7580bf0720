import Foundation
import SafelightFrames
import SafelightGolden
import SafelightImage

/// A report with everything in it: each status, 8 and 16 bit, alpha, a sequence with a gap, and names hostile to
/// markup.
enum SampleReport {
  static let hostileName = #"markup/in a name: "</script><img src=x onerror='alert(1)'> & <!--"#

  static let made = Result { try make() }

  private static func make() throws -> ComparisonReport {
    var report = ComparisonReport(
      title: "Dark room", version: "safelight 1.0", device: "llvmpipe (LLVM 19.1.7, 256 bits)",
      canary: "caught in 4 of 4 tolerances")
    let frame = try picture(12)
    try add(&report, "equalize/luma", frame, frame)
    try add(&report, "saturation/1.2", frame, frame.dithered, "max<=1 && bias<=0.5")
    try add(
      &report, "blur/radius 2", frame, frame.withBadTile, "max<=3 && over(1)<=0.1% && window(8,1)<=10%", flip: true)
    try add(
      &report, "tone/sixteen bits and alpha", deep, deep.moved(20..<21, 4..<9, samples: 3..<4) { _, _, _ in -513 },
      "max<=64")
    try add(&report, hostileName, small, small.moved(0..<24, 5..<6, samples: 0..<1) { _, _, _ in 40 }, "line(0)<=50%")
    // The greatest difference is masked; a lesser one remains.
    let clock = ImageMask(hiding: [Region(x: 0, y: 0, width: 24, height: 4)], of: small.size)
    try add(
      &report, "overlay/clock", small,
      small.moved(0..<24, 0..<4, samples: 0..<1) { _, _, _ in 90 }.moved(11..<12, 9..<10, samples: 0..<1) { _, _, _ in
        -8
      }, mask: clock)
    try addWhatWasNotCompared(&report, frame)
    for number in 1...24 { try addFrame(number, &report) }
    return report
  }

  static let deep = SyntheticImage.ramp.image(Size(31, 17), channels: .rgba, depth: .bits16)
  private static let small = SyntheticImage.noise.image(Size(24, 16), channels: .gray, depth: .bits8)

  private static func add(
    _ report: inout ComparisonReport, _ name: String, _ expected: Image, _ actual: Image,
    _ tolerance: String = "max<=0",
    flip: Bool = false, mask: ImageMask? = nil
  ) throws {
    let difference = try ImageDifference(expected: expected, actual: actual, mask: mask)
    var one = ComparisonReport.Case(name, difference, try Tolerance(tolerance).verdict(on: difference))
    one.expectedPath = "Goldens/\(name).png"
    one.actualPath = ".golden-out/\(name).png"
    one.approve = "safelight golden approve '\(name)' --reason …"
    try report.add(one, difference, flip: flip ? seen(difference) : nil)
  }

  /// A stand-in for FLIP's map: the greatest difference of each pixel.
  private static func seen(_ difference: ImageDifference) -> Image {
    let (expected, actual) = (difference.expected.bytes, difference.actual.bytes)
    var bytes: [UInt8] = []
    for pixel in stride(from: 0, to: expected.count, by: 4) {
      let most = (pixel..<pixel + 3).map { abs(Int(actual[$0]) - Int(expected[$0])) }.max() ?? 0
      bytes.append(UInt8(min(255, 2 * most)))
    }
    return Image(size: difference.size, channels: .gray, depth: .bits8, bytes: bytes)
  }

  private static func addWhatWasNotCompared(_ report: inout ComparisonReport, _ frame: Image) throws {
    try report.add(
      .init(
        "resize/half", .incomparable, text: "the expected picture has the size 640×360, the actual one 31×17",
        like: frame),
      expected: frame, actual: deep)
    try report.add(.init("curves/film", .missing, text: "there is no golden yet", like: frame), actual: frame)
    try report.add(.init("exposure/+1", .skipped, text: "no hardware GPU, and the test asks for one"))
  }

  /// Frames of a film: some flicker, one is missing, one has lost its last column.
  private static func addFrame(_ number: Int, _ report: inout ComparisonReport) throws {
    let name = "shot \(number)", expected = try picture(number).half
    var one = ComparisonReport.Case(name, .missing, text: "the actual sequence has no frame \(number)", like: expected)
    var actual: Image?
    if number != 20 {
      let step = number % 2 == 0 ? 5 : 3
      let made =
        switch number {
        case 8...13: expected.moved(0..<expected.size.width, 20..<90) { _, _, _ in step }
        case 16: expected.withoutLastColumn
        default: expected
        }
      let difference = try ImageDifference(expected: expected, actual: made)
      one = ComparisonReport.Case(name, difference, try Tolerance("max<=2").verdict(on: difference))
      one.flicker = (8...13).contains(number) ? Double(step) : 0
      actual = made
    }
    one.sequence = "shot"
    one.frame = number
    try report.add(one, expected: expected, actual: actual)
  }

  /// Returns a frame of the dark room, with its light restored.
  private static func picture(_ number: Int) throws -> Image {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../../fixtures/dark-room")
    let path = folder.appendingPathComponent("frame00\(number < 10 ? "0" : "")\(number).png").standardized.path
    let image = try PNGFile(reading: path).image
    let brighter = (0...255).map { UInt8(min(255, 4 * $0)) }
    return image.replacing(bytes: image.bytes.map { brighter[Int($0)] })
  }
}

extension Image {
  /// Returns a copy in which samples of a part are moved; alpha is sample 3.
  func moved(
    _ columns: some Sequence<Int>, _ rows: some Sequence<Int>, samples: Range<Int> = 0..<3,
    by step: (_ x: Int, _ y: Int, _ sample: Int) -> Int
  ) -> Image {
    changing(columns, rows, samples) { x, y, sample, value in
      max(0, min(pixelFormat.maximum, value + step(x, y, sample)))
    }
  }

  /// One step here and there.
  var dithered: Image {
    moved(stride(from: 0, to: size.width, by: 5), stride(from: 0, to: size.height, by: 5), samples: 1..<2) { _, _, _ in
      1
    }
  }

  /// A copy with a work group that read its neighbor's rows, and a seam beside it.
  var withBadTile: Image {
    moved(256..<320, 128..<192) { _, y, c in (y % 5 - 2) * 9 + c * 6 }.moved(320..<321, 0..<size.height) { _, _, _ in
      -14
    }
  }

  /// Every other pixel of every other row.
  var half: Image {
    let half = Size(size.width / 2, size.height / 2)
    return Image(size: half, channels: .rgb, depth: .bits8, bytes: Array(repeating: 255, count: size.area))
      .changing(0..<half.width, 0..<half.height, 0..<3) { x, y, sample, _ in self[x: 2 * x, y: 2 * y, sample: sample] }
  }

  /// The last column is black.
  var withoutLastColumn: Image {
    moved(size.width - 1..<size.width, 0..<size.height) { _, _, _ in -pixelFormat.maximum }
  }
}
