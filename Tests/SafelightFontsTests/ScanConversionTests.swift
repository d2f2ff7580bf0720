import SafelightFonts
import SafelightImage
import Testing

/// Areas that are known, and paths that leave the picture.
@Suite struct ScanConversionTests {
  private typealias Point = ScanConversion.Point

  /// Adds a closed path, whose corners are 65536ths of a pixel.
  private func coverage(width: Int, height: Int, _ paths: [[Point]]) -> [Int] {
    var scan = ScanConversion(width: width, height: height)
    for path in paths {
      for (one, other) in zip(path, path.dropFirst() + path.prefix(1)) { scan.addLine(from: one, to: other) }
    }
    return scan.coverage.map { Int($0) }
  }

  private func rectangle(_ left: Int, _ top: Int, _ right: Int, _ bottom: Int) -> [Point] {
    [Point(left, top), Point(right, top), Point(right, bottom), Point(left, bottom)]
  }

  /// Every pixel of a rectangle is covered by the product of what it covers of its column and of its row.
  @Test(arguments: [
    (0, 0, 65536, 65536), (65536, 131072, 196608, 196608), (1, 1, 2, 2), (70000, 12345, 250000, 77777),
    (-99999, -5, 30000, 400000), (32768, 32768, 1 << 40, 98304), (0, 0, 0, 65536), (5, 70000, 90000, 70000),
  ])
  func rectanglesAreExact(_ left: Int, _ top: Int, _ right: Int, _ bottom: Int) {
    let (width, height) = (4, 3)
    let expected = (0..<height).flatMap { y in
      (0..<width).map { x in
        let columns = max(0, min(right, (x + 1) << 16) - max(left, x << 16))
        let rows = max(0, min(bottom, (y + 1) << 16) - max(top, y << 16))
        return (columns * rows * 65535 + 1 << 31) >> 32
      }
    }
    let corners = rectangle(left, top, right, bottom)
    #expect(coverage(width: width, height: height, [corners]) == expected)
    #expect(coverage(width: width, height: height, [corners.reversed()]) == expected)
  }

  /// Half of each pixel on the diagonal, all below it, none above.
  @Test func trianglesAreExact() {
    let unit = 65536
    let made = coverage(width: 3, height: 3, [[Point(0, 0), Point(3 * unit, 3 * unit), Point(0, 3 * unit)]])
    #expect(made == [32768, 0, 0, 65535, 32768, 0, 65535, 65535, 32768])
    // A slope of a half: a quarter and three quarters of the pixels that it crosses.
    let steep = coverage(width: 2, height: 2, [[Point(0, 0), Point(unit, 2 * unit), Point(0, 2 * unit)]])
    #expect(steep == [16384, 0, 49151, 0])
  }

  /// Two paths of one direction cover the area in both once; a path of the other direction cuts a hole.
  @Test func pathsCoverOnceAndCutHoles() {
    let (outer, inner) = (rectangle(0, 0, 196608, 65536), rectangle(65536, 0, 131072, 65536))
    #expect(coverage(width: 3, height: 1, [outer, inner]) == [65535, 65535, 65535])
    #expect(coverage(width: 3, height: 1, [outer, inner.reversed()]) == [65535, 0, 65535])
  }

  /// The part of a path that lies in a picture is made as in a larger one.
  @Test(arguments: 0..<40) func picturesAreWindowsOfLargerOnes(_ seed: Int) {
    var generator = SplitMix(state: UInt64(seed))
    func place() -> Int { Int.random(in: -200_000...900_000, using: &generator) }
    let path = (0..<5).map { _ in Point(place(), place()) }
    let whole = coverage(width: 16, height: 16, [path.map { $0 &+ Point(4 << 16, 4 << 16) }])
    let part = coverage(width: 7, height: 6, [path])
    for y in 0..<6 { #expect(Array(whole[(y + 4) * 16 + 4..<(y + 4) * 16 + 11]) == Array(part[7 * y..<7 * y + 7])) }
  }

  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
}

/// Files that are no fonts.
@Suite struct FontTests {
  @Test(arguments: [[], [0, 1, 0, 0], Array("no font at all".utf8)] as [[UInt8]])
  func otherFilesAreRefused(_ bytes: [UInt8]) throws {
    let error = try #require(throws: SafelightError.self) { try Font(bytes, name: "x.ttf") }
    #expect(error.kind == .input && error.what == "x.ttf" && error.why == "it is no TrueType or OpenType font")
  }
}
