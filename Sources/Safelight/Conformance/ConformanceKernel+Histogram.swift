internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

extension ConformanceKernel {
  /// The histograms in each form, alone: filters use the form that suits the device.
  static let histograms = HistogramForm.allCases.filter { $0 != .automatic }.flatMap { form in
    [
      histogram(form, "256 entries", HistogramInfo(histogramForAlpha: true)),
      histogram(form, "256 entries of luma", HistogramInfo(channels: .luma)),
      histogram(form, "1024 entries from 0.25 to 0.75", middle),
      histogram(form, "1024 entries from 0.25 to 0.75, above 0.5", middle, threshold: 0.5),
      normalizedHistogram(form),
    ]
  }

  private static let middle = HistogramInfo(
    entries: 1024, minPixelValue: SIMD4(repeating: 0.25), maxPixelValue: SIMD4(repeating: 0.75))

  private static let formats = PixelFormat.colors.filter { $0 != .r32Uint }

  private static func histogram(
    _ form: HistogramForm, _ what: String, _ info: HistogramInfo, threshold: Float? = nil
  ) -> ConformanceKernel {
    ConformanceKernel(
      name: "histogram", settings: "histogram of \(what), \(form)",
      // Floats have no luma.
      formats: info.channels == .luma ? formats.filter { $0.sampleKind != .float } : formats, isTiled: true
    ) { device in
      var kernel = ImageHistogram(device: device, info: info)
      kernel.form = form
      if let threshold { kernel.minPixelThresholdValue = SIMD4(repeating: threshold) }
      return { [kernel] scene in
        var kernel = kernel
        let (counts, offset) = try scene.output(
          byteCount: kernel.histogramSize(forSourceFormat: scene.source.pixelFormat))
        for tile in scene.source.tiles {
          kernel.encode(to: scene.buffer, source: tile.texture, histogram: counts, offset: offset)
          kernel.zeroHistogram = false
        }
      }
    }
  }

  private static func normalizedHistogram(_ form: HistogramForm) -> ConformanceKernel {
    ConformanceKernel(
      name: "normalized-histogram", settings: "normalized histogram of 512 entries, \(form)", formats: formats,
      isTiled: false
    ) { device in
      var kernel = ImageNormalizedHistogram(
        device: device,
        info: HistogramInfo(entries: 512, minPixelValue: SIMD4(repeating: 0.1), maxPixelValue: SIMD4(repeating: 0.9)))
      kernel.form = form
      return { [kernel] scene in
        guard let source = scene.source.tiles.first?.texture else { return }
        let format = source.pixelFormat
        let extrema = try scene.output(Size(2, 1), ImageNormalizedHistogram.minmaxFormat(forSourceFormat: format))
        let (counts, offset) = try scene.output(byteCount: kernel.histogramSize(forSourceFormat: format))
        for tile in extrema.tiles {
          kernel.encode(
            to: scene.buffer, source: source, minmaxTexture: tile.texture, histogram: counts, offset: offset)
        }
      }
    }
  }
}
