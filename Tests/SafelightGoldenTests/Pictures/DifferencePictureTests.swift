import SafelightGolden
import SafelightImage
import Testing

@Suite struct DifferencePictureTests {
  @Test(arguments: [Channels.gray, .grayAlpha, .rgb, .rgba], [SampleDepth.bits8, .bits16])
  func theGreatestDifferenceIsWhite(_ channels: Channels, _ depth: SampleDepth) throws {
    let expected = Film.frame(2, of: channels, depth)
    var actual = expected
    for sample in channels == .grayAlpha ? [0, 1, 2] : [0] {
      actual = Film.touched(actual, x: 5, y: 7, sample: sample, by: 40)
      actual = Film.touched(actual, x: 6, y: 7, sample: sample, by: 20)
    }
    let image = try DifferencePicture(ImageDifference(expected: expected, actual: actual)).image
    #expect(image.depth == .bits8)
    #expect(image.channels == (channels == .gray ? .gray : .rgb))
    #expect(image[x: 5, y: 7, sample: 0] == 255)
    #expect(image[x: 6, y: 7, sample: 0] == 127)
    #expect(image[x: 7, y: 7, sample: 0] == 0)
    if channels == .rgba { #expect(image[x: 5, y: 7, sample: 1] == 0) }
  }

  @Test func alphaIsSeenInEveryChannel() throws {
    let expected = Film.frame(2, of: .rgba)
    let actual = Film.touched(expected, x: 5, y: 7, sample: 3, by: 9)
    let image = try DifferencePicture(ImageDifference(expected: expected, actual: actual)).image
    #expect((0..<3).map { image[x: 5, y: 7, sample: $0] } == [255, 255, 255])
  }

  @Test func whatIsMaskedShowsTheExpectedPictureDimly() throws {
    let expected = Film.frame(2)
    let actual = Film.touched(Film.touched(expected, x: 1, y: 1, by: 200), x: 30, y: 20, by: 3)
    let mask = ImageMask(hiding: [Region(x: 0, y: 0, width: 4, height: 4)], of: Film.size)
    let image = try DifferencePicture(ImageDifference(expected: expected, actual: actual, mask: mask)).image
    for place in [(1, 1), (2, 3)] {
      let gray = expected[x: place.0, y: place.1, sample: 1] * 63 / 255
      #expect((0..<3).map { image[x: place.0, y: place.1, sample: $0] } == [gray, gray, gray])
    }
    #expect(image[x: 30, y: 20, sample: 1] == 255)
    #expect(image[x: 4, y: 4, sample: 1] == 0)
  }

  @Test func equalPicturesAreBlack() throws {
    let image = try DifferencePicture(ImageDifference(expected: Film.frame(2), actual: Film.frame(2))).image
    #expect(image.bytes.enumerated().allSatisfy { $0.element == ($0.offset % 4 == 3 ? 255 : 0) })
  }
}
