import SafelightGolden
import SafelightImage
import Testing

/// Parts of a picture have the figures of the whole picture.
@Suite struct MutationPartTests {
  /// Every integer metric.
  private static let integers = """
    mean<=9 && bias<=9 && rmse<=9 && psnr>=9 && max.alpha<=9 && over(2)<=9px && over(0)<=9% && window(24,1)<=9% \
    && line(1)<=9%
    """

  /// Noise below a calm sky.
  private static func picture(_ channels: Channels = .rgb, _ depth: SampleDepth = .bits8) -> Image {
    let size = Size(150, 120)
    let noise = SyntheticImage.noise.image(size, channels: channels, depth: depth)
    return noise.changing(0..<size.width, 0..<40, 0..<noise.pixelFormat.samplesPerPixel) { _, _, _, _ in 100 }
  }

  private static let mask = ImageMask(
    hiding: [Region(x: 0, y: 60, width: 150, height: 9), Region(x: 140, y: 100, width: 10, height: 10)],
    of: Size(150, 120))

  /// Returns the measurements of `part` with `damage` planted.
  private func measured(_ part: MutationPart, _ damage: Mutation) throws -> [Double] {
    let damaged = try #require(damage.planted(in: part, by: 7))
    let comparison = try PictureComparison(part, actual: damaged, tolerance: Tolerance(Self.integers))
    return try #require(comparison.verdict).terms.map { $0.measured ?? .infinity }
  }

  @Test(arguments: ImageDifferenceTests.kinds, [nil, mask])
  func theSameIsMeasuredOfWhatIsLocal(kind: (channels: Channels, depth: SampleDepth), mask: ImageMask?) throws {
    let picture = Self.picture(kind.channels, kind.depth)
    let whole = MutationPart(whole: picture, mask)
    for damage in [Mutation.tile, .alpha, .lastColumn, .lastRow] {
      let part = try #require(MutationPart(of: picture, mask: mask, for: damage, by: Tolerance(Self.integers)))
      #expect(part.picture.size.area * 3 < picture.size.area)
      #expect(try measured(part, damage) == measured(whole, damage), "\(damage)")
    }
  }

  @Test(arguments: [Mutation.shift, .inversion], [nil, mask])
  func muchTheSameIsMeasuredOfWhatIsEverywhere(damage: Mutation, mask: ImageMask?) throws {
    let picture = Self.picture()
    let part = try #require(MutationPart(of: picture, mask: mask, for: damage, by: Tolerance(Self.integers)))
    #expect(part.picture.size.area * 3 < picture.size.area)
    let expected = try measured(MutationPart(whole: picture, mask), damage)
    for (found, expected) in zip(try measured(part, damage), expected) {
      #expect(abs(found - expected) <= 0.1 * expected + 1, "\(found) for \(expected)")
    }
  }

  @Test(arguments: ["exact", "max<=3", "mean<=1", "psnr>=40", "over(1)<=0.4%", "over(0)<=9000px", "line(1)<=50%"])
  func verdictsAreThoseOfTheWhole(_ text: String) throws {
    let (picture, tolerance) = (Self.picture(.rgba), try Tolerance(text))
    let canary = try MutationTrial(picture, tolerance: tolerance)
    let limit = canary.limit ?? 0
    let missed = try MutationTrialTests.damages.filter { damage in
      let damaged = try #require(damage.planted(in: MutationPart(whole: picture, nil), by: 2 * limit + 1))
      return try PictureComparison(expected: picture, actual: damaged, tolerance: tolerance).status.passes
    }
    #expect(canary.tried == MutationTrialTests.damages)
    #expect(canary.accepted == missed)
    #expect(canary.isSound)
  }

  /// Only rows that a shift changes are taken, so that none is missed.
  @Test func aSmallShapeOnAPlainGroundIsShifted() throws {
    let size = Size(200, 200)
    var picture = Image(size: size, channels: .gray, depth: .bits8, bytes: [UInt8](repeating: 9, count: size.area))
    picture[x: 30, y: 77, sample: 0] = 200
    let canary = try MutationTrial(picture, tolerance: Tolerance("over(0)<=2px"))
    #expect(canary.tried.contains(.shift) && canary.accepted == [.shift])
    picture[x: 30, y: 77, sample: 0] = 9
    #expect(try !MutationTrial(picture, tolerance: .exact).tried.contains(.shift))
  }

  /// Unless `max` alone decides.
  @Test func whatLooksAtSurroundingsGetsTheWhole() throws {
    let picture = Self.picture()
    func part(_ text: String) throws -> Image? {
      try MutationPart(of: picture, mask: nil, for: .lastRow, by: Tolerance(text))?.picture
    }
    for text in ["ssim>=0.9", "mean<=1 && flip.p99<=0.1"] { #expect(try part(text) == picture) }
    #expect(try part("max<=3 && ssim>=0.9")?.size == Size(150, 8))
    #expect(try part("window(40,1)<=9%")?.size == Size(150, 40))
    #expect(try part("window(400,1)<=9%")?.size == Size(150, 120))
  }
}
