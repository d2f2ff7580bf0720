import SafelightFrames
import SafelightImage
import Testing

@Suite struct PixelHashTests {
  /// By Python's hashlib, over struct.pack("<4I", 2, 1, channels, bits) and the samples with the high byte first.
  @Test(arguments: [
    (Channels.gray, SampleDepth.bits8, "64769bffa318061a4243a39cc5ce229ea331f65a8c9b522f1cf8d09ed032fbe2"),
    (Channels.gray, SampleDepth.bits16, "e5f51856298e00a163361a1083c1df049afa503b91815918e807a8b09adc5481"),
    (Channels.grayAlpha, SampleDepth.bits8, "7a4a85dc30b0c9d6d58d6bfdf67b0b892830ee289683068137d0995467bdf13e"),
    (Channels.grayAlpha, SampleDepth.bits16, "ac90c5d9eced6480713eaa935e782df022f1b82b336331d7d78be7f30b5b1ecc"),
    (Channels.rgb, SampleDepth.bits8, "888751e576a5f5548ce537b081a07c2ee486a1357546a87b363c075fbcad4e3f"),
    (Channels.rgb, SampleDepth.bits16, "f225ccab8a6a2410210728653fdaba25ab601762ea265827cfc2df65517a0c30"),
    (Channels.rgba, SampleDepth.bits8, "578f462d0f87237a051ef96d10e402d57a0098a3fddaddeaabdd7158a91f30e7"),
    (Channels.rgba, SampleDepth.bits16, "6486b79cd30b9a35c0a63f9f0cc86b678effdf8be55d8d11e60bec9373527e87"),
  ])
  func isThatOfTheSamplesInAFile(channels: Channels, depth: SampleDepth, hash: String) {
    let samples = [0x0102, 0x0304, 0x0506, 0x0708, 0x1112, 0x1314, 0x1516, 0x1718]
    let perPixel = PixelFormat(channels: channels, depth: depth).samplesPerPixel
    let bytes = samples.prefix(2 * perPixel).flatMap { sample in
      depth == .bits8 ? [UInt8(sample & 255)] : [UInt8(sample & 255), UInt8(sample >> 8)]
    }
    #expect(Image(size: Size(2, 1), channels: channels, depth: depth, bytes: bytes).pixelHash == "sha256:" + hash)
  }
}
