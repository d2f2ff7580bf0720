internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders
internal import Synchronization

/// The second half of kernels that make a table from histograms: the table, and the look-up of every sample in it.
///
/// Tables are integers of 16 bits, whatever the pictures are, as those of ``ImageLookup``.
final class HistogramLookUp: Sendable {
  private let info: HistogramInfo
  private let name: String
  /// What a transform fills: 256 columns, entries / 256 rows, a channel a plane; below them the marks of planes that stay.
  private let table: Texture
  /// The format that the recorded transform was made for.
  private let transformed = Mutex<PixelFormat?>(nil)

  init(_ info: HistogramInfo, name: String) {
    self.info = info
    self.name = name
    table = Texture(size: Size(256, info.entries / 256 + 1), pixelFormat: .rgba16Uint, label: "\(name) table")
  }

  /// The table that a transform for pictures of `format` fills.
  func table(for format: PixelFormat) -> Texture {
    trap(
      unless: PixelFormat.pointFormats.contains(format),
      "\(name) takes pictures of 8 and 16 bits, not \(format.rawValue); convert them first")
    return table
  }

  /// A transform for pictures of `format` was recorded.
  func noteTransform(for format: PixelFormat) { transformed.withLock { $0 = format } }

  /// Records the look-up.
  func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm) {
    let format = source.pixelFormat
    trap(
      unless: transformed.withLock { $0 } == format,
      "\(name) of \(format.rawValue) needs a transform of that format; call encodeTransform first")
    let bins = HistogramBins(info, format)
    var bindings = Bindings()
    bindings.textures[2] = table(for: format)
    bindings.setBytes(bins.range, index: 3)
    let kernel =
      info.channels == .histeqLuma
      ? Self.gains[format]
      : Self.kernels[
        Variant(bins: bins, planes: info.planes(for: format), usesLuma: info.luma(of: format) != nil, format: format)]
    kernel.encode(to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: name)
  }

  private struct Variant: Hashable, Sendable {
    var bins: HistogramBins
    var planes: Int
    var usesLuma: Bool
    var format: PixelFormat
  }

  private static let kernels = PipelineLibrary<Variant, PointFunction> { variant in
    PointFunction(
      name: "equalization_apply", body: ShaderText(.equalizationApply), format: variant.format,
      constants: variant.bins.constants + [
        ShaderAssembly.Constant("PLANES", variant.planes), ShaderAssembly.Constant("COUNTS_LUMA", variant.usesLuma),
      ],
      arguments: [.sampledTexture(2)] + variant.bins.arguments, worksInBands: false,
      twin: twin(bins: variant.bins, planes: variant.planes, usesLuma: variant.usesLuma, format: variant.format))
  }

  /// Look-ups of levels for the luma of ffmpeg's histeq.
  private static let gains = PipelineLibrary<PixelFormat, PointFunction> { format in
    PointFunction(
      name: "equalization_gain", body: ShaderText(.equalizationGain), format: format,
      constants: [
        ShaderAssembly.Constant("COUNTS_LUMA", format.samplesPerPixel == 4 ? CountedLuma.histeq.rawValue : 0)
      ],
      arguments: [.sampledTexture(2)], twin: gainTwin)
  }
}
