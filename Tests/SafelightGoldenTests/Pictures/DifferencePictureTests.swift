import SafelightGolden
import SafelightImage
import Testing

@Suite struct DifferencePictureTests {
  @Test(arguments: [Channels.gray, .grayAlpha, .rgb, .rgba], [SampleDepth.bits8, .bits16])
  func theGreatestDifferenceIsWhiteAndGrowsByAPixel(_ channels: Channels, _ depth: SampleDepth) throws {
    let expected = Video.frame(2, of: channels, depth)
    var actual = expected
    for sample in channels == .grayAlpha ? [0, 1, 2] : [0] {
      actual = Video.touched(actual, x: 5, y: 7, sample: sample, by: 40)
      actual = Video.touched(actual, x: 12, y: 7, sample: sample, by: 20)
    }
    let image = try DifferencePicture(ImageDifference(expected: expected, actual: actual)).image
    #expect(image.depth == .bits8)
    #expect(image.channels == (channels == .gray ? .gray : .rgb))
    for y in 6...8 {
      for x in 4...6 { #expect(image[x: x, y: y, sample: 0] == 255) }
      for x in 11...13 { #expect(image[x: x, y: y, sample: 0] == 191) }
    }
    for (x, y) in [(3, 7), (7, 7), (5, 5), (5, 9), (0, 0)] { #expect(image[x: x, y: y, sample: 0] <= 63) }
    if channels == .rgba { #expect(image[x: 5, y: 7, sample: 1] == 0) }
  }

  /// Growth stays in its row and its column.
  @Test func theEdgesDoNotWrap() throws {
    let expected = Video.frame(2)
    let (right, bottom) = (Video.size.width - 1, Video.size.height - 1)
    let actual = Video.touched(expected, x: right, y: bottom, by: 40)
    let image = try DifferencePicture(ImageDifference(expected: expected, actual: actual)).image
    let lit = (0..<Video.size.area).filter { pixel in
      let (x, y) = (pixel % Video.size.width, pixel / Video.size.width)
      return (0..<3).contains { image[x: x, y: y, sample: $0] > 63 }
    }
    #expect(Set(lit.map { $0 % Video.size.width }) == [right - 1, right])
    #expect(Set(lit.map { $0 / Video.size.width }) == [bottom - 1, bottom])
  }

  @Test func alphaIsSeenInEveryChannel() throws {
    let expected = Video.frame(2, of: .rgba)
    let actual = Video.touched(expected, x: 5, y: 7, sample: 3, by: 9)
    let image = try DifferencePicture(ImageDifference(expected: expected, actual: actual)).image
    #expect((0..<3).map { image[x: 5, y: 7, sample: $0] } == [255, 255, 255])
  }

  @Test func whatIsMaskedIsDimmer() throws {
    let expected = Video.frame(2)
    let actual = Video.touched(Video.touched(expected, x: 1, y: 1, by: 200), x: 30, y: 20, by: 3)
    let mask = ImageMask(hiding: [Region(x: 0, y: 0, width: 4, height: 4)], of: Video.size)
    let image = try DifferencePicture(ImageDifference(expected: expected, actual: actual, mask: mask)).image
    for (x, y, share) in [(1, 1, 31), (2, 3, 31), (4, 4, 63), (9, 2, 63)] {
      let gray = expected[x: x, y: y, sample: 1] * share / 255
      #expect((0..<3).map { image[x: x, y: y, sample: $0] } == [gray, gray, gray])
    }
    #expect(image[x: 30, y: 20, sample: 1] == 255)
  }

  /// The same, computed sample by sample from the description.
  @Test(arguments: ImageDifferenceTests.kinds) func everySampleIsAsDescribed(
    channels: Channels, depth: SampleDepth
  ) throws {
    let size = Size(67, 23)
    let expected = SyntheticImage.noise.image(size, channels: channels, depth: depth)
    var actual = expected
    for (number, (x, y)) in [(0, 0), (3, 4), (9, 2), (40, 11), (41, 11), (66, 12), (0, 22), (66, 22)].enumerated() {
      let sample = channels.sampleIndices[number % channels.count]
      actual = Video.touched(actual, x: x, y: y, sample: sample, by: 20 + 30 * number)
    }
    let hidden = Region(x: 2, y: 1, width: 5, height: 7)
    let difference = try ImageDifference(
      expected: expected, actual: actual, mask: ImageMask(hiding: [hidden], of: size))
    let image = DifferencePicture(difference).image
    func isHidden(_ x: Int, _ y: Int) -> Bool { (2..<7).contains(x) && (1..<8).contains(y) }
    func step(_ x: Int, _ y: Int, _ sample: Int) -> Int {
      let isInside = (0..<size.width).contains(x) && (0..<size.height).contains(y)
      guard isInside, !isHidden(x, y) else { return 0 }
      return abs(actual[x: x, y: y, sample: sample] - expected[x: x, y: y, sample: sample])
    }
    let colors = channels == .gray ? [0] : [0, 1, 2]
    for y in 0..<size.height {
      for x in 0..<size.width {
        func grown(_ sample: Int) -> Int {
          (y - 1...y + 1).flatMap { y in (x - 1...x + 1).map { step($0, y, sample) } }.max() ?? 0
        }
        let alpha = channels.hasAlpha ? grown(3) : 0
        let steps = colors.map { max(grown($0), alpha) }
        let light = expected[x: x, y: y, sample: channels == .gray ? 0 : 1]
        let gray = light * (isHidden(x, y) ? 31 : 63) / expected.pixelFormat.maximum
        let wanted = steps.map { step in
          steps.allSatisfy { $0 == 0 } ? gray : step == 0 ? 0 : 128 + 127 * step / difference.maximum
        }
        #expect(colors.map { image[x: x, y: y, sample: $0] } == wanted)
      }
    }
  }

  @Test func equalPicturesShowTheExpectedOne() throws {
    let expected = Video.frame(2)
    let image = try DifferencePicture(ImageDifference(expected: expected, actual: expected)).image
    for pixel in 0..<Video.size.area {
      let (x, y) = (pixel % Video.size.width, pixel / Video.size.width)
      #expect(image[x: x, y: y, sample: 0] == expected[x: x, y: y, sample: 1] * 63 / 255)
    }
  }
}

@Suite struct TerminalPictureTests {
  private static func difference(_ size: Size, hot: [(x: Int, y: Int, by: Int)]) throws -> ImageDifference {
    let expected = SyntheticImage.flat.image(size, channels: .rgb, depth: .bits8)
    return try ImageDifference(
      expected: expected, actual: hot.reduce(expected) { Video.touched($0, x: $1.x, y: $1.y, by: $1.by) })
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
    let expected = Video.frame(2)
    let mask = ImageMask(hiding: [Region(x: 0, y: 0, width: 4, height: 4)], of: Video.size)
    let actual = Video.touched(expected, x: 1, y: 1, by: 99)
    let difference = try ImageDifference(expected: expected, actual: actual, mask: mask)
    let picture = TerminalPicture(difference, columns: 48, rows: 32, style: .letters)
    #expect(picture.description.allSatisfy { " \n".contains($0) })
  }
}
