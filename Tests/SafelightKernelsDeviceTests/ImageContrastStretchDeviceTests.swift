import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// What golden pictures of other programs (`ToneGoldenDeviceTests`) do not show.
@Suite struct ImageContrastStretchDeviceTests {
  /// Counts that no small picture has: their products with the percentiles need 48 bits.
  @Test(arguments: TestDevice.all) func countsNearlyFill32Bits(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let kernel = ImageContrastStretch(device: batch.device, depth: .bits8, low: 0.3, high: 0.6)
    var counts = [UInt32](repeating: 0, count: 256)
    // 0.3 is kept as 19661 / 65536, of which N makes 1 288 496 676: just what lies up to 10, so 11 is black.
    (counts[10], counts[11], counts[200], counts[201]) = (1_288_496_676, 1, 2_000_000_000, 1_006_448_554)
    let total = counts.reduce(0, +)
    #expect(total == 4_294_945_231 && (UInt64(total) * 19661) >> 16 == 1_288_496_676)
    let picture = Picture.everyValue(.r8Unorm)
    let source = try batch.source(picture)
    kernel.encodeTransform(to: batch.buffer, source: source, histogram: try batch.words(counts))
    batch.expect(try batch.result(kernel.encode, source), .r8Unorm, "large counts") {
      picture.samples.map { (min(max($0 - 11, 0), 189) * 255 + 94) / 189 }
    }
    try batch.check(againstTwins: false)
  }

  @Test func lookUpsNeedATransform() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let batch = try Batch()
      let kernel = ImageContrastStretch(device: batch.device, depth: .bits8, low: 0, high: 1)
      try batch.result(kernel.encode, batch.texture(.r8Unorm))
    }
    expectStop(result, saying: "call encodeTransform first")
  }
}
