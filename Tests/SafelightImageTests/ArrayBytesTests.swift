import SafelightImage
import Testing

@Suite struct ArrayBytesTests {
  @Test(
    arguments: [([], []), ([1], [1]), ([1], []), ([1, 2, 3], [1, 2, 4]), ([3, 2, 1], [3, 2, 1])] as [([UInt8], [UInt8])]
  )
  func bytesAreEqualWhereArraysAre(_ a: [UInt8], _ b: [UInt8]) {
    #expect(a.hasSameBytes(as: b) == (a == b))
  }

  @Test func partsAreCompared() {
    let bytes: [UInt8] = [7, 7, 7, 8]
    #expect(bytes.hasSameBytes(in: 0..<2, as: bytes, in: 1..<3))
    #expect(!bytes.hasSameBytes(in: 1..<3, as: bytes, in: 2..<4))
    #expect(bytes.hasSameBytes(in: 4..<4, as: [], in: 0..<0))
  }
}
