import SafelightGolden
import SafelightImage
import Testing

@Suite struct ImageDifferenceTests {
  static let kinds: [(Channels, SampleDepth)] = [Channels.gray, .grayAlpha, .rgb, .rgba].flatMap { channels in
    SampleDepth.allCases.map { (channels, $0) }
  }
  /// Not a multiple of sixteen, so that the remainder counts too.
  static let size = Size(19, 13)

  @Test func picturesOfOtherKindsCannotBeCompared() {
    let image = Image(size: Size(2, 1), channels: .gray, depth: .bits8, bytes: [0, 0])
    let others = [
      ("size", Image(size: Size(1, 1), channels: .gray, depth: .bits8, bytes: [0])),
      ("channels", Image(size: Size(2, 1), channels: .rgb, depth: .bits8, bytes: [UInt8](repeating: 0, count: 8))),
      ("depth", Image(size: Size(2, 1), channels: .gray, depth: .bits16, bytes: [0, 0, 0, 0])),
    ]
    for (what, other) in others {
      let error = #expect(throws: SafelightError.self) { try ImageDifference(expected: image, actual: other) }
      #expect(error?.kind == .incomparable)
      #expect(error?.why.contains(what) == true)
    }
  }

  /// A comparator that is always true, or skips a row, a column or a channel, misses one of these.
  @Test(arguments: kinds) func everySampleCounts(channels: Channels, depth: SampleDepth) throws {
    let image = SyntheticImage.noise.image(Self.size, channels: channels, depth: depth)
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        for sample in channels.sampleIndices {
          var other = image
          other[x: x, y: y, sample: sample] ^= 1
          let difference = try ImageDifference(expected: image, actual: other)
          let place = try #require(difference.place)
          #expect((place.x, place.y, place.channel) == (x, y, sample))
          #expect(difference.maximum == 1 && difference.over(0) == 1 && !difference.isIdentical)
          #expect(!Tolerance.exact.verdict(on: difference).passes)
        }
      }
    }
  }

  @Test(arguments: kinds) func sumsAreThoseOfEverySample(channels: Channels, depth: SampleDepth) throws {
    let size = Size(67, 41)
    let expected = SyntheticImage.noise.image(size, channels: channels, depth: depth)
    let actual = SyntheticImage.ramp.image(size, channels: channels, depth: depth)
    let difference = try ImageDifference(expected: expected, actual: actual)
    var (signed, absolute, squared) = ([Int: Int](), [Int: Int](), [Int: Int]())
    var (maximum, over) = (0, 0)
    for y in 0..<size.height {
      for x in 0..<size.width {
        var worst = 0
        for sample in channels.sampleIndices {
          let d = actual[x: x, y: y, sample: sample] - expected[x: x, y: y, sample: sample]
          signed[sample, default: 0] += d
          absolute[sample, default: 0] += abs(d)
          squared[sample, default: 0] += d * d
          worst = max(worst, abs(d))
        }
        maximum = max(maximum, worst)
        if worst > 100 { over += 1 }
      }
    }
    let colors = channels.sampleIndices.filter { $0 < 3 }
    func mean(_ sums: [Int: Int]) -> Double {
      let color = Double(colors.reduce(0) { $0 + (sums[$1] ?? 0) }) / Double(size.area * colors.count)
      return max(color, Double(sums[3] ?? 0) / Double(size.area))
    }
    #expect(difference.maximum == maximum && difference.over(100) == over)
    #expect(difference.bias == channels.sampleIndices.map { Double(signed[$0] ?? 0) / Double(size.area) })
    #expect(difference.mean == mean(absolute) && difference.mse == mean(squared))
  }

  @Test func swappedPicturesAreSeenInSigns() throws {
    let dark = Image(size: Size(1, 1), channels: .gray, depth: .bits8, bytes: [10])
    let light = Image(size: Size(1, 1), channels: .gray, depth: .bits8, bytes: [13])
    let difference = try ImageDifference(expected: dark, actual: light)
    #expect(difference.bias == [3])
    #expect(difference.place?.expected == 10 && difference.place?.actual == 13)
    #expect(difference.place?.description == "(0, 0) gray: 10 expected, 13 found")
  }

  @Test func aBlackAndAWhitePixel() throws {
    let black = Image(size: Size(1, 1), channels: .gray, depth: .bits8, bytes: [0])
    let white = Image(size: Size(1, 1), channels: .gray, depth: .bits8, bytes: [255])
    let difference = try ImageDifference(expected: black, actual: white)
    #expect(difference.maximum == 255 && difference.mean == 255 && difference.psnr == 0)
    #expect(difference.window(8, over: 0).share == 1 && difference.line(over: 0).share == 1)
    #expect(difference.ssim() == nil && difference.msssim() == nil)
    let same = try ImageDifference(expected: black, actual: black)
    #expect(same.psnr == nil && same.isIdentical && same.place == nil && same.flip().maximum == 0)
  }

  @Test func stepsOfOne() throws {
    let size = Size(2, 2)
    let image = Image(size: size, channels: .rgb, depth: .bits8, bytes: [UInt8](repeating: 100, count: 16))
    let brighter = image.replacing(bytes: image.bytes.map { $0 + 1 })
    let all = try ImageDifference(expected: image, actual: brighter)
    #expect(all.mse == 1 && all.bias == [1, 1, 1])
    #expect(abs(try #require(all.psnr) - 48.1308036) < 1e-7)
    var one = image
    one[x: 1, y: 0, sample: 2] = 101
    let single = try ImageDifference(expected: image, actual: one)
    #expect(abs(single.mse - 1.0 / 12) < 1e-15)
    #expect(abs(try #require(single.psnr) - 58.9226160) < 1e-7)
  }

  @Test func alphaIsAChannelOfItsOwn() throws {
    let image = SyntheticImage.ramp.image(Size(16, 16), channels: .rgba, depth: .bits8)
    let other = image.changing(3..<4, 0..<16, 3..<4) { $3 ^ 64 }
    let difference = try ImageDifference(expected: image, actual: other)
    #expect(difference.maximum == 64 && difference.maximumOfAlpha == 64)
    #expect(difference.mean == 4 && difference.mse == 256)
    #expect(difference.over(63) == 16 && difference.line(over: 63).share == 1)
    #expect(try #require(difference.ssim()) < 1 && difference.flip().maximum > 0)
    #expect(difference.channelNames == ["red", "green", "blue", "alpha"])
  }

  /// Pictures without alpha carry a sample in memory that does not count.
  @Test(arguments: SampleDepth.allCases) func samplesThatNoFileStoresDoNotCount(depth: SampleDepth) throws {
    let image = SyntheticImage.ramp.image(Size(5, 5), channels: .rgb, depth: depth)
    var other = image
    other[x: 2, y: 2, sample: 3] = 0
    #expect(try ImageDifference(expected: image, actual: other).isIdentical)
    other[x: 3, y: 2, sample: 1] ^= 1
    let difference = try ImageDifference(expected: image, actual: other)
    #expect(difference.maximum == 1 && difference.over(0) == 1 && difference.over(1) == 0 && difference.bias.count == 3)
    #expect(difference.place?.x == 3 && difference.place?.channel == 1)
  }

  @Test func theWorstPlacesComeFirst() throws {
    let image = Image(size: Size(5, 1), channels: .gray, depth: .bits8, bytes: [50, 50, 50, 50, 50])
    let other = image.replacing(bytes: [51, 40, 50, 60, 49])
    let difference = try ImageDifference(expected: image, actual: other)
    #expect(difference.worstPlaces(3).map(\.x) == [1, 3, 0])
    #expect(difference.worstPlaces(10).map(\.x) == [1, 3, 0, 4])
  }
}

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
    var other = image.changing(19..<20, 0..<10, 1..<2) { $3 + 300 }
    other[x: 4, y: 3, sample: 1] += 300
    let line = try ImageDifference(expected: image, actual: other).line(over: 299)
    #expect((line.share, line.direction, line.index) == (1, .column, 19))
    #expect(try ImageDifference(expected: image, actual: other).line(over: 300).share == 0)
  }

  @Test func aRowIsALineToo() throws {
    let image = SyntheticImage.flat.image(Size(10, 20), channels: .gray, depth: .bits8)
    let other = image.changing(2..<9, 19..<20, 0..<1) { $3 + 2 }
    let line = try ImageDifference(expected: image, actual: other).line(over: 1)
    #expect((line.share, line.direction, line.index) == (0.7, .row, 19))
  }
}

@Suite struct ComparisonCountsTests {
  @Test func onlyWhatWasComparedIs() {
    let all = ComparisonCounts(ComparisonStatus.allCases + [.exact, .missing])
    #expect("\(all)" == "4 compared: 2 exact, 1 within, 1 differ")
    #expect(all.texts([.incomparable, .missing, .damaged]) == ["1 not comparable", "2 missing", "1 damaged"])
    #expect("\(ComparisonCounts())" == "0 compared: 0 exact, 0 within, 0 differ")
    #expect(ComparisonCounts([.extra]).texts([.extra, .missing]) == ["1 extra"])
  }

  @Test func whatSomebodyMustActUponFails() {
    #expect(ComparisonStatus.allCases.filter(\.passes) == [.exact, .within])
    #expect(ComparisonStatus.allCases.filter { !$0.fails } == [.exact, .within, .skipped])
  }
}
