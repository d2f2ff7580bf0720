public import SafelightGPU
public import SafelightImage
internal import SafelightShaders
internal import Synchronization

/// The sum of the histograms of the last pictures of a film, since the last scene cut, for temporal equalization.
///
/// The sum for a picture is that of its own histogram and those before it, `length` at most, back to the last cut. The
/// first picture is a cut, and so is one of which a share of the samples above ``cut`` moved to another of 64 groups of
/// neighboring entries, in which noise between neighboring values counts little; the page Equalization has the formula.
/// Pictures of another size or format begin a new scene too. The sum depends on no more than `length − 1` pictures
/// before its own, whenever counting began.
///
/// Everything happens on the device, in a ring of buffers, without a readback. Sums must stay below 2³²
/// (``check(_:)``). Command buffers must be committed in the order in which they were recorded.
public final class TemporalHistogram: Sendable {
  /// The description of the histograms.
  public let info: HistogramInfo
  /// The number of pictures that are summed.
  public let length: Int
  /// The share of samples in another group, from 0 to 1 in 1/65536, above which a picture begins a new scene.
  public let cut: Double
  /// The sum, ``HistogramInfo/histogramSize(forSourceFormat:)`` bytes for an equalization's transform.
  public let sum: Buffer

  /// The possible lengths.
  public static let lengths = 1...240

  /// One histogram more than are summed: the oldest is subtracted after the newest is added.
  private let ring: [Buffer]
  private let state: Buffer
  private let position = Mutex(Position())

  private struct Position {
    var count = 0
    /// The size of the last picture; nil before the first one and after ``reset()``.
    var size: Size?
    var format: PixelFormat?
  }

  /// Makes the kernel; traps on lengths and cuts outside their ranges, throws if the device lacks the memory.
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

  /// - Throws: ``SafelightError`` of kind `limit` if sums of pictures of `size` could reach 2³².
  public func check(_ size: Size) throws(SafelightError) {
    // Distances count each sample of four planes twice.
    let pictures = Int(UInt32.max) / max(1, size.area)
    try ensure(
      pictures >= max(length, 8), .limit, "a sum of \(length) histograms",
      why: "the counts of pictures of \(size) could exceed 32 bits",
      remedy: pictures < 8 ? "use smaller pictures" : "sum at most \(pictures) histograms")
  }

  /// Makes the next picture begin a new scene, after a gap.
  public func reset() { position.withLock { $0.size = nil } }

  /// Records the new ``sum``; `count` records the counting of the picture into a histogram for `format`.
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
    buffer.compute("sum of histograms") { encoder in
      encoder.setComputePipelineState(DistanceFunction(entries: info.entries).computePipeline)
      encoder.setBuffer(current, index: 0)
      encoder.setBuffer(ring[(number + length) % ring.count], index: 1)
      encoder.setBuffer(state, index: 2)
      encoder.dispatchThreadgroups(Size(planes, 1), threadsPerThreadgroup: Size(64, 1))
      encoder.setComputePipelineState(SumFunction(entries: info.entries, length: length).computePipeline)
      encoder.setBuffer(ring[(number + 1) % ring.count], index: 1)
      encoder.setBuffer(sum, index: 2)
      encoder.setBuffer(state, index: 3)
      encoder.setBytes(SIMD4<UInt32>(UInt32(number % 2), UInt32((cut * 65536).rounded()), 0, 0), index: 4)
      encoder.dispatchThreads(Size(info.entries, planes), threadsPerThreadgroup: Size(64, 1))
    }
  }
}

/// `temporal_distance.comp`: how far the histograms of two pictures lie apart.
struct DistanceFunction: KernelFunction {
  var entries: Int

  static let shaders = [ShaderSource.temporalDistance]
  var constants: [ShaderAssembly.Constant] { [.init("ENTRIES", entries)] }
  var arguments: [ShaderArgument] { [.readBuffer(0), .readBuffer(1), .storageBuffer(2)] }

  static func captured(_ call: CapturedCall) -> Self? {
    guard let entries = call.entries, entries % 64 == 0,
      (0..<2).allSatisfy({ call.wordCount($0) >= call.arguments.grid.width / 64 * entries }), call.wordCount(2) >= 4
    else { return nil }
    return Self(entries: entries)
  }

  func run(_ arguments: TwinArguments) {
    let planes = arguments.grid.width / 64
    var distance: UInt32 = 0
    var samples: UInt32 = 0
    let (current, previous) = unsafe (arguments.buffer(0).words, arguments.buffer(1).words)
    for first in stride(from: 0, to: planes * entries, by: entries / 64) {
      var (now, before) = (UInt32(0), UInt32(0))
      for entry in first..<first + entries / 64 {
        unsafe now &+= current[entry]
        unsafe before &+= previous[entry]
      }
      distance &+= max(now, before) - min(now, before)
      samples &+= now &+ before
    }
    let state = unsafe arguments.buffer(2).words
    unsafe state[2] &+= distance
    unsafe state[3] &+= samples
  }
}

/// `temporal_sum.comp`: the sum of the histograms of a scene's last pictures.
struct SumFunction: KernelFunction {
  var entries: Int
  var length: Int

  static let shaders = [ShaderSource.temporalSum]
  var constants: [ShaderAssembly.Constant] { [.init("ENTRIES", entries), .init("LENGTH", length)] }
  var arguments: [ShaderArgument] {
    [.readBuffer(0), .readBuffer(1), .storageBuffer(2), .storageBuffer(3), .bytes(4)]
  }

  static func captured(_ call: CapturedCall) -> Self? {
    let (grid, parameters) = (call.arguments.grid, call.words(4))
    guard let entries = call.entries, let length = call["LENGTH", TemporalHistogram.lengths], grid.width == entries,
      (0..<3).allSatisfy({ call.wordCount($0) >= grid.height * entries }), call.wordCount(3) >= 4,
      parameters.count >= 2, parameters[0] < 2, parameters[1] <= 65536
    else { return nil }
    return Self(entries: entries, length: length)
  }

  func run(_ arguments: TwinArguments) {
    let parameters = arguments.words(4)
    let read = Int(parameters[0])
    let (current, oldest) = unsafe (arguments.buffer(0).words, arguments.buffer(1).words)
    let (sum, state) = unsafe (arguments.buffer(2).words, arguments.buffer(3).words)
    let summed = unsafe state[read]
    let distance = unsafe UInt64(state[2]) * 65536
    let limit = unsafe UInt64(state[3]) * UInt64(parameters[1])
    let isCut = summed == 0 || distance > limit
    for word in 0..<entries * arguments.grid.height {
      let gone = unsafe summed < length ? 0 : oldest[word]
      unsafe sum[word] = (isCut ? 0 : sum[word] &- gone) &+ current[word]
    }
    unsafe state[1 - read] = isCut ? 1 : min(summed &+ 1, UInt32(length))
  }
}
