import GoldenTesting
import Safelight
import Solarize

/// What a kernel of another package gets for its card: chains, conformance and goldens.
@Suite(.requiresGPU()) struct SolarizeTests {
  init() { Self.added }

  /// Once, before the catalogue is read.
  private static let added: Void = FilterCatalogue.add(ImageSolarize.self)

  @Test(.golden(comparisons: 3)) func itIsThatOfItsTwinAndTheGolden() async throws {
    let picture = try PNGFile(reading: "../fixtures/made/rgb8-ramp.png").image  // from the package's folder
    let (device, twins) = (try Device.open(.auto), try Device.open(.cpu))
    let output = try Output<GPU>(await solarized(picture, on: device), by: device)
    let expected = try Output<CPU>(await solarized(picture, on: twins), by: twins)
    try expectGolden(output, "solarize")
    try expectGolden(expected, "solarize", tolerance: "exact")
    try expectConforms(output, to: expected, tolerance: "max<=0")
  }

  @Test func itConforms() throws {
    let conformance = try Conformance(device: Device.open(.auto))
    let kernels = try ConformanceKernel.kernels("solarize")
    #expect(kernels.count == 4)
    for kernel in kernels {
      for format in kernel.formats {
        for row in conformance.rows(kernel, format, Size(17, 31)) { #expect(row.conforms, "\(row)") }
      }
    }
  }

  private func solarized(_ picture: Image, on device: Device) async throws -> Image {
    let chain = try FilterChain(parsing: "solarize=0.4", device: device)
    return try await FrameProcessor(device: device, chain: chain).process(picture)
  }
}
