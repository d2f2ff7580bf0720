import SafelightImage
import Testing

@Suite struct NearestNamesTests {
  @Test(arguments: [("", "", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("ab", "ba", 1), ("blur", "blru", 1)])
  func distances(a: String, b: String, distance: Int) {
    #expect(NearestNames.distance(Array(a.unicodeScalars), Array(b.unicodeScalars)) == distance)
    #expect(NearestNames.distance(Array(b.unicodeScalars), Array(a.unicodeScalars)) == distance)
  }

  @Test(arguments: [
    ("bluur", ["blur"]), ("BLUR", ["blur"]), ("sharp", ["sharpen"]), ("xyz", []), ("a", []), ("cut", ["cat", "cup"]),
  ])
  func findsOnlyWhatIsNear(text: String, expected: [String]) {
    #expect(NearestNames.find(text, among: ["sharpen", "blur", "cup", "cat"]) == expected)
  }
}
