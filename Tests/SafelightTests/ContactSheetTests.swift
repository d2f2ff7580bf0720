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
