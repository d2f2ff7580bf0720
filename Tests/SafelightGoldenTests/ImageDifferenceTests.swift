import SafelightGolden
import SafelightImage
import Testing

@Suite struct ImageDifferenceTests {
  @Test func picturesOfAnotherSizeCannotBeCompared() {
    let small = Image(size: Size(1, 1), channels: .gray, depth: .bits8, bytes: [0])
    let large = Image(size: Size(2, 1), channels: .gray, depth: .bits8, bytes: [0, 0])
    #expect(throws: SafelightError.self) { try ImageDifference(expected: small, actual: large) }
  }
}
