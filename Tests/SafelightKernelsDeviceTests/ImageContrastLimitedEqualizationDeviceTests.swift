import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Grids, limits and formats on the device against the twins, which golden pictures of OpenCV prove.
@Suite struct ImageContrastLimitedEqualizationDeviceTests {
  /// A picture, and what is done to it: smaller than the grid, divided by it in both directions, in one, in none; a
  /// pixel in many places, a part in several threadgroups.
  private static let cases: [(Size, columns: Int, rows: Int, clip: Double, SyntheticImage, HistogramInfo.Channels)] = [
    (Size(1, 1), 8, 8, 40, .noise, .each), (Size(1, 9), 4, 2, 2, .noise, .each), (Size(3, 5), 7, 8, 0, .noise, .each),
    (Size(17, 31), 8, 8, 40, .noise, .each), (Size(17, 31), 3, 5, 0.5, .ramp, .luma),
    (Size(64, 64), 8, 8, 2, .noise, .each), (Size(64, 64), 4, 2, 0, .ramp, .each),
    (Size(65, 63), 1, 1, 40, .noise, .each), (Size(64, 63), 16, 16, 3.7, .noise, .luma),
    (Size(130, 5), 2, 1, 40, .noise, .each), (Size(65, 63), 5, 7, 0, .noise, .each),
    (Size(1300, 66), 13, 3, 1, .ramp, .each), (Size(70, 71), 2, 3, 1, .hotPixel, .each),
  ]

  @Test(arguments: TestDevice.gles, Picture.allFormats)
  func everySizeGridAndLimit(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    guard batch.device.canRead(format) else { return }
    for (size, columns, rows, clip, input, channels) in Self.cases {
      // In 16 bits each tile and plane has 65536 entries: few of them, but once as many as there can be.
      let isTried = columns * rows <= 8 || (format == .r16Uint && size == Size(17, 31))
      guard format.depth == .bits8 || isTried else { continue }
      let picture = Picture(input, size, format)
      for (picture, pixels) in [(picture, CountedPixels.all), (picture.withHiddenPixels, .visible)] {
        let source = try batch.source(picture)
        var kernel = ImageContrastLimitedEqualization()
        (kernel.columns, kernel.rows, kernel.clip) = (columns, rows, clip)
        (kernel.channels, kernel.counts) = (channels, pixels)
        for pipeline in batch.pipelines(format) { try batch.result(kernel.encode, source, pipeline) }
      }
    }
    try batch.check()
  }

  /// A count that went on from that of the first replay would pass the limits, and double the sums.
  @Test(arguments: TestDevice.all) func everyReplayCountsAnew(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let picture = Picture(.noise, Size(65, 63), .rgba8Unorm)
    let source = try batch.source(picture)
    let equalized = try batch.result(ImageContrastLimitedEqualization().encode, source)
    let sums = try batch.device.makeBuffer(length: ImageMean().byteCount(of: source))
    ImageMean().encode(to: batch.buffer, source: source, into: sums)
    let readbacks = [equalized, batch.read(sums)]
    try batch.check()
    let again = try batch.device.replay(batch.buffer.recording)
    for readback in readbacks { #expect(try again.contents(of: readback) == readback.contents()) }
  }

  @Test func moreTilesThanTablesTrap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let batch = try Batch()
      var kernel = ImageContrastLimitedEqualization()
      (kernel.columns, kernel.rows) = (16, 5)
      try batch.result(kernel.encode, batch.texture(.r16Uint))
    }
    expectStop(result, saying: "may have at most 64 tiles")
  }
}
