import Safelight
import SafelightImage
import Testing

@Suite struct ContactSheetTests {
  @Test(arguments: [
    (6, 24, [0, 5, 9, 14, 18, 23]), (2, 100, [0, 99]), (1, 5, [2]), (6, 3, [0, 1, 2]), (3, 3, [0, 1, 2]), (4, 0, []),
    (3, 4, [0, 2, 3]),
  ])
  func framesAreSpreadEvenly(columns: Int, total: Int, chosen: [Int]) {
    #expect(ContactSheet(total: total, columns: columns).chosen == chosen)
  }

  private func flat(_ value: UInt8) -> Image {
    Image(size: Size(240, 100), channels: .gray, depth: .bits8, bytes: Array(repeating: value, count: 24_000))
  }

  @Test func framesStandInOrderBeforeAboveAfter() throws {
    var sheet = ContactSheet(total: 3, columns: 2)
    sheet.add(2, name: "c", before: flat(70), after: flat(170))
    sheet.add(1, name: "not chosen", before: flat(1), after: flat(1))
    sheet.add(0, name: "a", before: flat(60), after: flat(160))
    let image = try #require(sheet.image())
    #expect(image.channels == .rgb && image.depth == .bits8)
    // Margin 28, labels 70 and two gaps of 12, cells 240×100 a gap apart, captions 30.
    #expect(image.size == Size(28 + 94 + 2 * 240 + 12 + 28, 28 + 2 * 100 + 12 + 30 + 28))
    #expect(image[x: 122, y: 28, sample: 0] == 60)
    #expect(image[x: 122 + 252, y: 28, sample: 0] == 70)
    #expect(image[x: 122 + 239, y: 28 + 112, sample: 0] == 160)
    #expect(image[x: 122 + 252 + 239, y: 28 + 211, sample: 0] == 170)
    #expect(image[x: 122 + 240, y: 28, sample: 0] == 20)
  }

  @Test func aSheetOfNothingIsNothing() {
    var sheet = ContactSheet(total: 9, columns: 2)
    sheet.add(3, name: "not chosen", before: flat(1), after: flat(1))
    #expect(sheet.image() == nil)
  }

  @Test func captionsDifferWithTheNames() throws {
    func sheet(_ name: String) -> Image? {
      var sheet = ContactSheet(total: 1)
      sheet.add(0, name: name, before: flat(1), after: flat(2))
      return sheet.image()
    }
    #expect(try #require(sheet("a")) != (try #require(sheet("b"))))
  }

  @Test func aPairStandsSideBySideWhateverItsSizes() {
    let image = ContactSheet.pair(
      name: "x", before: flat(50), after: SyntheticImage.flat.image(Size(100, 200), channels: .rgba, depth: .bits16),
      thumbnail: Size(240, 200))
    #expect(image.size == Size(28 + 240 + 12 + 240 + 28, 28 + 44 + 200 + 30 + 28))
    #expect(image[x: 28, y: 72 + 50, sample: 0] == 50)
    #expect(image[x: 28, y: 72 + 49, sample: 0] == 20)
    #expect(image[x: 280 + 69, y: 72, sample: 0] == 20)
    #expect(image[x: 280 + 70, y: 72, sample: 0] != 20)
  }
}

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
    let image = Image(size: Size(2, 1), channels: .rgba, depth: .bits8, bytes: [255, 0, 0, 0, 0, 0, 255, 255])
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
