import Safelight
import SafelightImage
import Testing

@Suite struct DrawingColorTests {
  @Test func screensAreRoundedToTheNearest() {
    // 255 − 155 × 155 ÷ 255 is 160.78, 255 − 200 × 99 ÷ 255 is 177.35, 255 − 1 × 1 ÷ 255 is 254.996.
    #expect(DrawingColor(100, 55, 254).screened(with: DrawingColor(100, 156, 254)) == DrawingColor(161, 177, 255))
  }

  @Test func blackChangesNothingAndWhiteEverything() {
    let color = DrawingColor(1, 128, 254)
    #expect(color.screened(with: DrawingColor(0, 0, 0)) == color)
    #expect(color.screened(with: DrawingColor(255, 255, 255)) == DrawingColor(255, 255, 255))
  }

  @Test func hexHasTwoDigitsAPart() {
    #expect(DrawingColor(0, 10, 255).hex == "#000aff")
  }
}

@Suite struct PixelFontTests {
  @Test func everyPrintableLetterOfASCIIIsDrawnAndDiffersFromTheOthers() {
    var seen: [[UInt8]: Character] = [:]
    for value in UInt8(33)...126 {
      let letter = Character(Unicode.Scalar(value))
      let rows = PixelFont.rows(letter)
      #expect(rows.count == PixelFont.height)
      #expect(rows.allSatisfy { $0 < 32 } && rows.contains { $0 != 0 })
      #expect(seen[rows] == nil, "\(letter) looks like \(seen[rows].map { String($0) } ?? "")")
      seen[rows] = letter
    }
    #expect(seen[PixelFont.rows("\u{1F600}")] == nil)
    #expect(PixelFont.rows(" ").allSatisfy { $0 == 0 })
  }

  @Test func anLIsAnL() {
    #expect(PixelFont.rows("L") == [16, 16, 16, 16, 16, 16, 31, 0, 0])
    for letter in "·×–—→√…" { #expect(PixelFont.rows(letter) != PixelFont.rows("\u{1F600}")) }
  }

  @Test func longNamesKeepTheirNumbers() {
    #expect(PixelFont.fitting("short", columns: 29, scale: 1) == "short")
    #expect(PixelFont.fitting("short", columns: 28, scale: 1) == "s…rt")
    #expect(PixelFont.fitting("a-long-name.0001.png", columns: 120, scale: 2) == "a-lo…1.png")
    #expect(PixelFont.width(of: "abc", scale: 2) == 34)
    #expect(PixelFont.width(of: "", scale: 2) == 0)
  }

  @Test func drawingIsCutAtTheEdge() {
    var canvas = Canvas(Size(4, 4), background: DrawingColor(0, 0, 0))
    canvas.write("L", x: -1, y: -3, scale: 1, DrawingColor(9, 8, 7))
    let image = canvas.image
    let rows = (0..<4).map { y in (0..<4).map { image[x: $0, y: y, sample: 0] } }
    #expect(rows == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [9, 9, 9, 9]])
  }
}

@Suite struct HeatShadesTests {
  private let whole = HistogramScale.whole

  @Test func logarithmsAreThoseOfArithmetic() {
    #expect(HeatShades.logarithm(1) == 0)
    for exponent in 0..<64 { #expect(HeatShades.logarithm(1 << exponent) == exponent << 16) }
    // log₂ 10 = 3.32192809…, log₂ 3 = 1.58496250…, in parts of 65536 and cut off.
    #expect(HeatShades.logarithm(10) == 217705)
    #expect(HeatShades.logarithm(3) == 103872)
    #expect(HeatShades.logarithm(3 << 40) == 103872 + (40 << 16))
  }

  @Test func aDecadeIsAThirdOfTheShades() {
    let shades = HeatShades([whole / 20])
    #expect(shades.tenths == 1)
    #expect(shades.shade(0) == 0)
    #expect(shades.shade(1) == 1)
    #expect(shades.shade(whole / 10_000) == 1)
    #expect(shades.shade(whole / 1000 + 1) == 1 + 62 / 3)
    #expect(shades.shade(whole / 10) == 63)
    #expect(shades.shade(whole) == 63)
  }

  @Test func aFewFullCellsLeaveTheOthersTheirContrast() {
    let many = [UInt64](repeating: whole / 500, count: 100)
    #expect(HeatShades(many + [whole]).tenths == 2)
    #expect(HeatShades(many + [whole, whole]).tenths == 0)
    // Empty cells have no voice.
    #expect(HeatShades([UInt64](repeating: 0, count: 1000) + [whole]).tenths == 0)
  }

  @Test func shadesRiseFromTheGroundThroughTheChannelToWhite() {
    let colors = (0..<HeatShades.count).map { HeatShades.color($0, of: .green) }
    #expect(colors[0] == .plot && colors[1] == .grid)
    #expect(colors[42] == DrawingColor(.green))
    #expect(colors[63] == DrawingColor(255, 250, 235))
    #expect(Set(colors).count == colors.count)
  }
}
