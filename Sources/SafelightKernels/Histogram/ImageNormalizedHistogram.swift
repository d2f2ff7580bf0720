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
  public var variant = HistogramVariant.automatic

  /// Makes the kernel.
  public init(device: Device, info: HistogramInfo = HistogramInfo()) { self.info = info }

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
    let call = HistogramCall.normalized(info)
    let plan = call.checkedPlan(for: PassPicture(format.descriptor(source.size), format), variant: variant)
    let recorder = PassRecorder(plan: plan, call: call.text, buffer: buffer)
    if zeroHistogram { buffer.zero(histogram, range: offset..<offset + size) }
    let isWhole = minmaxTexture.size == plan.result.size
    let made = isWhole ? minmaxTexture : Texture(size: plan.result.size, pixelFormat: expected, label: "extrema")
    recorder.encode(
      plan.targets,
      [
        .picture: .picture(TiledTexture(source)), .result(0): .picture(TiledTexture(made)),
        .numbers(1): .words(histogram, offset: offset),
      ], in: clipRectSource)
    if !isWhole {
      buffer.blit("extrema") { $0.copy(from: made, region: made.bounds, to: minmaxTexture, x: 0, y: 0) }
    }
  }
}

extension Pass {
  /// Makes passes that make result 0 of the extrema of `picture`, and count over their range into numbers 1.
  static func normalizedHistogram(_ info: HistogramInfo, of picture: PassPicture, variant: HistogramVariant) -> [Pass] {
    let format = picture.pixelFormat
    let isFloat = format.sampleKind == .float
    let luma = info.luma(of: format)
    let extrema = ExtremaFunction(
      channels: luma == nil ? format.samplesPerPixel : 1, luma: luma,
      countsVisible: info.pixels.leavesOutPixels(of: picture), isFloat: isFloat)
    var passes = [
      Pass(
        extrema, inputs: [.source(.pixel)],
        output: .numbers(0, [.init(.least, count: 4), .init(.greatest, count: 4)])),
      Pass(MinmaxFunction(isFloat: isFloat), inputs: [.numbers("extrema", 0)]),
    ]
    var sorting: (HistogramFunction.Sorting, Pass.Input) = (.measuredRange, .numbers("extrema", 0))
    if isFloat {
      let planes = info.planes(for: format)
      passes.append(
        Pass(
          EdgesFunction(entries: info.entries),
          uniforms: .block(
            BinsBlock(lowest: FloatKey.keys(info.minPixelValue), highest: FloatKey.keys(info.maxPixelValue))),
          inputs: [.numbers("extrema", 0)],
          output: .table(0, HistogramEdgeTable.size(planes: planes, entries: info.entries))))
      sorting = (.edges, .madeTable("edges", 0))
    }
    // Every number counts.
    let threshold = SIMD4<UInt32>(repeating: isFloat ? FloatKey.least : 0)
    return passes + [.histogram(info, of: picture, sorting: sorting, threshold: threshold, variant: variant, to: 1)]
  }
}

/// The least and the greatest samples of channels, or keys of floats, as `histogram_extrema.glsl` leaves them.
struct ChannelExtrema {
  private let least: SIMD4<UInt32>
  let greatest: SIMD4<UInt32>

  init(_ numbers: PictureMemory) {
    let words = unsafe numbers.words
    least = unsafe SIMD4(words[0], words[1], words[2], words[3])
    greatest = unsafe SIMD4(words[4], words[5], words[6], words[7])
  }

  /// The least samples; `none` of channels in which nothing is a number.
  func least(orNone none: UInt32) -> SIMD4<UInt32> { least.replacing(with: none, where: least .> greatest) }
  /// The greatest, likewise.
  func greatest(orNone none: UInt32) -> SIMD4<UInt32> { greatest.replacing(with: none, where: least .> greatest) }
}

/// `histogram_extrema.glsl`.
private struct ExtremaFunction: BuiltInPassFunction {
  let channels: Int
  /// Nil if samples are compared as they are.
  let luma: CountedLuma?
  let countsVisible: Bool
  let isFloat: Bool

  var name: String { "histogram_extrema" }
  var kind: Pass.Kind { .numbers() }
  var constants: [ShaderAssembly.Constant] {
    [
      .init("CHANNELS", channels), .init("COUNTS_LUMA", luma?.rawValue ?? 0), .init("COUNTS_VISIBLE", countsVisible),
      .init("IS_FLOAT", isFloat),
    ]
  }

  func make(_ memory: PassMemory) {
    let words = unsafe memory.words
    memory.forEachValue(channels: channels, luma: luma, visible: countsVisible) { value, channel in
      // NaN has the key 0.
      if isFloat && value == 0 { return }
      unsafe words[channel] = min(words[channel], value)
      unsafe words[4 + channel] = max(words[4 + channel], value)
    }
  }
}

/// `histogram_minmax.glsl`: extrema as a picture.
private struct MinmaxFunction: BuiltInPassFunction {
  let isFloat: Bool

  var name: String { "histogram_minmax" }
  var constants: [ShaderAssembly.Constant] { [.init("IS_FLOAT", isFloat)] }

  func make(_ memory: PassMemory) {
    let extrema = ChannelExtrema(memory.inputs[0])
    let none = isFloat ? FloatKey.zero : 0
    let pixels = [extrema.least(orNone: none), extrema.greatest(orNone: none)]
    func store<Sample: BitwiseCopyable>(_ sample: (UInt32) -> Sample) {
      let row = unsafe memory.output.row(Sample.self, x: 0, y: 0, count: 2)
      for place in 0..<8 { unsafe row[place] = sample(pixels[place / 4][place % 4]) }
    }
    switch memory.output.pixelFormat.bytesPerSample {
    case 1: store { UInt8(truncatingIfNeeded: $0) }
    case 2: store { UInt16(truncatingIfNeeded: $0) }
    default: store { FloatKey.value($0) }
    }
  }
}

/// `histogram_edges.glsl`: the edges of a histogram's entries by extrema of floats.
private struct EdgesFunction: BuiltInPassFunction {
  let entries: Int

  var name: String { "histogram_edges" }
  // With the functions of keys.
  var constants: [ShaderAssembly.Constant] { [.init("ENTRIES", entries), .init("SAFELIGHT_IS_FLOAT", true)] }

  func make(_ memory: PassMemory) {
    let (extrema, limits) = (ChannelExtrema(memory.inputs[0]), memory.block(BinsBlock.self))
    let (least, greatest) = (extrema.least(orNone: FloatKey.zero), extrema.greatest(orNone: FloatKey.zero))
    let rows = entries / 256
    for y in memory.region.y..<memory.region.y + memory.region.size.height where y % rows == 0 || y == memory.region.y {
      let plane = y / rows
      let keys = HistogramEdges(
        low: FloatKey.value(max(least[plane], limits.lowest[plane])),
        high: FloatKey.value(min(greatest[plane], limits.highest[plane])), entries: entries
      ).keys
      for y in y..<min((plane + 1) * rows, memory.region.y + memory.region.size.height) {
        let row = unsafe memory.output.row(SIMD4<UInt16>.self, x: 0, y: y, count: 64)
        for x in 0..<256 {
          let key = keys[y % rows * 256 + x]
          unsafe row[x] = SIMD4(UInt16(truncatingIfNeeded: key), UInt16(key >> 16), 0, 0)
        }
      }
    }
  }
}
