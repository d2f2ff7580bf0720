import SafelightFrames
import SafelightGolden
import SafelightImage
import Testing

@Suite struct ImageMaskTests {
  private static let size = Size(200, 180)
  private static let hidden = Region(x: 150, y: 20, width: 30, height: 40)

  @Test func whatIsMaskedIsInNoMetric() throws {
    let expected = SyntheticImage.ramp.image(Self.size, channels: .rgba, depth: .bits8)
    let actual = expected.changing(150..<180, 20..<60, 0..<4) { $3 ^ 255 }
    let mask = ImageMask(hiding: [Self.hidden], of: Self.size)
    #expect(mask.coverage == 1200.0 / 36000)
    let difference = try ImageDifference(expected: expected, actual: actual, mask: mask)
    #expect(difference.isIdentical && difference.mean == 0 && difference.psnr == nil && difference.place == nil)
    #expect(difference.over(0) == 0 && difference.window(8, over: 0).share == 0 && difference.line(over: 0).share == 0)
    #expect(difference.ssim() == 1 && difference.msssim() == 1 && difference.flip().maximum == 0)
    #expect(try mask.clearing(expected).pixelHash == mask.clearing(actual).pixelHash)
    #expect(expected.pixelHash != actual.pixelHash)
  }

  @Test func whatIsNotMaskedCountsAsBefore() throws {
    let expected = SyntheticImage.flat.image(Size(4, 1), channels: .gray, depth: .bits8)
    var actual = expected
    actual[x: 0, y: 0, sample: 0] += 6
    let mask = ImageMask(hiding: [Region(x: 2, y: 0, width: 9, height: 9)], of: Size(4, 1))
    let difference = try ImageDifference(expected: expected, actual: actual, mask: mask)
    #expect(difference.pixels == 2 && difference.mean == 3 && difference.bias == [3] && difference.over(5) == 1)
    #expect(try mask.clearing(expected).pixelHash != mask.clearing(actual).pixelHash)
  }

  @Test func blackIsLeftOut() throws {
    let picture = Image(size: Size(3, 1), channels: .gray, depth: .bits8, bytes: [0, 1, 255])
    let mask = try ImageMask(picture)
    #expect(mask == ImageMask(hiding: [Region(x: 0, y: 0, width: 1, height: 1)], of: Size(3, 1)))
    let transparent = SyntheticImage.flat.image(Size(3, 1), channels: .rgba, depth: .bits8)
    #expect(#expect(throws: SafelightError.self) { try ImageMask(transparent) }?.kind == .input)
  }

  @Test func masksThatLeaveNothingOrAreOfAnotherSizeAreRefused() {
    let image = SyntheticImage.flat.image(Size(3, 2), channels: .gray, depth: .bits8)
    func kind(_ mask: ImageMask) -> SafelightError.Kind? {
      #expect(throws: SafelightError.self) { try ImageDifference(expected: image, actual: image, mask: mask) }?.kind
    }
    #expect(kind(ImageMask(hiding: [.noClip], of: Size(3, 2))) == .missingInput)
    #expect(kind(ImageMask(hiding: [], of: Size(2, 3))) == .incomparable)
  }
}
