import SafelightGolden
import SafelightImage
import Testing

/// The canary detects comparisons that are broken on purpose.
@Suite struct MutationTrialTests {
  static let damages: [Mutation] = [.tile, .alpha, .lastColumn, .lastRow, .shift, .inversion]

  private typealias Compare = (Image, Image, Tolerance) throws(SafelightError) -> ComparisonStatus

  private static func judged(
    _ expected: Image, _ actual: Image, _ tolerance: Tolerance
  ) throws(SafelightError) -> ComparisonStatus {
    try PictureComparison(expected: expected, actual: actual, tolerance: tolerance).status
  }

  @Test(arguments: [Channels.gray, .grayAlpha, .rgb, .rgba], [SampleDepth.bits8, .bits16])
  func everyDamageIsTriedAndSeen(_ channels: Channels, _ depth: SampleDepth) throws {
    for text in ["exact", "max<=3 && over(1)<=0.1% && bias<=0.1 && window(8,1)<=10% && line(1)<=5%"] {
      let canary = try MutationTrial(Video.frame(3, of: channels, depth), tolerance: Tolerance(text))
      #expect(canary.tried == Self.damages.filter { $0 != .alpha || channels.hasAlpha })
      #expect(canary.accepted == [])
      #expect(canary.isSound)
      #expect(canary.description == "canary ok")
    }
  }

  @Test(arguments: ["exact", "max<=3"])
  func brokenComparisonsAreUnsound(_ text: String) throws {
    let tolerance = try Tolerance(text)
    let picture = Video.frame(3, of: .rgba)
    /// Compares with the expected samples in the places that are skipped.
    func skipping(_ isSkipped: @escaping @Sendable (_ x: Int, _ y: Int, _ sample: Int, Size) -> Bool) -> Compare {
      { a, b, tolerance throws(SafelightError) in
        var b = b
        for pixel in 0..<a.size.area {
          let (x, y) = (pixel % a.size.width, pixel / a.size.width)
          for sample in 0..<4 where isSkipped(x, y, sample, a.size) {
            b[x: x, y: y, sample: sample] = a[x: x, y: y, sample: sample]
          }
        }
        return try Self.judged(a, b, tolerance)
      }
    }
    let broken: [(String, Mutation, Compare)] = [
      ("always true", .inversion, { _, _, _ in .exact }),
      ("last column skipped", .lastColumn, skipping { x, _, _, size in x == size.width - 1 }),
      ("last row skipped", .lastRow, skipping { _, y, _, size in y == size.height - 1 }),
      ("alpha ignored", .alpha, skipping { _, _, sample, _ in sample == 3 }),
      ("compared with itself", .tile, skipping { _, _, _, _ in true }),
    ]
    for (name, damage, compare) in broken {
      let canary = try MutationTrial(picture, tolerance: tolerance, mask: nil) { part, damaged throws(SafelightError) in
        try compare(part.picture, damaged, tolerance)
      }
      #expect(canary.accepted.contains(damage), "\(name)")
      #expect(!canary.isSound, "\(name)")
      #expect(canary.description.contains("this tolerance proves nothing: "), "\(name)")
    }
  }

  @Test func averagesMustSeeTheWholeAndAreToldWhatTheyMiss() throws {
    let canary = try MutationTrial(Video.frame(3), tolerance: Tolerance("mean<=1"))
    #expect(canary.isSound)
    #expect(canary.accepted == [.tile, .lastColumn, .lastRow])
    #expect(canary.description.contains("but blind to a damaged 8×8 tile"))
    #expect(try !MutationTrial(Video.frame(3), tolerance: Tolerance("mean<=254")).isSound)
  }

  /// Opposite colors do not affect alpha, so they would pass.
  @Test func alphaAloneProvesNothing() throws {
    let picture = SyntheticImage.noise.image(Size(24, 16), channels: .rgba, depth: .bits8)
    let canary = try MutationTrial(picture, tolerance: Tolerance("max.alpha<=0"))
    #expect(!canary.isSound && canary.description.contains("opposite colors everywhere"), "\(canary)")
    #expect(try MutationTrial(picture, tolerance: Tolerance("max.alpha<=0 && mean<=1")).isSound)
  }

  /// The scene would not pass for black, but this picture would.
  @Test(arguments: ["mean<=30", "psnr>=15", "max<=60", "rmse<=30"], [SampleDepth.bits8, .bits16])
  func aDarkPictureMustNotPassForBlack(_ text: String, _ depth: SampleDepth) throws {
    let size = Size(64, 48)
    let step = depth == .bits8 ? 1 : 257
    let dark = SyntheticImage.flat.image(size, channels: .rgb, depth: depth)
      .changing(0..<size.width, 0..<size.height, 0..<3) { x, y, _, _ in (x + y) * 40 / 112 * step }
    let tolerance = try Tolerance(text.replacing("60", with: "\(60 * step)").replacing("=30", with: "=\(30 * step)"))
    #expect(
      try MutationTrial.loss(of: dark, tolerance: tolerance, mask: nil)
        == "this tolerance proves nothing: the picture all black, the picture in one color would pass")
    #expect(try MutationTrial.loss(of: dark, tolerance: Tolerance("mean<=\(step)"), mask: nil) == nil)
  }

  /// One pixel in a hundred is not of the background.
  @Test(arguments: [("over(2)<=1%", false), ("over(2)<=0.1%", true), ("mean<=5", false), ("mean<=0.4", true)])
  func contentMustNotPassForItsBackground(_ text: String, _ isTold: Bool) throws {
    let size = Size(400, 300)
    var sparse = SyntheticImage.flat.image(size, channels: .rgb, depth: .bits8)
    let background = sparse[x: 0, y: 0, sample: 1]
    for y in 0..<size.height where y % 10 == 0 {
      for x in stride(from: y / 10 % 10, to: size.width, by: 10) { sparse[x: x, y: y, sample: 1] = background ^ 128 }
    }
    let loss = try MutationTrial.loss(of: sparse, tolerance: Tolerance(text), mask: nil)
    #expect(loss == (isTold ? nil : "this tolerance proves nothing: the picture in one color would pass"))
  }

  /// The color of what a mask hides is not that of the rest.
  @Test func aMaskDoesNotChooseTheColor() throws {
    let size = Size(100, 100)
    let picture = SyntheticImage.flat.image(size, channels: .gray, depth: .bits8)
      .changing(0..<100, 0..<100, 0..<1) { x, y, _, _ in y < 60 ? 255 : 108 + (x + y) % 41 }
    let mask = ImageMask(hiding: [Region(x: 0, y: 0, width: 100, height: 60)], of: size)
    let loss = try MutationTrial.loss(of: picture, tolerance: Tolerance("mean<=30"), mask: mask)
    #expect(loss == "this tolerance proves nothing: the picture in one color would pass")
  }

  /// A picture nowhere brighter than a sixteenth of the range has no content that a black one would lack.
  @Test func pictureWithoutContentMayPassForBlack() throws {
    let black = SyntheticImage.flat.image(Size(32, 32), channels: .rgb, depth: .bits8)
    let nearly = black.replacing(bytes: (0..<black.bytes.count).map { UInt8($0 % 3) })
    #expect(try MutationTrial.loss(of: nearly, tolerance: Tolerance("mean<=3"), mask: nil) == nil)
  }

  /// The opposite of a gray in the middle is next to it.
  @Test(arguments: ["psnr>=40", "mean<=1", "ssim>=0.99"])
  func middleGreyCanBeDamaged(_ tolerance: String) throws {
    let flat = SyntheticImage.flat.image(Size(16, 16), channels: .rgb, depth: .bits8)
    let gray = flat.replacing(bytes: [UInt8](repeating: 128, count: flat.bytes.count))
    #expect(try MutationTrial(gray, tolerance: Tolerance(tolerance)).isSound)
  }

  /// Such a limit could reject only samples at the ends of their range.
  @Test(arguments: ["max<=240", "over(254)<=0%", "psnr>=5", "ssim>=-0.5", "bias<=0.1"])
  func aToleranceThatTakesAnyPictureForAnotherIsUnsound(_ tolerance: String) throws {
    let canary = try MutationTrial(Video.frame(3), tolerance: Tolerance(tolerance))
    #expect(canary.mistaken.contains("upside down"))
    #expect(!canary.isSound && canary.description.contains("proves nothing: the picture upside down"), "\(canary)")
    #expect(try MutationTrial(Video.frame(3), tolerance: Tolerance("\(tolerance) && over(8)<=0.1%")).isSound)
  }

  @Test func aLimitThatNothingExceedsIsUnsound() throws {
    let flat = SyntheticImage.flat.image(Size(16, 16), channels: .gray, depth: .bits8)
    let canary = try MutationTrial(flat, tolerance: Tolerance("max<=254"))
    #expect(canary.tried == [])
    #expect(!canary.isSound)
  }

  @Test(arguments: [Size(1, 1), Size(1, 9), Size(9, 1), Size(700, 3), Size(3, 700)])
  func anySizeServes(_ size: Size) throws {
    let canary = try MutationTrial(SyntheticImage.noise.image(size, channels: .rgb, depth: .bits8), tolerance: .exact)
    #expect(canary.isSound)
    #expect(canary.tried.contains(.lastColumn) && canary.tried.contains(.inversion))
  }

  @Test func whatTheMaskHidesIsNotTried() throws {
    let picture = Video.frame(3)
    let column = ImageMask(
      hiding: [Region(x: picture.size.width - 1, y: 0, width: 1, height: picture.size.height)], of: picture.size)
    let canary = try MutationTrial(picture, tolerance: .exact, mask: column)
    #expect(!canary.tried.contains(.lastColumn))
    #expect(canary.isSound)
  }
}
