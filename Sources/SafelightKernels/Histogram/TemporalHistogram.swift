public import SafelightGPU
public import SafelightImage
internal import SafelightShaders
internal import Synchronization

/// The sum of the histograms of the last pictures of a film, since the last scene cut; what temporal equalization makes its
/// table from.
///
/// With `h_i` the histogram of picture `i`, its sum is `h_k + … + h_i`, where `k` is the last cut, or `i − length + 1` where
/// that is later. Picture `i` is a cut where it is the first, or where
///
///     Σ |g_i − g_(i−1)| > cut · 2 · samples
///
/// with `g` the counts of 64 groups of neighboring entries of each plane, so that noise between neighboring values
/// counts little, and `cut` in 1/65536: the part of the samples that found another group. The sum depends on no more
/// than `length − 1` pictures before its own, whenever the counting began. Everything happens on the device, in a ring
/// of buffers, with no readback.
///
/// Pictures of another size or format begin a new scene too. Sums must stay below 2³² (``check(_:)``). Command buffers must
/// be committed in the order in which they were recorded.
public final class TemporalHistogram: Sendable {
  /// What the histograms count.
  public let info: HistogramInfo
  /// Pictures that are summed.
  public let length: Int
  /// The part of the samples in another group above which a picture begins a new scene, from 0 to 1.
  public let cut: Double
  /// The sum, for an equalization's transform; ``HistogramInfo/histogramSize(forSourceFormat:)`` bytes of it.
  public let sum: Buffer

  /// The numbers of pictures that can be summed.
  public static let lengths = 1...240

  /// One more than the pictures that are summed: the oldest is taken away after the newest has come.
  private let ring: [Buffer]
  private let state: Buffer
  private let position = Mutex(Position())

  private struct Position {
    /// Pictures recorded.
    var count = 0
    /// What the last one was like; nil before the first of a scene that was begun by ``reset()``.
    var size: Size?
    var format: PixelFormat?
  }

  /// Makes the kernel; traps on lengths and cuts outside their ranges, throws where the device has not the memory.
  public init(device: Device, info: HistogramInfo, length: Int, cut: Double) throws {
    trap(
      unless: Self.lengths.contains(length) && (0...1).contains(cut),
      "a temporal histogram sums 1 to 240 pictures with a cut from 0 to 1; \(length) and \(cut) were given")
    self.info = info
    self.length = length
    self.cut = cut
    let size = 4 * info.entries * 4
    ring = try (0...length).map { try device.makeBuffer(length: size, label: "histogram \($0) of a film") }
    sum = try device.makeBuffer(length: size, label: "sum of histograms")
    state = try device.makeBuffer(length: 16, label: "state of a film")
  }

  /// Throws where sums of pictures of `size` may not stay below 2³².
  public func check(_ size: Size) throws(SafelightError) {
    // Distances count each sample of four planes twice.
    let pictures = Int(UInt32.max) / max(1, size.area)
    guard pictures >= max(length, 8) else {
      throw SafelightError(
        .limit, "a sum of \(length) histograms", why: "pictures of \(size) would count beyond 32 bits",
        remedy: pictures < 8 ? "use smaller pictures" : "sum \(pictures) at most")
    }
  }

  /// Has the next picture begin a new scene: after a gap.
  public func reset() { position.withLock { $0.size = nil } }

  /// Records the counting of a picture, by `count` into a histogram of pictures of `format`, and the new ``sum``.
  public func encode(
    to buffer: CommandBuffer, size: Size, sourceFormat format: PixelFormat, count: (_ histogram: Buffer) -> Void
  ) {
    let (number, isFirst) = position.withLock { position in
      defer { position = Position(count: position.count + 1, size: size, format: format) }
      return (position.count, position.size != size || position.format != format)
    }
    let current = ring[number % ring.count]
    count(current)
    buffer.zero(state, range: (isFirst ? 0 : 8)..<16, label: "state of a film")
    let planes = info.planes(for: format)
    let encoder = buffer.makeComputeCommandEncoder(label: "sum of histograms")
    encoder.setComputePipelineState(Self.distances[info.entries])
    encoder.setBuffer(current, index: 0)
    encoder.setBuffer(ring[(number + length) % ring.count], index: 1)
    encoder.setBuffer(state, index: 2)
    encoder.dispatchThreadgroups(Size(planes, 1), threadsPerThreadgroup: Size(64, 1))
    encoder.setComputePipelineState(Self.summing[Summed(entries: info.entries, length: length)])
    encoder.setBuffer(ring[(number + 1) % ring.count], index: 1)
    encoder.setBuffer(sum, index: 2)
    encoder.setBuffer(state, index: 3)
    encoder.setBytes(SIMD4<UInt32>(UInt32(number % 2), UInt32((cut * 65536).rounded()), 0, 0), index: 4)
    encoder.dispatchThreads(Size(info.entries, planes), threadsPerThreadgroup: Size(64, 1))
    encoder.endEncoding()
  }

  // MARK: Functions

  private static let distances = PipelineLibrary<Int, ComputePipelineState> { entries in
    ComputePipelineState(
      ShaderFunction(
        name: "temporal_distance",
        assembly: ShaderAssembly(
          [.temporalDistance], constants: [ShaderAssembly.Constant("ENTRIES", entries)]),
        arguments: [.readBuffer(0), .readBuffer(1), .storageBuffer(2)], twin: distanceTwin(entries: entries)))
  }

  private struct Summed: Hashable, Sendable {
    var entries: Int
    var length: Int
  }

  private static let summing = PipelineLibrary<Summed, ComputePipelineState> { summed in
    ComputePipelineState(
      ShaderFunction(
        name: "temporal_sum",
        assembly: ShaderAssembly(
          [.temporalSum],
          constants: [
            ShaderAssembly.Constant("ENTRIES", summed.entries), ShaderAssembly.Constant("LENGTH", summed.length),
          ]),
        arguments: [.readBuffer(0), .readBuffer(1), .storageBuffer(2), .storageBuffer(3), .bytes(4)],
        twin: sumTwin(entries: summed.entries, length: summed.length)))
  }
}
