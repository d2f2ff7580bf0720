public import SafelightGPU
public import SafelightImage
internal import SafelightShaders
internal import Synchronization

/// A kernel that spreads the values between two percentiles over the whole range. The page Tone has the formula.
///
/// Two steps, which may share a command buffer: ``encodeTransform(to:source:histogram:offset:)`` makes a look-up table
/// from the counts of a picture on the device, ``encode(to:source:destination:form:)`` applies it. With 0 and 1 the
/// least and the greatest value of the picture become 0 and the maximum; other percentiles, kept in 1/65536, clamp at
/// most their shares of the pixels. A channel of one value between the percentiles stays as it is, and so does
/// everything if the histogram is empty. Alpha stays.
///
/// Copies of the kernel share its one table: command buffers that use one instance must be committed in the order in
/// which they were recorded.
public struct ImageContrastStretch: Sendable {
  /// The values whose percentiles are taken.
  public enum Channels: String, Sendable, CaseIterable {
    /// Those of each channel, for itself.
    case each
    /// Those of red, green and blue; the least black and the greatest white serve all three, so that colors keep their
    /// hue.
    case linked
    /// Those of the luma of ITU-R BT.601, for all three.
    case luma
  }

  /// The description of the histogram: an entry for every value of the depth.
  public let info: HistogramInfo
  /// The share of the pixels below black, from 0 to 1.
  public let low: Double
  /// The share of the pixels not above white, from 0 to 1.
  public let high: Double
  /// The values whose percentiles are taken.
  public let channels: Channels

  private let depth: SampleDepth
  private let table: Texture
  /// The number of channels of the recorded transform's pictures; shared by copies.
  private let transform = RecordedTransform()

  /// Makes the kernel for pictures of `depth`, whose histograms count `pixels`; traps unless ``takes(low:high:)``
  /// holds.
  public init(
    device: Device, depth: SampleDepth, low: Double, high: Double, channels: Channels = .each,
    pixels: CountedPixels = .all
  ) {
    trap(
      unless: Self.takes(low: low, high: high),
      "a stretch needs percentiles from 0 to 1, the low one less than the high one by at least 1/65536; \(low) and "
        + "\(high) were given")
    self.depth = depth
    self.low = low
    self.high = high
    self.channels = channels
    info = .complete(depth, channels: channels == .luma ? .luma : .each, pixels: pixels)
    table = Texture(size: depth.tableSize, pixelFormat: .rgba16Uint, label: "stretch table")
  }

  /// Returns whether `low` and `high` lie from 0 to 1 and, rounded to 1/65536, `low` is below `high`.
  public static func takes(low: Double, high: Double) -> Bool {
    (0...1).contains(low) && (0...1).contains(high) && parts(low) < parts(high)
  }

  /// Records the making of the table from a histogram of ``info``; `source` only gives the format.
  public func encodeTransform(to buffer: CommandBuffer, source: Texture, histogram: Buffer, offset: Int = 0) {
    let format = source.pixelFormat
    checkFormat(source)
    checkHistogram(
      histogram, offset: offset, size: info.histogramSize(forSourceFormat: format), of: "stretch transform")
    let function = StretchFunction(
      sampleBits: depth.rawValue, planes: info.planes(for: format), isLinked: channels == .linked)
    buffer.compute("stretch transform") { encoder in
      encoder.setComputePipelineState(function.computePipeline)
      encoder.setBuffer(histogram, index: 0)
      encoder.setTexture(table, index: 1)
      encoder.setBytes(SIMD4<UInt32>(UInt32(offset / 4), Self.parts(low), 65536 - Self.parts(high), 0), index: 2)
      encoder.dispatchThreadgroups(Size(1, 1), threadsPerThreadgroup: Size(64, 1))
    }
    transform.channels.withLock { $0 = format.samplesPerPixel }
  }

  /// Records the look-up, after a transform for pictures with the same number of channels. Both textures need the same
  /// size and format.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    checkFormat(source)
    trap(
      unless: transform.channels.withLock { $0 } == source.pixelFormat.samplesPerPixel,
      "a stretch of \(source.pixelFormat.rawValue) needs a transform of as many channels; call encodeTransform first")
    ImageLookup.encode(
      to: buffer, source: source, destination: destination, table: table, form: form, label: "stretch")
  }

  private func checkFormat(_ source: Texture) {
    let format = source.pixelFormat
    trap(
      unless: PixelFormat.pointFormats.contains(format) && format.samplesPerPixel != 2
        && format.bytesPerSample * 8 == depth.rawValue,
      "a stretch of \(depth.rawValue) bits takes textures with one or four samples a pixel of that depth, not "
        + "'\(source.label)' of \(format.rawValue); make a stretch for its depth")
  }

  private static func parts(_ percentile: Double) -> UInt32 { UInt32((percentile * 65536).rounded()) }
}

private final class RecordedTransform: Sendable {
  let channels = Mutex<Int?>(nil)
}

/// `stretch_transform.comp`: makes the look-up table.
struct StretchFunction: KernelFunction {
  var sampleBits: Int
  var planes: Int
  var isLinked: Bool
  private var entries: Int { 1 << sampleBits }

  static let shaders = [ShaderSource.stretchTransform]
  var constants: [ShaderAssembly.Constant] {
    [
      .init("ENTRIES", entries), .init("PLANES", planes), .init("SAMPLE_BITS", sampleBits),
      .init("IS_LINKED", isLinked),
    ]
  }
  var arguments: [ShaderArgument] { [.readBuffer(0), .storageTexture(1), .bytes(2)] }

  static func captured(_ call: CapturedCall) -> Self? {
    let words = call.words(2)
    guard let planes = call["PLANES", 1...3], planes != 2, let isLinked = call[isSet: "IS_LINKED"],
      let bits = call["SAMPLE_BITS", 8...16], call.entries == 1 << bits, words.count >= 3, words[1] < 65536,
      words[2] < 65536, words[1] + words[2] < 65536, Int(words[0]) + planes * (1 << bits) <= call.wordCount(0),
      call.hasTable(1, rows: (1 << bits) / 256)
    else { return nil }
    return Self(sampleBits: bits, planes: planes, isLinked: isLinked)
  }

  func run(_ arguments: TwinArguments) {
    let words = arguments.words(2)
    let counts = unsafe arguments.buffer(0).words
    let ranges = (0..<planes).map { plane in
      let first = Int(words[0]) + plane * entries
      return unsafe Self.range(counts[first..<first + entries], below: words[1], above: words[2])
    }
    let linked = (ranges.map(\.black).min() ?? 0, ranges.map(\.white).max() ?? 0)
    unsafe arguments.texture(1).withMutableSamples(of: UInt16.self) { table in
      for channel in 0..<4 {
        // The table of one plane serves all channels; channels after the last of several planes have none.
        let (black, white) =
          isLinked || planes == 1
          ? linked : channel < planes ? (ranges[channel].black, ranges[channel].white) : (0, 0)
        for value in 0..<entries {
          unsafe table[4 * value + channel] = UInt16(Self.stretched(value, black, white, maximum: entries - 1))
        }
      }
    }
  }

  private static func range(
    _ counts: Slice<UnsafeMutableBufferPointer<UInt32>>, below: UInt32, above: UInt32
  ) -> (black: Int, white: Int) {
    let total = unsafe counts.reduce(0 as UInt32, &+)
    let below = UInt32(truncatingIfNeeded: (UInt64(total) * UInt64(below)) >> 16)
    let above = UInt32(truncatingIfNeeded: (UInt64(total) * UInt64(above)) >> 16)
    var (black, white) = (0, 0)
    var before: UInt32 = 0
    for value in unsafe 0..<counts.count {
      let after = unsafe before &+ counts[counts.startIndex + value]
      if before <= below && after > below { black = value }
      if total &- before > above && total &- after <= above { white = value }
      before = after
    }
    return (black, white)
  }

  private static func stretched(_ value: Int, _ black: Int, _ white: Int, maximum: Int) -> Int {
    guard black < white else { return value }
    let range = white - black
    return (min(max(value - black, 0), range) * maximum + range / 2) / range
  }
}
