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
    var kernel = ImageContrastStretch()
    (kernel.low, kernel.high) = (0.3, 0.6)
    var counts = [UInt32](repeating: 0, count: 256)
    // 0.3 is kept as 19661 / 65536, of which N makes 1 288 496 676: just what lies up to 10, so 11 is black.
    (counts[10], counts[11], counts[200], counts[201]) = (1_288_496_676, 1, 2_000_000_000, 1_006_448_554)
    let total = counts.reduce(0, +)
    #expect(total == 4_294_945_231 && (UInt64(total) * 19661) >> 16 == 1_288_496_676)
    let picture = Picture.everyValue(.r8Unorm)
    let (source, destination) = (try batch.source(picture), try batch.texture(.r8Unorm, picture.size))
    let plan = try kernel.plan(for: PassPicture(PixelFormat.r8Unorm.descriptor(picture.size)), edge: .max)
    let resources: PassRecorder.Resources = [
      .numbers(0): .words(try batch.words(counts), offset: 0), .picture: .picture(TiledTexture(source)),
      .result(0): .picture(TiledTexture(destination)),
    ]
    PassRecorder(plan: plan, call: "stretch", buffer: batch.buffer).encode([.madeTable(0), .result(0)], resources)
    batch.expect(batch.blit { $0.read(destination) }, .r8Unorm, "large counts") {
      picture.samples.map { (min(max($0 - 11, 0), 189) * 255 + 94) / 189 }
    }
    try batch.check(againstTwins: false)
  }
}
