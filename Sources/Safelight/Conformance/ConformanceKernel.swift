internal import SafelightGPU
public import SafelightImage
internal import SafelightKernels

/// One call of a kernel, which must make the same bytes on every device.
public struct ConformanceKernel: Sendable {
  /// The kernel's name: that of its filter if it has one.
  public let name: String
  /// The call: `equalize=channels=luma, compute`.
  public let settings: String
  /// The call without its form.
  let call: String
  /// The formats of pictures that it takes.
  public let formats: [PixelFormat]
  /// Formats of its card that it does not take, each with the reason.
  public let refusals: [(format: PixelFormat, why: String)]
  /// True if it takes pictures larger than a texture.
  let isTiled: Bool
  /// Returns true if it is defined for pictures of a size.
  package let isDefined: @Sendable (Size) -> Bool
  /// Makes the kernel without memory of earlier pictures; returns a function that records it for a scene.
  package let make: @Sendable (Device) throws -> (any KernelScene) throws -> Void

  /// Makes a call, in one form of several if `pipeline` is given.
  package init(
    name: String, settings: String, pipeline: PipelineKind? = nil, formats: [PixelFormat], isTiled: Bool,
    refusals: [(format: PixelFormat, why: String)] = [], isDefined: @escaping @Sendable (Size) -> Bool = { _ in true },
    make: @escaping @Sendable (Device) throws -> (any KernelScene) throws -> Void
  ) {
    (self.name, call) = (name, settings)
    self.settings = settings + (pipeline.map { ", \($0)" } ?? "")
    self.formats = pipeline == .compute ? formats.filter(\.isStorable) : formats
    self.refusals = pipeline == .compute ? refusals.filter(\.format.isStorable) : refusals
    self.isTiled = isTiled
    self.isDefined = isDefined
    self.make = make
  }

  /// Every kernel, in the order of the catalogue.
  public static var all: [ConformanceKernel] { get throws { try catalogue.get() } }

  /// The kernels, found once by reading every example.
  private static let catalogue = Result<[ConformanceKernel], any Error> {
    try FilterCatalogue.entries.flatMap { try $0.conformanceKernels } + mixtures + withoutExample
  }

  /// The words that every filter takes.
  private static var mixtures: [ConformanceKernel] {
    get throws {
      try FilterWords.examples.flatMap { example in
        try FilterSyntax.parse(example, catalogue: FilterCatalogue.descriptions).flatMap { call in
          try FilterCatalogue.entry(call).conformanceKernels(call, of: mixture, named: example)
        }
      }
    }
  }

  private static let mixture = "mixture"

  /// The kernels that no example of a filter reaches.
  static var withoutExample: [ConformanceKernel] {
    matches + histograms + normalizedHistograms + renderers + scales + pyramids
  }

  /// Returns the kernels that `selection` names: all calls of a name, or one call such as `saturation=2`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` that names the nearest kernels.
  public static func kernels(_ selection: String) throws -> [ConformanceKernel] {
    // Only what is named is made: another kernel's card may be wrong.
    let entry = FilterCatalogue.entries.first { $0.description.name == selection }
    let named =
      try (entry?.conformanceKernels ?? []) + (selection == mixture ? mixtures : [])
      + withoutExample.filter { $0.name == selection }
    if !named.isEmpty { return named }
    if FilterCatalogue.descriptions.contains(where: { "\(selection)=".hasPrefix("\($0.name)=") }) {
      return try FilterSyntax.parse(selection, catalogue: FilterCatalogue.descriptions).flatMap { call in
        try FilterCatalogue.entry(call).conformanceKernels(call)
      }
    }
    throw UnknownName.error(
      "kernel '\(selection)'", name: selection, all: try Array(Set(all.map(\.name))), noun: "kernels")
  }
}

extension FilterCatalogue.Entry {
  /// The calls of the filter: each of its examples in each of its pipelines. A card without examples stands for its
  /// defaults, unless a parameter has none.
  package var conformanceKernels: [ConformanceKernel] {
    get throws {
      let isCallable = !description.parameters.contains(where: \.isRequired)
      let examples = examples.isEmpty && isCallable ? [description.name] : examples
      return try examples.flatMap { example in
        do {
          return try FilterSyntax.parse(example, catalogue: [description]).flatMap {
            try conformanceKernels($0, named: example)
          }
        } catch let error as SafelightError where error.kind == .usage {
          throw SafelightError(
            .kernel, "filter '\(description.name)'",
            why: "an example on its card is refused: \(error.what): \(error.why)",
            remedy: error.remedy)
        }
      }
    }
  }

  /// Returns `call` in each of the filter's pipelines, by default under the filter's name.
  func conformanceKernels(
    _ call: FilterCall, of name: String? = nil, named settings: String? = nil
  ) throws -> [ConformanceKernel] {
    if case .text(let path) = call["with"], !path.isEmpty {
      throw SafelightError(
        .usage, "\(call.name)=with=\(path)", why: "conformance makes the second picture of each of its pictures itself",
        remedy: "leave 'with' out")
    }
    // A filter refuses the same on every device.
    let filter = try make(call, Device.open(.cpu), .automatic)
    @Sendable func takes(_ format: PixelFormat, _ size: Size) -> Bool {
      guard let made = try? filter.output(of: format.descriptor(size)) else { return false }
      // A turned picture that is wider than a texture would fill the memory.
      return made.size.area <= 1 << 23
    }
    let taken = formats.filter { takes($0, Size(64, 64)) }
    let refusals = try formats.compactMap { format -> (format: PixelFormat, why: String)? in
      do throws(SafelightError) {
        _ = try filter.output(of: format.descriptor(Size(64, 64)))
        return nil
      } catch {
        // A kernel that contradicts itself refuses nothing.
        if error.kind == .kernel { throw error }
        return (format, error.why)
      }
    }
    return pipelines.map { pipeline in
      ConformanceKernel(
        name: name ?? description.name, settings: settings ?? call.description, pipeline: pipeline, formats: taken,
        isTiled: true, refusals: refusals, isDefined: { size in taken.contains { takes($0, size) } }
      ) { [make] device in
        let filter = try make(call, device, pipeline)
        return { scene in _ = try scene.encode(filter, of: scene.source) }
      }
    }
  }
}

extension ConformanceKernel {
  /// Each variant of the histograms; filters use only the one that suits the device.
  static let histograms = HistogramVariant.allCases.filter { $0 != .automatic }.flatMap { variant in
    counted.map { histogram(variant, $0.what, $0.info) }
      + [histogram(variant, "1024 entries from 0.25 to 0.75, above 0.5", middle, threshold: 0.5)]
  }

  private static let counted: [(what: String, info: HistogramInfo)] = [
    ("256 entries", HistogramInfo(histogramForAlpha: true)), ("256 entries of luma", HistogramInfo(channels: .luma)),
    ("256 entries of visible pixels", HistogramInfo(histogramForAlpha: true, pixels: .visible)),
    ("256 entries of the luma of visible pixels", HistogramInfo(channels: .luma, pixels: .visible)),
    ("1024 entries from 0.25 to 0.75", middle),
  ]

  private static let middle = HistogramInfo(
    entries: 1024, minPixelValue: SIMD4(repeating: 0.25), maxPixelValue: SIMD4(repeating: 0.75))

  private static func histogram(
    _ variant: HistogramVariant, _ what: String, _ info: HistogramInfo, threshold: Float? = nil
  ) -> ConformanceKernel {
    ConformanceKernel(
      name: "histogram", settings: "histogram of \(what), \(variant)", formats: info.takenFormats, isTiled: true
    ) { device in
      var kernel = ImageHistogram(device: device, info: info)
      kernel.variant = variant
      if let threshold { kernel.minPixelThresholdValue = SIMD4(repeating: threshold) }
      return { [kernel] scene in
        let (counts, offset) = try scene.output(
          byteCount: kernel.histogramSize(forSourceFormat: scene.source.pixelFormat))
        kernel.encode(to: scene.buffer, source: scene.source, histogram: counts, offset: offset)
      }
    }
  }

  /// The histograms over the picture's own range, with that range.
  static let normalizedHistograms = counted.map { what, info in
    ConformanceKernel(
      name: "normalized-histogram", settings: "normalized histogram of \(what)", formats: info.takenFormats,
      isTiled: false
    ) { device in
      let kernel = ImageNormalizedHistogram(device: device, info: info)
      return { scene in
        let format = scene.source.pixelFormat
        let (counts, offset) = try scene.output(byteCount: info.histogramSize(forSourceFormat: format))
        let minmax = try scene.output(Size(2, 1), ImageNormalizedHistogram.minmaxFormat(forSourceFormat: format))
        for (source, minmax) in zip(scene.source.tiles, minmax.tiles) {
          kernel.encode(
            to: scene.buffer, source: source.texture, minmaxTexture: minmax.texture, histogram: counts, offset: offset)
        }
      }
    }
  }

  /// The filter `match`, whose calls name files, with histograms in memory.
  static let matches = [HistogramInfo.Channels.each, .luma].flatMap { channels in
    [PipelineKind.render, .compute].map { pipeline in match(channels, pipeline) }
  }

  private static func match(_ channels: HistogramInfo.Channels, _ pipeline: PipelineKind) -> ConformanceKernel {
    ConformanceKernel(
      name: "match", settings: "match \(channels == .luma ? "of luma " : "")with few values", pipeline: pipeline,
      formats: [.r8Unorm, .rgba8Unorm, .r16Uint, .rgba16Uint], isTiled: true
    ) { device in
      // Values far apart, so that the nearest is not always adjacent.
      let desired = Histogram(
        [.red, .green, .blue].enumerated().map { plane, channel in
          (channel, (0..<256).map { entry in (entry + plane) % 23 == 0 ? UInt64(entry % 7 + 1) : 0 })
        })
      let reference = channels == .luma ? Histogram([(.gray, desired.counts(.red))]) : desired
      let gray = Histogram([(.gray, desired.counts(.green))])
      let filters = try [reference, gray].map {
        try MatchFilter(channels, reference: .stored($0, path: "conformance")).makeStage(on: device, pipeline: pipeline)
      }
      return { scene in
        let filter = scene.source.pixelFormat.samplesPerPixel == 1 ? filters[1] : filters[0]
        _ = try scene.encode(filter, of: scene.source)
      }
    }
  }
}

extension HistogramInfo {
  /// The formats of pictures that can be counted: floats have no luma.
  fileprivate var takenFormats: [PixelFormat] {
    PixelFormat.colors.filter { $0.maximum <= 65535 && (channels == .each || $0.sampleKind != .float) }
  }
}
