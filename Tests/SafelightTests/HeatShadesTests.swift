import Safelight
import Testing

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
