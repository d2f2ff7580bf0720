import SafelightImage
import Testing

@Suite struct OrientationTests {
  /// `abc` over `def`, as the Exif standard has it stored for each orientation to be seen so.
  private static let stored: [Orientation: [String]] = [
    .up: ["abc", "def"], .upMirrored: ["cba", "fed"], .down: ["fed", "cba"], .downMirrored: ["def", "abc"],
    .leftMirrored: ["ad", "be", "cf"], .right: ["cf", "be", "ad"], .rightMirrored: ["fc", "eb", "da"],
    .left: ["da", "eb", "fc"],
  ]

  private static func turned(_ rows: [String], _ orientation: Orientation) -> [String] {
    let pixels = rows.map(Array.init)
    let size = Size(pixels[0].count, pixels.count)
    let upright = orientation.uprightSize(of: size)
    return (0..<upright.height).map { y in
      String(
        (0..<upright.width).map { x in
          let source = orientation.sourcePosition(ofUprightX: x, y: y, in: size)
          return pixels[source.y][source.x]
        })
    }
  }

  @Test(arguments: Orientation.allCases) func theStoredPictureStandsUpright(_ orientation: Orientation) throws {
    #expect(Self.turned(try #require(Self.stored[orientation]), orientation) == ["abc", "def"])
  }

  @Test(arguments: Orientation.allCases) func theInverseUndoesIt(_ orientation: Orientation) {
    #expect(orientation.followed(by: orientation.inverse) == .up)
    #expect(Self.turned(Self.turned(["abc", "def"], orientation), orientation.inverse) == ["abc", "def"])
  }

  @Test(arguments: Orientation.allCases, Orientation.allCases)
  func twoTurnsAreOne(_ first: Orientation, _ second: Orientation) {
    let both = Self.turned(Self.turned(["abc", "def"], first), second)
    #expect(Self.turned(["abc", "def"], first.followed(by: second)) == both)
  }

  @Test func anglesCountAgainstTheClock() {
    #expect(Orientation(counterclockwiseDegrees: 0) == .up)
    #expect(Orientation(counterclockwiseDegrees: 90) == .left)
    #expect(Orientation(counterclockwiseDegrees: -90) == .right)
    #expect(Orientation(counterclockwiseDegrees: 540) == .down)
    #expect(Orientation(counterclockwiseDegrees: 0, mirrored: true) == .upMirrored)
    // Mirrored first, and then turned.
    #expect(Orientation(counterclockwiseDegrees: 90, mirrored: true) == Orientation.upMirrored.followed(by: .left))
    #expect(Orientation(counterclockwiseDegrees: 45) == nil)
  }

  @Test func matricesOfQuarterTurnsAreKnown() {
    #expect(Orientation(a: 0, b: -65536, c: 65536, d: 0) == .left)
    #expect(Orientation(a: 65536, b: 0, c: 0, d: 65536) == .up)
    #expect(Orientation(a: -1, b: 0, c: 0, d: 1) == .upMirrored)
    #expect(Orientation(a: 46341, b: 46341, c: -46341, d: 46341) == nil)
    #expect(Orientation(a: 0, b: 0, c: 0, d: 0) == nil)
  }

  @Test func mirroredAreFour() {
    #expect(
      Orientation.allCases.filter(\.isMirrored) == [.upMirrored, .downMirrored, .leftMirrored, .rightMirrored])
    #expect(Orientation.allCases.filter(\.exchangesAxes) == [.leftMirrored, .right, .rightMirrored, .left])
  }
}
