import SafelightGolden
import SafelightImage
import Testing

@Suite struct TerminalPictureTests {
  private static func difference(_ size: Size, hot: [(x: Int, y: Int, by: Int)]) throws -> ImageDifference {
    let expected = SyntheticImage.flat.image(size, channels: .rgb, depth: .bits8)
    return try ImageDifference(
      expected: expected, actual: hot.reduce(expected) { Film.touched($0, x: $1.x, y: $1.y, by: $1.by) })
  }

  private static func lines(_ picture: TerminalPicture) -> [Substring] {
    picture.description.split(separator: "\n", omittingEmptySubsequences: false)
  }

  @Test func oneHotPixelOfALargePictureIsSeen() throws {
    let difference = try Self.difference(Size(380, 200), hot: [(379, 199, 1)])
    let letters = TerminalPicture(difference, columns: 76, rows: 20, style: .letters)
    #expect(letters.description.filter { $0 == "@" }.count == 1)
    #expect(letters.description.last == "@")
    #expect(Self.lines(letters).map(\.count) == [Int](repeating: 76, count: 20))
    let blocks = TerminalPicture(difference, columns: 76, rows: 20, style: .halfBlocks).description
    #expect(blocks.hasSuffix("48;2;255;255;255m▀\u{1B}[0m"))
  }

  @Test func aWeakPixelBesideAStrongOneIsSeen() throws {
    let difference = try Self.difference(Size(8, 4), hot: [(0, 0, 120), (7, 3, 1)])
    let picture = TerminalPicture(difference, columns: 80, rows: 24, style: .letters)
    #expect(picture.description == "@       \n       .")
  }

  @Test func aCellShowsTheGreatestOfItsPixels() throws {
    let difference = try Self.difference(Size(40, 40), hot: [(0, 0, 10), (1, 1, 100), (39, 39, 50)])
    let picture = TerminalPicture(difference, columns: 4, rows: 2, style: .letters)
    #expect(picture.description == "@   \n   +")
  }

  @Test(arguments: [Size(1, 1), Size(1, 500), Size(500, 1), Size(3, 2)])
  func everySizeFits(_ size: Size) throws {
    let difference = try Self.difference(size, hot: [(0, 0, 9)])
    let blocks = Self.lines(TerminalPicture(difference, columns: 20, rows: 6, style: .halfBlocks))
    #expect((1...6).contains(blocks.count))
    let letters = Self.lines(TerminalPicture(difference, columns: 20, rows: 6, style: .letters))
    #expect((1...6).contains(letters.count))
    #expect(letters[0].first == "@")
    #expect(letters.allSatisfy { (1...20).contains($0.count) })
  }

  @Test func whatIsMaskedIsDark() throws {
    let expected = Film.frame(2)
    let mask = ImageMask(hiding: [Region(x: 0, y: 0, width: 4, height: 4)], of: Film.size)
    let actual = Film.touched(expected, x: 1, y: 1, by: 99)
    let difference = try ImageDifference(expected: expected, actual: actual, mask: mask)
    let picture = TerminalPicture(difference, columns: 48, rows: 32, style: .letters)
    #expect(picture.description.allSatisfy { " \n".contains($0) })
  }
}
