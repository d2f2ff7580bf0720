import SafelightGolden
import SafelightImage
import Testing

@Suite struct VerdictTests {
  private static let everyTerm = """
    max<=0 && max.alpha<=0 && mean<=0 && bias<=0 && rmse<=0 && psnr>=90 && ssim>=1 && msssim>=1 && flip<=0 && \
    flip.p99<=0 && flip.max<=0 && over(0)<=0% && over(1)<=0px && window(8,0)<=0% && line(0)<=0%
    """

  @Test(arguments: [everyTerm, "exact", "psnr>=90", "over(0)<=0%", "over(0)<=0px && flip<=0"])
  func theSmallestPassingTolerancePasses(text: String) throws {
    let expected = IntegerPicture.named("smooth", Size(192, 180))
    let difference = try ImageDifference(expected: expected.image, actual: expected.mutated("one200").image)
    let verdict = try Tolerance(text).verdict(on: difference)
    #expect(!verdict.passes)
    let smallest = try Tolerance(verdict.smallestPassing.description)
    #expect(smallest == verdict.smallestPassing)
    #expect(smallest.verdict(on: difference).passes)
    #expect(smallest.terms.count == verdict.terms.count)
    // Written limits are at most a thousandth from the measurement.
    for (term, measured) in zip(smallest.terms, verdict.terms.compactMap(\.measured)) {
      #expect(abs(term.limit - measured) <= 0.001 * measured.magnitude)
    }
  }

  /// A limit is printed as it was given, and a measured value never on the wrong side of it.
  @Test(arguments: [("psnr>=40.123456", ">= 40.123456"), ("psnr>=99.987654", "< 99.987654")])
  func limitsArePrintedInFull(_ text: String, _ limit: String) throws {
    let expected = IntegerPicture.named("smooth", Size(192, 180))
    let difference = try ImageDifference(expected: expected.image, actual: expected.mutated("one200").image)
    #expect(try Tolerance(text).verdict(on: difference).terms[0].description.hasSuffix(" \(limit)"))
    let measured = try #require(try Tolerance(text).verdict(on: difference).terms[0].measured)
    let words = try Tolerance("psnr>=\(measured)").verdict(on: difference).terms[0].description.split(separator: " ")
    #expect(words[2] == ">=" && Double(words[1]) == measured)
  }

  @Test func theTextIsEnough() throws {
    let image = Image(size: Size(4, 1), channels: .rgb, depth: .bits8, bytes: [UInt8](repeating: 9, count: 16))
    var other = image
    other[x: 2, y: 0, sample: 1] = 13
    let verdict = try Tolerance("max<=3 && over(5)<=1%").verdict(on: ImageDifference(expected: image, actual: other))
    #expect(verdict.terms.map(\.description) == ["max 4 > 3", "over(5) 0% <= 1%"])
    #expect(verdict.terms.map(\.text) == ["max<=3", "over(5)<=1%"])
    let blind = verdict.blindSpots.joined(separator: ", ")
    #expect(!blind.isEmpty)
    #expect(
      verdict.description == """
        1 of 4 pixels differs, at (2, 0). To allow it: max<=4 && over(5)<=0%
          differs: max 4 > 3
          most at (2, 0) green: 9 expected, 13 found
          what max<=3 && over(5)<=1% cannot see: \(blind)
        """)
  }

  /// A passing verdict reports as much: how much of the tolerance was needed, and what it hides.
  @Test func whatPassesIsToldToo() throws {
    let image = SyntheticImage.ramp.image(Size(20, 10), channels: .rgb, depth: .bits8)
    var other = image
    other[x: 2, y: 0, sample: 1] += 3
    let verdict = try Tolerance("max<=5").verdict(on: ImageDifference(expected: image, actual: other))
    let blind = verdict.blindSpots.joined(separator: ", ")
    #expect(verdict.passes && !blind.isEmpty)
    #expect(
      verdict.description.hasPrefix(
        "1 of 200 pixels differs, at (2, 0). The tightest that allows it: max<=3\n  within: max 3 <= 5\n  most at")
        && verdict.description.hasSuffix("found\n  what max<=5 cannot see: \(blind)"),
      "\(verdict)")
  }

  /// The tightest tolerance that proves something; a limit that no damage exceeds proves nothing.
  @Test func whatIsRecommendedIsSound() throws {
    var image = SyntheticImage.noise.image(Size(100, 80), channels: .rgb, depth: .bits8)
    image[x: 3, y: 4, sample: 0] = 0
    func recommended(_ change: (inout Image) -> Void) throws -> String? {
      var other = image
      change(&other)
      return try Tolerance.exact.verdict(on: ImageDifference(expected: image, actual: other)).recommendation?
        .description
    }
    #expect(try recommended { $0[x: 3, y: 4, sample: 0] = 255 } == "over(0)<=1px")
    #expect(try recommended { $0[x: 3, y: 4, sample: 0] ^= 2 } == "max<=2 && over(0)<=1px")
    #expect(try recommended { $0 = $0.changing(0..<100, 0..<80, 1..<2) { $3 ^ 1 } } == "max<=1")
    // A different picture.
    let other = try recommended { $0 = SyntheticImage.ramp.image(Size(100, 80), channels: .rgb, depth: .bits8) }
    #expect(other == nil)
  }

  @Test func whatADifferenceLooksLike() throws {
    func text(_ expected: Image, _ actual: Image) throws -> String {
      try Tolerance.exact.verdict(on: ImageDifference(expected: expected, actual: actual)).description
    }
    var large = SyntheticImage.noise.image(Size(600, 400), channels: .gray, depth: .bits8)
    large[x: 300, y: 200, sample: 0] = 0
    let single = try text(large, large.changing(300..<301, 200..<201, 0..<1) { _, _, _, _ in 255 })
    #expect(single.hasPrefix("1 of 240,000 pixels differs, at (300, 200). To allow it: over(0)<=1px\n"), "\(single)")
    let (size, columns, rows, colors) = (Size(20, 16), 0..<20, 0..<16, 0..<3)
    let noise = SyntheticImage.noise.image(size, channels: .rgb, depth: .bits8)
    let flat = SyntheticImage.flat.image(size, channels: .rgba, depth: .bits8)
    let veiled = SyntheticImage.noise.image(size, channels: .rgba, depth: .bits8)
    let gray = veiled.changing(columns, rows, colors) { x, y, _, _ in veiled[x: x, y: y, sample: 0] }
    let looks: [(String, Image, Image)] = [
      (
        "8 of 320 pixels differ (2.5 %), from (7, 2) to (7, 9): a column. To allow it: ", noise,
        noise.changing(7..<8, 2..<10, 2..<3) { $3 ^ 9 }
      ),
      ("from (2, 15) to (9, 15): a row. To allow it: ", noise, noise.changing(2..<10, 15..<16, 2..<3) { $3 ^ 9 }),
      (
        ": red and blue swapped. ", noise,
        noise.changing(columns, rows, colors) { x, y, sample, _ in noise[x: x, y: y, sample: 2 - sample] }
      ),
      (
        ": the picture moved by (1, -2). ", noise,
        noise.changing(columns, rows, colors) { x, y, sample, _ in
          noise[x: max(x - 1, 0), y: min(y + 2, 15), sample: sample]
        }
      ),
      (": noise of up to 1 step. ", noise, noise.changing(columns, rows, colors) { ($0 + $1) % 3 == $2 ? $3 ^ 1 : $3 }),
      (
        ": darker by up to 2 steps. ", noise,
        noise.changing(columns, rows, 0..<1) { x, _, _, value in max(0, value - 1 - x % 2) }
      ),
      (": every color 5 below the expected one. ", flat, flat.changing(columns, rows, colors) { $3 - 5 }),
      // Nothing shows in a flat picture that it moved.
      (": a column. ", flat, flat.changing(19..<20, rows, colors) { $3 - 5 }),
      (
        "from (0, 0) to (19, 15). ", flat,
        flat.changing(columns, rows, colors) { $0 % 19 == 0 || $1 % 15 == 0 ? 0 : $3 }
      ),
      // Nor in a gray one that red and blue were swapped.
      ("from (3, 2) to (7, 9). ", gray, gray.changing(3..<8, 2..<10, 3..<4) { $3 ^ 9 }),
    ]
    for (look, expected, actual) in looks {
      let said = try text(expected, actual)
      #expect(said.contains(look), "\(said)")
    }
  }

  /// What it looks like does not depend on the sample in memory that pictures without alpha carry, nor on the depth.
  @Test(arguments: SampleDepth.allCases) func samplesThatNoFileStoresChangeNoLook(depth: SampleDepth) throws {
    let size = Size(40, 30)
    let noise = SyntheticImage.noise.image(size, channels: .rgb, depth: depth)
    func text(_ value: (_ x: Int, _ y: Int, _ sample: Int) -> Int) throws -> String {
      let actual = noise.changing(0..<40, 0..<30, 0..<4) { x, y, sample, _ in sample == 3 ? x : value(x, y, sample) }
      return try Tolerance.exact.verdict(on: ImageDifference(expected: noise, actual: actual)).description
    }
    let moved = try text { noise[x: min(max($0 + 2, 0), 39), y: min(max($1 - 1, 0), 29), sample: $2] }
    #expect(moved.contains(": the picture moved by (-2, 1). "), "\(moved)")
    let swapped = try text { noise[x: $0, y: $1, sample: 2 - $2] }
    #expect(swapped.contains(": red and blue swapped. "), "\(swapped)")
    let torn = try text { $0 == 20 && $1 == 15 ? 0 : noise[x: max($0 - 1, 0), y: $1, sample: $2] }
    #expect(!torn.contains("moved"), "\(torn)")
  }

  /// A value that nearly meets a limit is not printed as the limit.
  @Test func aMissIsNeverRoundedAway() throws {
    let image = SyntheticImage.flat.image(Size(1000, 100), channels: .gray, depth: .bits8)
    var other = image.changing(0..<1000, 0..<1, 0..<1) { $3 + 1 }
    other[x: 0, y: 1, sample: 0] += 1
    let verdict = try Tolerance("over(0)<=1%").verdict(on: ImageDifference(expected: image, actual: other))
    #expect(!verdict.passes && verdict.terms[0].description == "over(0) 1.001% > 1%")
  }

  @Test func identicalPicturesPassWhateverHasNoValue() throws {
    let image = SyntheticImage.ramp.image(Size(3, 3), channels: .rgba, depth: .bits16)
    let verdict = try Tolerance(Self.everyTerm).verdict(on: ImageDifference(expected: image, actual: image))
    #expect(verdict.passes && verdict.smallestPassing == .exact && verdict.description == "identical")
  }

  /// A metric without a value does not hold.
  @Test func picturesTooSmallForAMetricDoNotPassIt() throws {
    let image = SyntheticImage.ramp.image(Size(3, 3), channels: .gray, depth: .bits8)
    var other = image
    other[x: 0, y: 0, sample: 0] += 1
    let verdict = try Tolerance("ssim>=0.1").verdict(on: ImageDifference(expected: image, actual: other))
    #expect(!verdict.passes && verdict.terms[0].measured == nil)
    #expect(verdict.smallestPassing.description == "max<=1")
    #expect(verdict.terms[0].description.hasPrefix("ssim has no value: it needs pictures of at least 11×11 pixels"))
  }

  @Test(arguments: [
    "exact", "max<=3", "max.alpha<=3", "mean<=0.001", "bias<=0.001", "rmse<=0.1", "psnr>=80", "ssim>=0.999",
    "msssim>=0.9999",
    "flip<=0.0001", "flip.max<=0.1", "over(1)<=0.01%", "over(1)<=3px", "window(8,1)<=10%", "line(1)<=5%",
  ])
  func noTermIsBlindToAlpha(text: String) throws {
    let image = SyntheticImage.ramp.image(Size(192, 180), channels: .rgba, depth: .bits8)
    let other = image.changing(40..<60, 40..<60, 3..<4) { $3 ^ 128 }
    #expect(try !Tolerance(text).verdict(on: ImageDifference(expected: image, actual: other)).passes)
  }
}

@Suite struct ToleranceTests {
  @Test(arguments: [
    ("exact", "exact"), ("max<=0", "exact"), (" max <= 3&&over( 1 )<=0.1 % ", "max<=3 && over(1)<=0.1%"),
    ("max.alpha<=2 && mean<=0.5 && bias<=1e-2 && rmse<=1.5", "max.alpha<=2 && mean<=0.5 && bias<=0.01 && rmse<=1.5"),
    ("psnr>=40 && ssim>=0.99 && msssim>=0.98", "psnr>=40 && ssim>=0.99 && msssim>=0.98"),
    ("flip.mean<=0.02 && flip.p99<=0.05 && flip.max<=0.2", "flip<=0.02 && flip.p99<=0.05 && flip.max<=0.2"),
    ("over(40)<=0px && window(8,1)<=10% && line(1)<=5%", "over(40)<=0px && window(8,1)<=10% && line(1)<=5%"),
  ])
  func isReadAndWritten(text: String, canonical: String) throws {
    let tolerance = try Tolerance(text)
    #expect(tolerance.description == canonical)
    #expect(try Tolerance(canonical) == tolerance)
  }

  /// The position of the error, from 0, and its message.
  @Test(arguments: [
    ("", 0, "expected a metric"), ("max<3", 3, "expected <="), ("psnr<=40", 4, "expected >="),
    ("maxx<=3", 0, "did you mean max?"), ("max<=3 && ssmi>=0.9", 10, "did you mean ssim?"),
    ("max<=3 & over(1)<=0.1%", 7, "expected && or the end"), ("max<=3 &&", 9, "expected a metric"),
    ("over(1)<=5", 10, "% or px"), ("max<=3%", 6, "no unit"), ("window(0,1)<=5%", 7, "from 1 to 65535"),
    ("window(8)<=5%", 8, "expected window(n,k)"), ("over(1<=5%", 6, "expected )"),
    ("max<=three", 5, "expected a number"),
    ("max<=nan", 5, "expected a number"), ("max<=-1", 5, "never below 0"), ("ssim>=2", 6, "never above 1"),
    ("over(0)<=100%", 9, "every picture passes"), ("flip<=1", 6, "every picture passes"),
    ("ssim>=-1", 6, "every picture passes"), ("max<=70000", 5, "every picture passes"),
    ("max\t<= 3 x", 9, "expected && or the end"),
  ])
  func aTypoIsPointedAt(text: String, place: Int, why: String) throws {
    let error = try #require(throws: SafelightError.self) { try Tolerance(text) }
    #expect(error.kind == .usage)
    let lines = error.description.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 3)
    #expect(lines[0].contains(why))
    #expect(lines[2] == String(repeating: " ", count: 2 + place) + "^")
  }
}
