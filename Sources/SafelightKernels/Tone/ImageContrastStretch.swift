public import SafelightGPU
public import SafelightImage
internal import SafelightShaders
internal import Synchronization

/// Spreads the values between two percentiles over the whole range.
///
/// Two steps, which may share a command buffer: ``encodeTransform(to:source:histogram:offset:)`` makes a look-up table from the counts of
/// a picture, on the device; ``encode(to:source:destination:form:)`` applies it. Per channel, with `C(v)` the pixels up to value `v`
/// and `N` all of them:
///
///     below  = floor(N · low),  above = floor(N · (1 − high))
///     black  = the first v with C(v) > below
///     white  = the last v with N − C(v − 1) > above
///     out(v) = floor((clamp(v − black, 0, range) · maximum + floor(range / 2)) / range),  range = white − black
///
/// So no more pixels than `below` become black for lying under `black`, and with 0 and 1 the least and the greatest value there is become
/// 0 and the maximum. `low` and `high` are kept in 1/65536. A channel of one value between the percentiles stays as it is, and so
/// does everything where nothing was counted. Alpha stays.
///
/// The kernel has one table, which its copies share: command buffers that use one instance must be committed in the order in which they
/// were recorded.
public struct ImageContrastStretch: Sendable {
  /// Where the percentiles are taken from.
  public enum Channels: String, Sendable, CaseIterable {
    /// Each channel has its own.
    case each
    /// The least black and the greatest white of red, green and blue serve all three, so that colors keep their hue.
    case linked
    /// Those of the luma of ITU-R BT.601 serve all three.
    case luma
  }

  /// What the histogram has to count: every value of the depth.
  public let info: HistogramInfo
  /// The part of the pixels under black, from 0 to 1.
  public let low: Double
  /// The part of the pixels that are not above white, from 0 to 1.
  public let high: Double
  /// Where the percentiles are taken from.
  public let channels: Channels

  private let depth: SampleDepth
  private let table: Texture
  private let transform = RecordedTransform()

  /// Makes the kernel for pictures of `depth`; traps where ``takes(low:high:)`` does not hold.
  public init(device: Device, depth: SampleDepth, low: Double, high: Double, channels: Channels = .each) {
    trap(
      unless: Self.takes(low: low, high: high),
      "a stretch needs percentiles from 0 to 1, the low one below the high one by 1/65536; \(low) and \(high) were given"
    )
    self.depth = depth
    self.low = low
    self.high = high
    self.channels = channels
    info = .complete(depth, channels: channels == .luma ? .luma : .each)
    table = Texture(size: Texture.tableSize(depth), pixelFormat: .rgba16Uint, label: "stretch table")
  }

  /// Whether `low` and `high` lie from 0 to 1, and `low` below `high` when both are kept in 1/65536.
  public static func takes(low: Double, high: Double) -> Bool {
    (0...1).contains(low) && (0...1).contains(high) && parts(low) < parts(high)
  }

  /// Records the making of the table from a histogram of ``info``; `source` only tells the format.
  public func encodeTransform(to buffer: CommandBuffer, source: Texture, histogram: Buffer, offset: Int = 0) {
    let format = source.pixelFormat
    checkFormat(source)
    checkHistogram(
      histogram, offset: offset, size: info.histogramSize(forSourceFormat: format), of: "stretch transform")
    let encoder = buffer.makeComputeCommandEncoder(label: "stretch transform")
    encoder.setComputePipelineState(
      Self.transforms[
        Variant(depth: depth, planes: info.planes(for: format), isLinked: channels == .linked)])
    encoder.setBuffer(histogram, index: 0)
    encoder.setTexture(table, index: 1)
    encoder.setBytes(
      SIMD4<UInt32>(UInt32(offset / 4), Self.parts(low), 65536 - Self.parts(high), 0), index: 2)
    encoder.dispatchThreadgroups(Size(1, 1), threadsPerThreadgroup: Size(64, 1))
    encoder.endEncoding()
    transform.note(format)
  }

  /// Records the look-up, behind a transform for pictures of as many channels. Both textures need the same size and format.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    checkFormat(source)
    trap(
      unless: transform.serves(source.pixelFormat),
      "a stretch of \(source.pixelFormat.rawValue) needs a transform of as many channels; call encodeTransform first")
    ImageLookup.encode(
      to: buffer, source: source, destination: destination, table: table, hasAlpha: false, form: form, label: "stretch")
  }

  private func checkFormat(_ source: Texture) {
    let format = source.pixelFormat
    trap(
      unless: PixelFormat.pointFormats.contains(format) && format.samplesPerPixel != 2
        && format.bytesPerSample * 8 == depth.rawValue,
      "a stretch of \(depth.rawValue) bits takes gray and four samples of that depth, not '\(source.label)' of "
        + "\(format.rawValue); make one for its depth")
  }

  private static func parts(_ percentile: Double) -> UInt32 { UInt32((percentile * 65536).rounded()) }

  // MARK: Functions

  private struct Variant: Hashable, Sendable {
    var depth: SampleDepth
    var planes: Int
    var isLinked: Bool
  }

  private static let transforms = PipelineLibrary<Variant, ComputePipelineState> { variant in
    ComputePipelineState(
      ShaderFunction(
        name: "stretch_transform",
        assembly: ShaderAssembly(
          [.stretchTransform],
          constants: [
            ShaderAssembly.Constant("ENTRIES", 1 << variant.depth.rawValue),
            ShaderAssembly.Constant("PLANES", variant.planes),
            ShaderAssembly.Constant("SAMPLE_BITS", variant.depth.rawValue),
            ShaderAssembly.Constant("IS_LINKED", variant.isLinked),
          ]),
        arguments: [.readBuffer(0), .storageTexture(1), .bytes(2)],
        twin: transformTwin(
          entries: 1 << variant.depth.rawValue, planes: variant.planes, isLinked: variant.isLinked)))
  }
}

/// What the transform in the table was recorded for.
private final class RecordedTransform: Sendable {
  private let samplesPerPixel = Mutex<Int?>(nil)

  func note(_ format: PixelFormat) { samplesPerPixel.withLock { $0 = format.samplesPerPixel } }

  func serves(_ format: PixelFormat) -> Bool { samplesPerPixel.withLock { $0 } == format.samplesPerPixel }
}
