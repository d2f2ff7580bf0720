import Safelight
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
