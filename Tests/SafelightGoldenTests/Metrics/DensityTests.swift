import SafelightGolden
import SafelightImage
import Testing

@Suite struct DensityTests {
  @Test(arguments: [(31, 17, 8), (5, 40, 8), (1, 9, 3), (12, 12, 1)])
  func theDensestWindowIsTheOneFoundByCounting(width: Int, height: Int, edge: Int) throws {
    let size = Size(width, height)
    let expected = SyntheticImage.noise.image(size, channels: .gray, depth: .bits8)
    let actual = SyntheticImage.ramp.image(size, channels: .gray, depth: .bits8)
    let side = min(edge, width, height)
    var best = (count: 0, region: Region(x: 0, y: 0, width: side, height: side))
    for y in 0...(height - side) {
      for x in 0...(width - side) {
        var count = 0
        for row in y..<(y + side) {
          for column in x..<(x + side)
          where abs(expected[x: column, y: row, sample: 0] - actual[x: column, y: row, sample: 0]) > 120 { count += 1 }
        }
        if count > best.count { best = (count, Region(x: x, y: y, width: side, height: side)) }
      }
    }
    let window = try ImageDifference(expected: expected, actual: actual).window(edge, over: 120)
    #expect(window.share == Double(best.count) / Double(side * side))
    #expect(window.region == best.region)
  }

  @Test func aLostColumnIsALine() throws {
    let image = SyntheticImage.flat.image(Size(20, 10), channels: .rgb, depth: .bits16)
    var other = image
    for y in 0..<10 { other[x: 19, y: y, sample: 1] += 300 }
    other[x: 4, y: 3, sample: 1] += 300
    let line = try ImageDifference(expected: image, actual: other).line(over: 299)
    #expect(line == ImageDifference.Line(share: 1, direction: .column, index: 19))
    #expect(try ImageDifference(expected: image, actual: other).line(over: 300).share == 0)
  }

  @Test func aRowIsALineToo() throws {
    let image = SyntheticImage.flat.image(Size(10, 20), channels: .gray, depth: .bits8)
    var other = image
    for x in 2..<9 { other[x: x, y: 19, sample: 0] += 2 }
    let line = try ImageDifference(expected: image, actual: other).line(over: 1)
    #expect(line == ImageDifference.Line(share: 0.7, direction: .row, index: 19))
  }
}
