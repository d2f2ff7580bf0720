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
    ]
  }

  private static let middle = HistogramInfo(
    entries: 1024, minPixelValue: SIMD4(repeating: 0.25), maxPixelValue: SIMD4(repeating: 0.75))

  private static func histogram(
    _ form: HistogramForm, _ what: String, _ info: HistogramInfo, threshold: Float? = nil
  ) -> ConformanceKernel {
    ConformanceKernel(
      name: "histogram", settings: "histogram of \(what), \(form)",
      formats: info.takenFormats, isTiled: true
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

  /// The histogram over the range that the picture has, with the range itself.
  static let normalizedHistograms = [
    ("256 entries", HistogramInfo(histogramForAlpha: true)), ("256 entries of luma", HistogramInfo(channels: .luma)),
    (
      "1024 entries from 0.25 to 0.75",
      HistogramInfo(entries: 1024, minPixelValue: SIMD4(repeating: 0.25), maxPixelValue: SIMD4(repeating: 0.75))
    ),
  ].map { what, info in
    ConformanceKernel(
      name: "normalized-histogram", settings: "normalized histogram of \(what)",
      formats: info.takenFormats, isTiled: false
    ) { device in
      let kernel = ImageNormalizedHistogram(device: device, info: info)
      return { scene in
        let format = scene.source.pixelFormat
        let (counts, offset) = try scene.output(byteCount: info.histogramSize(forSourceFormat: format))
        let minmax = try scene.output(
          Size(2, 1), ImageNormalizedHistogram.minmaxFormat(forSourceFormat: format))
        for (source, minmax) in zip(scene.source.tiles, minmax.tiles) {
          kernel.encode(
            to: scene.buffer, source: source.texture, minmaxTexture: minmax.texture, histogram: counts, offset: offset)
        }
      }
    }
  }

  /// The filter `match`, whose calls name files, with histograms that need none.
  static let matches = [HistogramInfo.Channels.each, .luma].flatMap { channels in
    [KernelForm.render, .compute].map { form in match(channels, form) }
  }

  private static func match(_ channels: HistogramInfo.Channels, _ form: KernelForm) -> ConformanceKernel {
    let formats: [PixelFormat] = [.r8Unorm, .rgba8Unorm, .r16Uint, .rgba16Uint]
    return ConformanceKernel(
      name: "match", settings: "match \(channels == .luma ? "of luma " : "")with few values, \(form)",
      formats: form == .compute ? formats.filter(\.isStorable) : formats, isTiled: true
    ) { device in
      // Values far apart, so that the nearest is not always the next.
      let desired = Histogram(
        [.red, .green, .blue].enumerated().map { plane, channel in
          (channel, (0..<256).map { entry in (entry + plane) % 23 == 0 ? UInt64(entry % 7 + 1) : 0 })
        })
      let reference =
        channels == .luma ? Histogram([(.gray, desired.counts(.red))]) : desired
      let gray = Histogram([(.gray, desired.counts(.green))])
      let filters = try [reference, gray].map {
        try MatchFilter.makeStage(.stored($0, path: "conformance"), channels, device, form)
      }
      return { scene in
        let filter = scene.source.pixelFormat.samplesPerPixel == 1 ? filters[1] : filters[0]
        _ = try scene.encode(filter, of: scene.source)
      }
    }
  }
}

extension HistogramInfo {
  /// The formats whose pictures can be counted so: floats have no luma.
  fileprivate var takenFormats: [PixelFormat] {
    PixelFormat.colors.filter { $0 != .r32Uint && (channels == .each || $0.sampleKind != .float) }
  }
}
