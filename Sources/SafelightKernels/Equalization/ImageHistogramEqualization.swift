public import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// Spreads the values of a picture evenly; Metal Performance Shaders' `MPSImageHistogramEqualization`.
///
/// Two steps, which may share a command buffer: ``encodeTransform(to:source:histogram:offset:)`` makes a look-up table
/// from counts, ``encode(to:source:destination:form:)`` applies it. Apple does not publish its rule; the default,
/// ``Rule/normalizedSum``, is the normalized inclusive sum that vImage documents, rounded half up, per channel:
///
///     table(i) = floor((2 · maximum · C(i) + N) / (2 · N))
///
/// where `C(i)` counts the pixels up to entry `i` and `N` all of them; exact for every `N` below 2³². The other rules
/// give the bytes of other programs. An empty histogram leaves the picture as it is, and so does every channel without
/// a histogram: alpha, unless the info asks for it.
///
/// With ``HistogramInfo/Channels/luma`` the luma `Y = (19595·R + 38470·G + 7471·B + 32768) >> 16` of ITU-R BT.601 is
/// equalized and the chroma, `B − Y` and `R − Y`, kept:
///
///     d = table(Y) − Y,   R' = clamp(R + d, 0, maximum),   G', B' likewise
///
/// The table stays until the next transform, so one picture's table can be applied to others. Command buffers that use
/// one instance must be committed in the order in which they were recorded.
public final class ImageHistogramEqualization: Sendable {
  /// What the histogram counted.
  public let info: HistogramInfo
  /// How counts become the table.
  public let rule: Rule
  /// How much of the levels ``Rule/ffmpeg`` takes from the histogram, from 0 to 1; ffmpeg's `strength`.
  public let strength: Float
  /// What ``Rule/ffmpeg`` makes the sum of all pixels, from 0 to 1, which stands for a level of 1000; ffmpeg's `intensity`.
  public let intensity: Float

  private let lookUp: HistogramLookUp

  /// Makes the kernel for histograms of `info`; `strength` and `intensity` have an effect with ``Rule/ffmpeg`` alone.
  public init(
    device: Device, info: HistogramInfo = HistogramInfo(), rule: Rule = .normalizedSum, strength: Float = 0.2,
    intensity: Float = 0.21
  ) {
    trap(
      unless: (0...1).contains(strength) && (0...1).contains(intensity),
      "strength and intensity of equalization go from 0 to 1; \(strength) and \(intensity) were given")
    self.info = info
    self.rule = rule
    self.strength = strength
    self.intensity = intensity
    lookUp = HistogramLookUp(info, name: "equalization")
  }

  /// Records the making of the table from `histogram`; `source` only tells the format, as in MPS.
  ///
  /// Traps where the rule is not defined for the format's depth (``Rule/check(_:)``), and where it is a program's and the
  /// histogram has not an entry for every value (``HistogramInfo/complete(_:channels:)``), or for ``Rule/ffmpeg`` is not of
  /// ``HistogramInfo/Channels/histeqLuma``, which no other rule takes.
  public func encodeTransform(to buffer: CommandBuffer, source: Texture, histogram: Buffer, offset: Int = 0) {
    let format = source.pixelFormat
    checkHistogram(
      histogram, offset: offset, size: info.histogramSize(forSourceFormat: format), of: "equalization transform")
    let planes = info.planes(for: format)
    checkRule(format)
    let encoder = buffer.makeComputeCommandEncoder(label: "equalization transform")
    encoder.setComputePipelineState(
      Self.transforms[
        TransformVariant(
          rule: rule, entries: info.entries, planes: planes, sampleBits: format.bytesPerSample * 8)])
    encoder.setBuffer(histogram, index: 0)
    encoder.setTexture(lookUp.table(for: format), index: 1)
    // In floats, and then without what remains, as ffmpeg does.
    encoder.setBytes(
      SIMD4<UInt32>(UInt32(offset / 4), UInt32(strength * 1000), UInt32(intensity * 1000), 0), index: 2)
    encoder.dispatchThreadgroups(Size(1, 1), threadsPerThreadgroup: Size(64, 1))
    encoder.endEncoding()
    lookUp.noteTransform(for: format)
  }

  /// Records the look-up. Both textures need the same size, and the format that the transform was made for.
  public func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic
  ) {
    lookUp.encode(to: buffer, source: source, destination: destination, form: form)
  }

  private func checkRule(_ format: PixelFormat) {
    trap(
      unless: rule.takes(entries: info.entries, sampleBits: format.bytesPerSample * 8)
        && (rule == .normalizedSum || HistogramBins(info, format).areValues),
      "rule '\(rule.rawValue)' takes no histogram of \(info.entries) entries of \(format.rawValue); use HistogramInfo.complete(_:) "
        + "and a depth that the rule has, or the rule normalized-sum")
    trap(
      unless: (rule == .ffmpeg) == (info.channels == .histeqLuma),
      "rule '\(rule.rawValue)' takes no histogram of the channels \(info.channels.rawValue); histeq-luma is for the rule ffmpeg, which "
        + "takes no others")
  }

  // MARK: Functions

  private struct TransformVariant: Hashable, Sendable {
    var rule: Rule
    var entries: Int
    var planes: Int
    var sampleBits: Int
  }

  private static let transforms = PipelineLibrary<TransformVariant, ComputePipelineState> { variant in
    ComputePipelineState(
      ShaderFunction(
        name: "equalization_transform",
        assembly: ShaderAssembly(
          [.equalizationTransform],
          constants: [
            ShaderAssembly.Constant("ENTRIES", variant.entries), ShaderAssembly.Constant("PLANES", variant.planes),
            ShaderAssembly.Constant("SAMPLE_BITS", variant.sampleBits),
            ShaderAssembly.Constant("RULE", variant.rule.macro),
          ]),
        arguments: [.readBuffer(0), .storageTexture(1), .bytes(2)],
        twin: transformTwin(
          rule: variant.rule, entries: variant.entries, planes: variant.planes, sampleBits: variant.sampleBits)))
  }
}
