import Safelight
import SafelightImage
import Testing

@Suite struct ThumbnailTests {
  @Test(arguments: [
    (Size(480, 270), Size(240, 240), Size(240, 135)), (Size(270, 480), Size(240, 240), Size(135, 240)),
    (Size(10_000, 1), Size(240, 240), Size(240, 1)), (Size(100, 100), Size(240, 240), Size(200, 200)),
    (Size(1, 1), Size(16, 9), Size(9, 9)), (Size(240, 241), Size(240, 240), Size(239, 240)),
  ])
  func fitsTheBoxAndKeepsProportions(size: Size, box: Size, expected: Size) {
    #expect(Thumbnail.size(of: size, within: box) == expected)
  }

  @Test func averagesAreExactWhereTheGridsDoNotMatch() {
    // Three columns into two: each covers one and a half.
    let image = Image(size: Size(3, 1), channels: .gray, depth: .bits8, bytes: [0, 90, 255])
    let small = Thumbnail.make(of: image, within: Size(2, 2))
    #expect(small.size == Size(2, 1))
    #expect(small[x: 0, y: 0, sample: 0] == 30)  // (0 × 2 + 90) / 3
    #expect(small[x: 1, y: 0, sample: 0] == 200)  // (90 + 255 × 2) / 3
    #expect(small[x: 1, y: 0, sample: 2] == 200)
    #expect(small[x: 1, y: 0, sample: 3] == 255)
  }

  @Test func aFlatPictureStaysFlat() {
    for size in [Size(241, 7), Size(500, 33), Size(17, 900)] {
      let image = Image(
        size: size, channels: .rgb, depth: .bits8,
        bytes: (0..<size.area).flatMap { _ in [UInt8(201), 3, 77, 0] })
      let small = Thumbnail.make(of: image, within: Size(240, 240))
      #expect(small.bytes == (0..<small.size.area).flatMap { _ in [UInt8(201), 3, 77, 255] })
    }
  }

  @Test func rowsAreAveragedAsColumnsAre() {
    let wide = SyntheticImage.noise.image(Size(31, 13), channels: .rgb, depth: .bits8)
    var tall = SyntheticImage.flat.image(Size(13, 31), channels: .rgb, depth: .bits8)
    for y in 0..<31 {
      for x in 0..<13 {
        for sample in 0..<4 { tall[x: x, y: y, sample: sample] = wide[x: y, y: x, sample: sample] }
      }
    }
    let one = Thumbnail.make(of: wide, within: Size(7, 3))
    let other = Thumbnail.make(of: tall, within: Size(3, 7))
    for y in 0..<3 {
      for x in 0..<7 {
        for sample in 0..<3 { #expect(one[x: x, y: y, sample: sample] == other[x: y, y: x, sample: sample]) }
      }
    }
  }

  @Test func sixteenBitsAreRoundedToEight() {
    var image = SyntheticImage.flat.image(Size(3, 1), channels: .gray, depth: .bits16)
    for (x, value) in [128, 129, 65535].enumerated() { image[x: x, y: 0, sample: 0] = value }
    let same = Thumbnail.make(of: image, within: Size(3, 1))
    #expect((0..<3).map { same[x: $0, y: 0, sample: 0] } == [0, 1, 255])
  }

  @Test func hiddenColorsStayHidden() {
    // A transparent red beside an opaque blue: the average is half blue over the checker, and no red comes through.
    let image = Image(
      size: Size(2, 1), channels: .rgba, depth: .bits8, bytes: [255, 0, 0, 0, 0, 0, 255, 255])
    let small = Thumbnail.make(of: image, within: Size(1, 1))
    #expect((0..<3).map { small[x: 0, y: 0, sample: $0] } == [51, 51, 179])
  }

  @Test func smallPicturesGrowInWholePixels() {
    let image = Image(size: Size(2, 1), channels: .gray, depth: .bits8, bytes: [10, 20])
    let large = Thumbnail.make(of: image, within: Size(7, 7))
    #expect(large.size == Size(6, 3))
    #expect((0..<6).map { large[x: $0, y: 2, sample: 1] } == [10, 10, 10, 20, 20, 20])
  }
}
