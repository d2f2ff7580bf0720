public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A histogram over the range that the picture itself has; Metal Performance Shaders' `MPSImageNormalizedHistogram`.
///
/// The device finds the least and the greatest sample of each channel, then counts, without a readback in between, by
/// the rule of ``ImageHistogram``, over their range as far as it lies in that of the info. If that does not rise,
/// everything above its low end counts in the last entry. For halves and floats the same holds exactly, with infinities
/// and NaN as in ``ImageHistogram``.
public struct ImageNormalizedHistogram: Sendable {
  /// The description of what is counted.
  public let info: HistogramInfo
  /// The part of the source that is measured and counted, clipped to the source (`clipRectSource`).
  public var clipRectSource = Region.noClip
  /// True if counts start from zero; if false, they are added to those in the buffer (`zeroHistogram`).
  public var zeroHistogram = true
  /// The way in which counts are gathered on a GPU.
  public var form = HistogramForm.automatic

  private let extrema: Buffer
  private let range: Buffer
  private let edges: Texture

  /// Makes the kernel. Command buffers that use one instance must be committed in the order in which they were
  /// recorded.
  public init(device: Device, info: HistogramInfo = HistogramInfo()) {
    self.info = info
    extrema = Buffer(length: 32, label: "extrema")
    range = Buffer(length: 32, label: "histogram range")
    edges = Texture(size: info.edgeSize, pixelFormat: .r32Uint, label: "histogram edges")
  }

  /// Returns the size of a histogram of `format` in bytes (`histogramSize(forSourceFormat:)`).
  public func histogramSize(forSourceFormat format: PixelFormat) -> Int { info.histogramSize(forSourceFormat: format) }

  /// Returns the format of the texture that takes the least and the greatest samples of pictures of `format`.
  public static func minmaxFormat(forSourceFormat format: PixelFormat) -> PixelFormat {
    format.sampleKind == .float ? .rgba32Float : format.bytesPerSample == 1 ? .rgba8Unorm : .rgba16Uint
  }

  /// Records the histogram of `source` into `histogram` from byte `offset` on, a multiple of 32.
  ///
  /// `minmaxTexture`, of ``minmaxFormat(forSourceFormat:)`` and at least 2×1, gets the least samples at (0, 0) and the
  /// greatest at (1, 0): of each channel, alpha included, or of the luma, if that is counted, in red. Channels that
  /// hold no number, or that the source lacks, get 0.
  public func encode(
    to buffer: CommandBuffer, source: Texture, minmaxTexture: Texture, histogram: Buffer, offset: Int = 0
  ) {
    let format = source.pixelFormat
    let size = info.histogramSize(forSourceFormat: format)
    checkHistogram(histogram, offset: offset, size: size, of: "normalized histogram")
    let expected = Self.minmaxFormat(forSourceFormat: format)
    trap(
      unless: minmaxTexture.pixelFormat == expected && minmaxTexture.size.width >= 2,
      "normalized histogram: minmaxTexture '\(minmaxTexture.label)' is \(minmaxTexture.size) of "
        + "\(minmaxTexture.pixelFormat.rawValue); 2×1 of \(expected.rawValue) is needed")
    let isFloat = format.sampleKind == .float
    let function = HistogramFunction(
      info, format, form: form.resolved(planes: info.planes(for: format), entries: info.entries, device: buffer.device),
      areValues: false, hasThreshold: isFloat, pixels: info.pixels)
    if zeroHistogram { buffer.zero(histogram, range: offset..<offset + size) }
    buffer.zero(extrema, range: 0..<extrema.length, label: "zero extrema")
    let area = clipRectSource.intersection(source.bounds)
    if !area.size.isEmpty {
      let luma = info.luma(of: format)
      let channels = luma == nil ? format.samplesPerPixel : 1
      let grid = HistogramForm.global.grid(area.size)
      buffer.compute("extrema") { encoder in
        encoder.setComputePipelineState(
          ExtremaFunction(
            channels: channels, luma: luma, countsVisible: info.pixels.countsVisible(of: format), format: format
          ).computePipeline)
        encoder.setTexture(source, index: 0)
        encoder.setBuffer(extrema, index: 1)
        encoder.setBytes((area.block, SIMD4<UInt32>(0, UInt32(grid.rows), 0, 0)), index: 2)
        encoder.dispatchThreadgroups(grid.threadgroups, threadsPerThreadgroup: grid.threadsPerThreadgroup)
      }
    }
    encodeRange(to: buffer, format, minmaxTexture)
    guard !area.size.isEmpty else { return }
    // Every number counts.
    let threshold = SIMD4<UInt32>(repeating: isFloat ? FloatKey.least : 0)
    function.encode(
      to: buffer, source: source, area: area, histogram: histogram, offset: offset, threshold: threshold
    ) { encoder in
      if isFloat { encoder.setTexture(edges, index: 4) } else { encoder.setBuffer(range, index: 3) }
    }
  }

  private func encodeRange(to buffer: CommandBuffer, _ format: PixelFormat, _ minmaxTexture: Texture) {
    buffer.compute("histogram range") { encoder in
      encoder.setBuffer(extrema, index: 0)
      encoder.setTexture(minmaxTexture, index: 1)
      if format.sampleKind == .float {
        encoder.setComputePipelineState(EdgesFunction(entries: info.entries).computePipeline)
        encoder.setTexture(edges, index: 2)
        encoder.setBytes((FloatKey.keys(info.minPixelValue), FloatKey.keys(info.maxPixelValue)), index: 3)
        encoder.dispatchThreads(Size(info.entries, info.planes(for: format)), threadsPerThreadgroup: Size(64, 1))
      } else {
        encoder.setComputePipelineState(RangeFunction(sampleBits: format.bytesPerSample * 8).computePipeline)
        encoder.setBuffer(range, index: 2)
        encoder.setBytes(HistogramBins(info, format).range, index: 3)
        encoder.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(1, 1))
      }
    }
  }
}

/// `histogram_extrema.comp` for one kind of source.
struct ExtremaFunction: KernelFunction {
  var channels: Int
  /// Nil if samples are compared as they are.
  var luma: CountedLuma?
  var countsVisible: Bool
  var format: PixelFormat

  static let shaders = [ShaderSource.histogramExtrema]
  var sources: [ShaderSource] { format.countedTexts + Self.shaders }
  var constants: [ShaderAssembly.Constant] {
    format.countedConstants + [
      .init("CHANNELS", channels), .init("COUNTS_LUMA", luma?.rawValue ?? 0), .init("COUNTS_VISIBLE", countsVisible),
    ]
  }
  var arguments: [ShaderArgument] { [.sampledTexture(0), .storageBuffer(1), .bytes(2)] }

  static func captured(_ call: CapturedCall) -> Self? {
    guard let source = call.texture(0), case let format = source.pixelFormat,
      let channels = call["CHANNELS", 1...format.samplesPerPixel], let luma = call["COUNTS_LUMA", 0...2],
      call.counts(format), luma == 0 || (format.samplesPerPixel == 4 && format.sampleKind != .float),
      let countsVisible = call.countsVisible(of: format), call.wordCount(1) >= 8, source.contains(call.words(2))
    else { return nil }
    return Self(channels: channels, luma: CountedLuma(rawValue: luma), countsVisible: countsVisible, format: format)
  }

  func run(_ arguments: TwinArguments) {
    let area = Region(arguments.words(2))
    var least = SIMD4<UInt32>.zero
    var greatest = SIMD4<UInt32>.zero
    let isFloat = format.sampleKind == .float
    arguments.texture(0).forEachValue(in: area, channels: channels, luma: luma, visible: countsVisible) {
      value, channel in
      // NaN has the key 0.
      if isFloat && value == 0 { return }
      least[channel] = max(least[channel], ~value)
      greatest[channel] = max(greatest[channel], value)
    }
    let words = unsafe arguments.buffer(1).words
    for channel in 0..<channels {
      unsafe words[channel] = max(words[channel], least[channel])
      unsafe words[4 + channel] = max(words[4 + channel], greatest[channel])
    }
  }
}

/// `histogram_range.comp`: turns extrema of integers into a histogram's range.
struct RangeFunction: KernelFunction {
  var sampleBits: Int

  static let shaders = [ShaderSource.histogramRange]
  var constants: [ShaderAssembly.Constant] { [.init("SAMPLE_BITS", sampleBits)] }
  var arguments: [ShaderArgument] { [.readBuffer(0), .storageTexture(1), .storageBuffer(2), .bytes(3)] }

  static func captured(_ call: CapturedCall) -> Self? {
    guard let bits = call["SAMPLE_BITS", 8...16], call.hasExtrema, call.wordCount(2) >= 8,
      call.hasPixels(1, size: Size(2, 1), sampleBits: bits)
    else { return nil }
    return Self(sampleBits: bits)
  }

  func run(_ arguments: TwinArguments) {
    let (complements, greatest, lowest, highest) = arguments.extrema
    let least = (~complements).replacing(with: 0, where: complements .== 0)
    let low = pointwiseMax(least, lowest)
    let high = pointwiseMax(pointwiseMin(greatest, highest), low &+ 1)
    if sampleBits == 8 {
      arguments.storeExtrema(SIMD4<UInt8>(truncatingIfNeeded: least), SIMD4(truncatingIfNeeded: greatest))
    } else {
      arguments.storeExtrema(SIMD4<UInt16>(truncatingIfNeeded: least), SIMD4(truncatingIfNeeded: greatest))
    }
    let words = unsafe arguments.buffer(2).words
    for channel in 0..<4 {
      unsafe words[channel] = low[channel]
      unsafe words[4 + channel] = high[channel]
    }
  }
}

/// `histogram_edges.comp`: turns extrema of floats into the edges of a histogram's entries.
struct EdgesFunction: KernelFunction {
  var entries: Int

  static let shaders = [ShaderSource.histogramEdges]
  var constants: [ShaderAssembly.Constant] { [.init("ENTRIES", entries)] }
  var arguments: [ShaderArgument] { [.readBuffer(0), .storageTexture(1), .storageTexture(2), .bytes(3)] }

  static func captured(_ call: CapturedCall) -> Self? {
    let grid = call.arguments.grid
    guard let entries = call.entries, let edges = call.texture(2), entries & (entries - 1) == 0, call.hasExtrema,
      grid.width == entries, (1...4).contains(grid.height), edges.size.width == 256, edges.pixelFormat == .r32Uint,
      edges.size.area >= grid.height * entries, call.hasPixels(1, size: Size(2, 1), sampleBits: 32),
      // Between others no edge can be found.
      call.words(3)[..<8].allSatisfy({ FloatKey.value($0).isFinite })
    else { return nil }
    return Self(entries: entries)
  }

  func run(_ arguments: TwinArguments) {
    let (complements, greatest, lowest, highest) = arguments.extrema
    let least = (~complements).replacing(with: FloatKey.zero, where: complements .== 0)
    let most = greatest.replacing(with: FloatKey.zero, where: complements .== 0)
    arguments.storeExtrema(FloatKey.values(least), FloatKey.values(most))
    unsafe arguments.texture(2).withMutableSamples(of: UInt32.self) { edges in
      for plane in 0..<arguments.grid.height {
        let keys = HistogramEdges(
          low: FloatKey.value(max(least[plane], lowest[plane])),
          high: FloatKey.value(min(most[plane], highest[plane])), entries: entries
        ).keys
        for entry in 0..<entries { unsafe edges[plane * entries + entry] = keys[entry] }
      }
    }
  }
}

extension CapturedCall {
  fileprivate var hasExtrema: Bool { wordCount(0) >= 8 && words(3).count >= 8 }
}

private typealias Vector = SIMD4<UInt32>

extension TwinArguments {
  /// What `histogram_extrema.comp` left in buffer 0, and the limits in the block at 3.
  fileprivate var extrema: (complements: Vector, greatest: Vector, lowest: Vector, highest: Vector) {
    let words = unsafe buffer(0).words
    let (lowest, highest) = value((Vector, Vector).self, 3)
    return unsafe (
      SIMD4(words[0], words[1], words[2], words[3]), SIMD4(words[4], words[5], words[6], words[7]), lowest, highest
    )
  }

  /// Stores two pixels at the head of texture 1.
  fileprivate func storeExtrema<Sample: SIMDScalar & BitwiseCopyable>(_ first: SIMD4<Sample>, _ second: SIMD4<Sample>) {
    unsafe texture(1).withMutableSamples(of: Sample.self) { samples in
      for channel in 0..<4 {
        unsafe samples[channel] = first[channel]
        unsafe samples[4 + channel] = second[channel]
      }
    }
  }
}
