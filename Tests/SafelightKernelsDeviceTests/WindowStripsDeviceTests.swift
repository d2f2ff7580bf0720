import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Pictures that the CPU makes in several strips, of kernels of several passes. Small ones have hashes in
/// `fixtures/golden/tone`.
@Suite struct WindowStripsDeviceTests {
  private typealias Encode = (CommandBuffer, Texture, Texture, PipelineKind) -> Void

  private static let formats: [PixelFormat] = [.rgba8Unorm, .rgba16Uint, .r8Unorm]

  /// A strip needs rows of its neighbors.
  @Test(arguments: formats, [2.0, 30]) func blurredStripsMeet(format: PixelFormat, sigma: Double) throws {
    try expectTheSame(format, reach: 4 * Int(sigma.rounded(.up))) { device in
      ImageGaussianBlur(device: device, sigma: sigma).encode
    }
  }

  /// Sums slide from a strip to the next.
  @Test(arguments: formats, [3, 61]) func boxesSlideFromStripToStrip(format: PixelFormat, diameter: Int) throws {
    try expectTheSame(format, reach: diameter / 2) { device in
      ImageBox(device: device, kernelDiameter: diameter).encode
    }
  }

  /// As far from the edges of a part as the window reaches, the part has the same.
  private func expectTheSame(_ format: PixelFormat, reach: Int, _ kernel: (Device) -> Encode) throws {
    let whole = Picture(Size(2000, 700), format)
    let made = try result(of: whole, kernel)
    let region = Region(x: 900, y: 200, width: 2 * reach + 40, height: 2 * reach + 40)
    let alone = try result(of: part(region, of: whole), kernel)
    let inner = Region(x: reach, y: reach, width: 40, height: 40)
    #expect(part(inner.translated(x: region.x, y: region.y), of: made).samples == part(inner, of: alone).samples)
  }

  private func result(of picture: Picture, _ kernel: (Device) -> Encode) throws -> Picture {
    let batch = try Batch()
    let readback = try batch.result(kernel(batch.device), batch.source(picture))
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
