import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Grids, limits and formats on the device against the twins, which golden pictures of OpenCV prove.
@Suite struct ImageContrastLimitedEqualizationDeviceTests {
  /// A picture, and what is done to it.
  private struct Case: Sendable {
    let size: Size
    let columns: Int
    let rows: Int
    let clipLimit: Double
    let input: SyntheticImage
    let countsLuma: Bool

    init(_ size: Size, _ columns: Int, _ rows: Int, _ clip: Double, _ input: SyntheticImage, luma: Bool = false) {
      (self.size, self.columns, self.rows, clipLimit, self.input, countsLuma) = (size, columns, rows, clip, input, luma)
    }

    /// In 16 bits each tile and plane has 65536 entries: few of them, but once as many as there can be.
    func isTried(_ format: PixelFormat) -> Bool {
      format.bytesPerSample == 1 || columns * rows <= 8 || (format == .r16Uint && size == Size(17, 31))
    }
  }

  /// Smaller than the grid, divided by it in both directions, in one, in none; a pixel in many places, a part in
  /// several threadgroups.
  private static let cases = [
    Case(Size(1, 1), 8, 8, 40, .noise), Case(Size(1, 9), 4, 2, 2, .noise), Case(Size(3, 5), 7, 8, 0, .noise),
    Case(Size(17, 31), 8, 8, 40, .noise), Case(Size(17, 31), 3, 5, 0.5, .ramp, luma: true),
    Case(Size(64, 64), 8, 8, 2, .noise), Case(Size(64, 64), 4, 2, 0, .ramp), Case(Size(65, 63), 1, 1, 40, .noise),
    Case(Size(64, 63), 16, 16, 3.7, .noise, luma: true), Case(Size(130, 5), 2, 1, 40, .noise),
    Case(Size(65, 63), 5, 7, 0, .noise), Case(Size(1300, 66), 13, 3, 1, .ramp), Case(Size(70, 71), 2, 3, 1, .hotPixel),
  ]

  @Test(arguments: TestDevice.gles, Picture.allFormats)
  func everySizeGridAndLimit(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    guard batch.has(format) else { return }
    for one in Self.cases where one.isTried(format) {
      let source = try batch.source(Picture(one.input, one.size, format))
      let kernel = try ImageContrastLimitedEqualization(
        device: batch.device, columns: one.columns, rows: one.rows, clipLimit: one.clipLimit,
        channels: one.countsLuma ? .luma : .each)
      for form in batch.forms(format) {
        _ = try batch.result(like: source) {
          kernel.encode(to: batch.buffer, source: source, destination: $0, form: form)
        }
      }
    }
    try batch.check()
  }

  @Test func moreTilesThanTablesTrap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let kernel = try ImageContrastLimitedEqualization(device: device, columns: 16, rows: 5)
      let texture = try device.makeTexture(Size(1, 1), .r16Uint)
      kernel.encode(
        to: device.makeCommandQueue().makeCommandBuffer(), source: texture,
        destination: try device.makeTexture(Size(1, 1), .r16Uint))
    }
    expectStop(result, saying: "use at most 64 for 16 bits")
  }
}
