import SafelightFrames
import SafelightImage
import Testing

@Suite struct StoredSamplesTests {
  private static func words(_ words: [UInt16]) -> [UInt8] { words.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } }

  /// Every sample of every depth leads back, in ascending order, and white is white.
  @Test(arguments: [9, 10, 12, 14, 15]) func greyLeadsBack(_ bits: Int) {
    let all = (0..<1 << bits).map { UInt16($0) }
    for isLimited in [false, true] {
      let samples = StoredSamples.gray(bits: bits, isLimited: isLimited)
      let wide = samples.samples(Self.words(all))
      #expect(samples.stored(wide) == Self.words(all))
      let steps = stride(from: 0, to: wide.count, by: 2).map { (at: Int) -> UInt16 in
        UInt16(wide[at]) | UInt16(wide[at + 1]) << 8
      }
      let white: UInt16 = isLimited ? .max << (16 - bits) : .max
      #expect(steps.last == white)
      #expect(zip(steps, steps.dropFirst()).allSatisfy(<))
    }
  }

  @Test func examplesOfTheRule() {
    func wide(_ word: UInt16, _ bits: Int, _ isLimited: Bool) -> [UInt8] {
      StoredSamples.gray(bits: bits, isLimited: isLimited).samples(Self.words([word]))
    }
    #expect(wide(0x155, 10, false) == Self.words([0x5555]))
    #expect(wide(0xABC, 12, false) == Self.words([0xABCA]))
    // Black and white of the limited range are those of 16 bits.
    #expect(wide(64, 10, true) == Self.words([16 << 8]) && wide(940, 10, true) == Self.words([235 << 8]))
    // Above the largest sample.
    #expect(wide(0xFFFF, 10, false) == Self.words([0xFFFF]))
  }

  @Test func alphaIsLeftOutAndOpaqueAgain() {
    let bytes = StoredSamples.withoutAlpha(.bits8)
    #expect(bytes.stored([1, 2, 3, 4, 5, 6, 7, 8]) == [1, 2, 3, 5, 6, 7])
    #expect(bytes.samples([1, 2, 3, 5, 6, 7]) == [1, 2, 3, 255, 5, 6, 7, 255])
    #expect(bytes.storedByteCount(8) == 6)
    let words = StoredSamples.withoutAlpha(.bits16)
    #expect(words.stored([1, 2, 3, 4, 5, 6, 7, 8]) == [1, 2, 3, 4, 5, 6])
    #expect(words.samples([1, 2, 3, 4, 5, 6]) == [1, 2, 3, 4, 5, 6, 255, 255])
  }
}
