import SafelightGolden
import SafelightImage
import Testing

@Suite struct BlindSpotTests {
  static let fiveTerms = "max<=3 && over(1)<=0.1% && bias<=0.1 && window(8,1)<=10% && line(1)<=5%"

  @Test(arguments: ImageDifferenceTests.kinds) func exactSeesEverything(channels: Channels, depth: SampleDepth) {
    #expect(Tolerance.exact.blindSpots(size: Size(1920, 1080), channels: channels, depth: depth) == [])
  }

  /// Every planted damage but the one that alternates between a step up and a step down.
  @Test(arguments: ImageDifferenceTests.kinds.filter { $0.1 == .bits8 }, [Size(96, 96), Size(1920, 1080)])
  func fiveTermsMissDitheringAlone(kind: (channels: Channels, depth: SampleDepth), size: Size) throws {
    let spots = try Tolerance(Self.fiveTerms).blindSpots(size: size, channels: kind.channels, depth: kind.depth)
    #expect(spots == ["dithering by one step"])
  }

  @Test(arguments: [
    ("psnr>=40", ["one hot pixel", "rounding down", "blue one step brighter", "alpha of a tile of 8×8 pixels lower"]),
    ("ssim>=0.99", ["a lost last column", "two per cent less light", "a gamma of 2.4 for 2.2"]),
    ("max<=1", ["rounding down", "dithering by one step", "blue one step brighter"]),
  ])
  func customaryRulesMissMore(text: String, missed: [String]) throws {
    let spots = try Tolerance(text).blindSpots(size: Size(640, 360), channels: .rgba, depth: .bits8)
    #expect(Set(missed).isSubset(of: spots))
  }

  /// A tenth of a per cent of a large picture hides more than that of a small one.
  @Test func largePicturesHideMore() throws {
    let tolerance = try Tolerance("over(0)<=0.1%")
    let small = tolerance.blindSpots(size: Size(96, 96), channels: .rgb, depth: .bits8)
    let large = tolerance.blindSpots(size: Size(1920, 1080), channels: .rgb, depth: .bits8)
    #expect(!small.contains("a lost last column") && large.contains("a lost last column"))
    #expect(!small.contains("a tile of 8×8 pixels brighter") && large.contains("a tile of 8×8 pixels brighter"))
  }

  /// The scene is smaller than the picture, whose pixels are counted.
  @Test func whatIsEverywhereIsCountedInAllPixels() throws {
    let tolerance = try Tolerance("over(0)<=20000px")
    let spots = tolerance.blindSpots(size: Size(1920, 1080), channels: .rgb, depth: .bits8)
    #expect(!spots.contains("dithering by one step") && spots.contains("a lost last column"))
  }

  /// A limit on alpha alone sees a shift, since pixels move with their alpha.
  @Test func pixelsMoveWithTheirAlpha() throws {
    let spots = try Tolerance("max.alpha<=9").blindSpots(size: Size(96, 96), channels: .rgba, depth: .bits8)
    #expect(!spots.contains("a shift by one pixel") && spots.contains("one hot pixel"))
  }

  @Test func everySizeHasAScene() {
    for size in [Size(1, 1), Size(1, 9), Size(7, 1), Size(2, 2)] {
      #expect(Tolerance.exact.blindSpots(size: size, channels: .rgba, depth: .bits8) == [])
    }
  }

  @Test func fiveTermsAcceptWhatIsBenign() throws {
    let picture = IntegerPicture.named("smooth", Size(192, 192))
    let benign: [(String, @Sendable (Int, Int, Int) -> Int)] = [
      ("±1 in 0.3 % of pixels", { x, y, _ in Self.draw(x, y, 0, of: 1000) < 3 ? 1 - 2 * (x & 1) : 0 }),
      ("±1 in 30 % of samples", { x, y, c in Self.draw(x, y, c, of: 10) < 3 ? Self.step(x, y, c) : 0 }),
      ("±3 in 0.02 % of pixels", { x, y, _ in Self.draw(x, y, 0, of: 5000) < 1 ? 3 : 0 }),
      ("±1 in 10 % of samples", { x, y, c in Self.draw(x, y, c, of: 10) < 1 ? Self.step(x, y, c) : 0 }),
    ]
    for (name, change) in benign {
      let actual = IntegerPicture(size: picture.size) { x, y, channel in
        min(max(picture.value(x, y, channel) + change(x, y, channel), 0), 255)
      }
      let difference = try ImageDifference(expected: picture.image, actual: actual.image)
      #expect(!difference.isIdentical, "\(name)")
      let verdict = try Tolerance(Self.fiveTerms).verdict(on: difference)
      #expect(verdict.passes, "\(name): \(verdict)")
    }
  }

  private static func step(_ x: Int, _ y: Int, _ channel: Int) -> Int { 1 - 2 * draw(x, y, channel + 9, of: 2) }

  private static func draw(_ x: Int, _ y: Int, _ channel: Int, of count: Int) -> Int {
    // SplitMix64's finalizer (Steele, Lea, Flood 2014).
    var z = UInt64(y << 20 | x << 8 | channel) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((z ^ (z >> 31)) % UInt64(count))
  }
}
