internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

extension ConformanceKernel {
  /// The histogram in each form, alone: filters use the form that suits the device.
  static let histograms = HistogramForm.allCases.filter { $0 != .automatic }.flatMap { form in
    [
      histogram(form, "256 entries", HistogramInfo(histogramForAlpha: true)),
      histogram(form, "256 entries of luma", HistogramInfo(channels: .luma)),
      histogram(
        form, "1024 entries from 0.25 to 0.75",
        HistogramInfo(
          entries: 1024, minPixelValue: SIMD4(repeating: 0.25), maxPixelValue: SIMD4(repeating: 0.75))),
    ]
  }

  private static func histogram(_ form: HistogramForm, _ what: String, _ info: HistogramInfo) -> ConformanceKernel {
    ConformanceKernel(
      name: "histogram", settings: "histogram of \(what), \(form)",
      formats: [.r8Unorm, .rgba8Unorm, .r16Uint, .rgba16Uint],
      isTiled: true
    ) { device in
      var kernel = ImageHistogram(device: device, info: info)
      kernel.form = form
      return { [kernel] scene in
        var kernel = kernel
        let (counts, offset) = try scene.output(
          byteCount: info.histogramSize(forSourceFormat: scene.source.pixelFormat))
        for tile in scene.source.tiles {
          kernel.encode(to: scene.buffer, source: tile.texture, histogram: counts, offset: offset)
          kernel.zeroHistogram = false
        }
      }
    }
  }
}
