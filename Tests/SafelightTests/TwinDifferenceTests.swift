import Safelight
import SafelightImage
import Testing

@Suite struct TwinDifferenceTests {
  private static let image = SyntheticImage.noise.image(Size(5, 4), channels: .rgb, depth: .bits16)

  @Test func equalPicturesHaveNone() {
    #expect(TwinDifference(expected: Self.image, actual: Self.image) == nil)
  }

  @Test func everyDifferingSampleCounts() throws {
    var other = Self.image
    other[x: 3, y: 1, sample: 2] = Self.image[x: 3, y: 1, sample: 2] ^ 1
    other[x: 0, y: 3, sample: 0] = Self.image[x: 0, y: 3, sample: 0] ^ 256
    let difference = try #require(TwinDifference(expected: Self.image, actual: other))
    #expect(difference.differing == 2 && difference.samples == 60 && difference.maximum == 256)
    #expect(difference.first.x == 3 && difference.first.y == 1 && difference.first.sample == 2)
    let error = difference.error(name: "shot.png", device: "llvmpipe") { "(\($0.x), \($0.y)) blue" }
    #expect(error.kind == .difference)
    #expect(error.description.hasPrefix("shot.png: llvmpipe and the CPU twins differ in 2 of 60 samples, by up to 256"))
    #expect(error.description.contains("(3, 1) blue"))
  }

  /// Memory beside the samples is told of only where they are equal.
  @Test func paddingIsNoSample() throws {
    var other = Self.image
    other[x: 1, y: 1, sample: 3] ^= 1
    let padding = try #require(TwinDifference(expected: Self.image, actual: other))
    #expect(padding.differing == 1 && padding.samples == 60 && padding.first.sample == 3)
    other[x: 2, y: 2, sample: 1] ^= 1
    let difference = try #require(TwinDifference(expected: Self.image, actual: other))
    #expect(difference.differing == 1 && difference.first.sample == 1)
  }
}
