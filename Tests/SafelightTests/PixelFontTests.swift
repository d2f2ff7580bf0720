import Safelight
import SafelightImage
import Testing

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
