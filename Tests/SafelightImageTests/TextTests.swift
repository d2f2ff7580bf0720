import SafelightImage
import Testing

@Suite struct DecimalTextTests {
  @Test(arguments: [
    (0, 7, "0 %"), (7, 7, "100 %"), (11, 384, "2.86 %"), (1, 384, "0.26 %"), (8, 320, "2.5 %"), (1, 3, "33.33 %"),
    (12, 240_000, "0.005 %"), (239_999, 240_000, "99.99 %"), (1, 1_000_000, "0.0001 %"),
  ])
  func percentagesOfSomethingAreNeitherNothingNorAll(_ part: Int, _ whole: Int, _ text: String) {
    #expect(DecimalText.percentage(part, of: whole) == text)
  }
}

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

/// The examples of FIPS 180-4 by NIST (SHA256.pdf, "Cryptographic Standards and Guidelines: Example Values").
@Suite struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func publishedExamples(_ text: String, _ digest: String) {
    #expect(SHA256.hash(Array(text.utf8)).hexadecimal == digest)
    // A collection without contiguous storage.
    #expect(SHA256.hash(text.utf8.reversed().reversed()).hexadecimal == digest)
  }

  @Test func partsMakeTheWhole() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    for part in [1, 63, 64, 65, 999] {
      var hash = SHA256()
      for start in stride(from: 0, to: bytes.count, by: part) { hash.update(bytes[start..<min(start + part, 1000)]) }
      #expect(hash.finalize() == SHA256.hash(bytes))
    }
  }
}
