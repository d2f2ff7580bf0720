import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Blurred pictures that the CPU makes in several strips. Small ones have hashes in `fixtures/golden/tone`.
@Suite struct ImageGaussianBlurDeviceTests {
  /// The CPU makes a picture in strips, and each strip needs rows of its neighbors.
  @Test(arguments: [PixelFormat.rgba8Unorm, .rgba16Uint, .r8Unorm], [2.0, 30])
  func stripsMeet(format: PixelFormat, sigma: Double) throws {
    let whole = Picture(Size(2000, 700), format)
    let made = try blurred(whole, sigma)
    // As far from the edges of a part as the window reaches, the part has the same.
    let reach = 4 * Int(sigma.rounded(.up))
    let region = Region(x: 900, y: 200, width: 2 * reach + 40, height: 2 * reach + 40)
    let alone = try blurred(part(region, of: whole), sigma)
    let inner = Region(x: reach, y: reach, width: 40, height: 40)
    #expect(part(inner.translated(x: region.x, y: region.y), of: made).samples == part(inner, of: alone).samples)
  }

  private func blurred(_ picture: Picture, _ sigma: Double) throws -> Picture {
    let batch = try Batch()
    let kernel = ImageGaussianBlur(device: batch.device, sigma: sigma)
    let readback = try batch.result(kernel.encode, batch.source(picture))
    try batch.run()
    return try Picture(picture.size, picture.format, samples: picture.format.samples(readback.contents()))
  }

  private func part(_ region: Region, of picture: Picture) -> Picture {
    let step = picture.format.samplesPerPixel
    let rows = (region.y..<region.y + region.size.height).map { y in
      picture.samples[
        (y * picture.size.width + region.x) * step..<(y * picture.size.width + region.x + region.size.width) * step]
    }
    return Picture(region.size, picture.format, samples: rows.flatMap { $0 })
  }
}
