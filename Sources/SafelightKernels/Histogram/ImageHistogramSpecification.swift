public import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// A kernel that gives a picture the distribution of another; Metal Performance Shaders'
/// `MPSImageHistogramSpecification`.
///
/// Two steps, which may share a command buffer:
/// ``encodeTransform(to:source:sourceHistogram:sourceHistogramOffset:desiredHistogram:desiredHistogramOffset:)`` makes
/// a look-up table from the picture's histogram and the desired one, ``encode(to:source:destination:form:)`` applies
/// it. Apple does not publish its rule; this one takes the nearest of the normalized sums, the lower of two, by the
/// formula on the page Histograms. Fractions are compared crosswise and exactly, for fewer than 2³² pixels. The result
/// holds only values that the desired histogram counts. A plane stays as it is if either histogram is empty, and so
/// does every channel without a histogram: alpha, unless the info asks for it.
///
/// With ``HistogramInfo/Channels/luma`` luma is matched and chroma kept, as in ``ImageHistogramEqualization``. The
/// table stays until the next transform, so command buffers that use one instance must be committed in the order in
/// which they were recorded.
public final class ImageHistogramSpecification: Sendable {
  /// The description of both histograms.
  public let info: HistogramInfo

  private let lookUp: HistogramLookUp
  private let sums: Buffer

  /// Makes the kernel for histograms of `info`; traps on ``HistogramInfo/Channels/histeqLuma``.
  public init(device: Device, info: HistogramInfo = HistogramInfo()) {
    trap(
      unless: info.channels != .histeqLuma,
      "a distribution cannot be matched in the channels histeq-luma; count the channels luma")
    self.info = info
    lookUp = HistogramLookUp(info, name: "specification")
    sums = Buffer(length: 2 * 4 * info.entries * 4, label: "sums of a specification")
  }

  /// Records the making of the table. `source` only gives the format, which both histograms have. Offsets are multiples
  /// of 32.
  public func encodeTransform(
    to buffer: CommandBuffer, source: Texture, sourceHistogram: Buffer, sourceHistogramOffset: Int = 0,
    desiredHistogram: Buffer, desiredHistogramOffset: Int = 0
  ) {
    let format = source.pixelFormat
    let size = info.histogramSize(forSourceFormat: format)
    checkHistogram(sourceHistogram, offset: sourceHistogramOffset, size: size, of: "specification's source")
    checkHistogram(
      desiredHistogram, offset: desiredHistogramOffset, size: size, of: "specification's desired histogram")
    let planes = info.planes(for: format)
    let table = lookUp.tableToFill(for: format)
    let bins = HistogramBins(info, format)
    buffer.compute("specification transform") { encoder in
      encoder.setComputePipelineState(SpecificationSumsFunction(entries: info.entries, planes: planes).computePipeline)
      encoder.setBuffer(sourceHistogram, index: 0)
      encoder.setBuffer(desiredHistogram, index: 1)
      encoder.setBuffer(sums, index: 2)
      encoder.setBytes(
        SIMD4<UInt32>(UInt32(sourceHistogramOffset / 4), UInt32(desiredHistogramOffset / 4), 0, 0), index: 3)
      encoder.dispatchThreadgroups(Size(planes, 2), threadsPerThreadgroup: Size(64, 1))
      encoder.setComputePipelineState(
        SpecificationFunction(bins: bins, planes: planes, sampleBits: format.bytesPerSample * 8).computePipeline)
      encoder.setBuffer(sums, index: 0)
      encoder.setTexture(table, index: 1)
      encoder.setBytes(bins.range, index: 3)
      encoder.dispatchThreads(Size(info.entries, 1), threadsPerThreadgroup: Size(64, 1))
    }
  }

  /// Records the look-up. Both textures need the same size and the format of the transform.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    lookUp.encode(to: buffer, source: source, destination: destination, form: form)
  }
}

/// `specification_sums.comp`: makes the inclusive sums of both histograms.
struct SpecificationSumsFunction: KernelFunction {
  var entries: Int
  var planes: Int

  static let shaders = [ShaderSource.specificationSums]
  var constants: [ShaderAssembly.Constant] { [.init("ENTRIES", entries), .init("PLANES", planes)] }
  var arguments: [ShaderArgument] { [.readBuffer(0), .readBuffer(1), .storageBuffer(2), .bytes(3)] }

  static func captured(_ call: CapturedCall) -> Self? {
    let words = call.words(3)
    guard let entries = call.entries, let planes = call["PLANES", 1...4], words.count >= 2,
      (0..<2).allSatisfy({ Int(words[$0]) + planes * entries <= call.wordCount($0) }),
      2 * planes * entries <= call.wordCount(2)
    else { return nil }
    return Self(entries: entries, planes: planes)
  }

  func run(_ arguments: TwinArguments) {
    let placement = arguments.words(3)
    let sums = unsafe arguments.buffer(2).words
    for histogram in 0..<2 {
      let words = unsafe arguments.buffer(histogram).words
      for plane in 0..<planes {
        var sum: UInt32 = 0
        for entry in plane * entries..<(plane + 1) * entries {
          unsafe sum &+= words[Int(placement[histogram]) + entry]
          unsafe sums[histogram * planes * entries + entry] = sum
        }
      }
    }
  }
}

/// `specification_transform.comp`: makes the look-up table of the sums.
struct SpecificationFunction: KernelFunction {
  var bins: HistogramBins
  var planes: Int
  var sampleBits: Int

  static let shaders = [ShaderSource.specificationTransform]
  var constants: [ShaderAssembly.Constant] {
    bins.constants + [.init("PLANES", planes), .init("SAMPLE_BITS", sampleBits)]
  }
  var arguments: [ShaderArgument] { [.readBuffer(0), .storageTexture(1)] + bins.arguments }

  static func captured(_ call: CapturedCall) -> Self? {
    guard let planes = call["PLANES", 1...4], let bits = call["SAMPLE_BITS", 8...16],
      let bins = call.bins(sampleBits: bits), call.arguments.grid.width == bins.entries,
      2 * planes * bins.entries <= call.wordCount(0), call.hasTable(1, rows: bins.entries / 256 + 1)
    else { return nil }
    return Self(bins: bins, planes: planes, sampleBits: bits)
  }

  func run(_ arguments: TwinArguments) {
    let entries = bins.entries
    let words = unsafe arguments.buffer(0).words
    let sums = (0..<2 * planes).map { plane in unsafe Array(words[plane * entries..<(plane + 1) * entries]) }
    let outputs = (0..<planes).map { plane in
      Self.table(source: sums[plane], desired: sums[planes + plane])?.map { bins.value($0, plane: plane) }
    }
    unsafe arguments.texture(1).withMutableSamples(of: UInt16.self) { table in
      for plane in 0..<4 {
        let values = plane < planes ? outputs[plane] : nil
        for entry in 0..<entries {
          let stays = plane < planes ? UInt16(truncatingIfNeeded: entry) : 0
          unsafe table[entry * 4 + plane] = values.map { UInt16(truncatingIfNeeded: $0[entry]) } ?? stays
        }
        unsafe table[entries * 4 + plane] = values == nil ? 1 : 0
      }
    }
  }

  /// Returns the desired entry for each of the source's, from inclusive sums; nil if either histogram is empty.
  ///
  /// Searches as the shader does, and lets differences wrap as they do there: sums that wrapped beyond 2³² fall.
  private static func table(source: [UInt32], desired: [UInt32]) -> [Int]? {
    guard let total = source.last, let desiredTotal = desired.last, total > 0, desiredTotal > 0 else { return nil }
    return source.map { sum in
      let wanted = UInt64(sum) * UInt64(desiredTotal)
      // At least one, so that the entry counts.
      let above = firstEntry(desired) { UInt64($0) * UInt64(total) < max(1, wanted) }
      let before = above == 0 ? 0 : desired[above - 1]
      guard before > 0 else { return above }
      let toLower = wanted &- UInt64(before) * UInt64(total)
      let toUpper = UInt64(desired[above]) * UInt64(total) &- wanted
      return toUpper < toLower ? above : firstEntry(desired) { $0 < before }
    }
  }

  /// Returns the first entry whose sum is not below; the last one's is not.
  @inline(__always)
  private static func firstEntry(_ sums: [UInt32], isBelow: (UInt32) -> Bool) -> Int {
    var entry = 0
    var step = sums.count / 2
    while step > 0 {
      if isBelow(sums[entry + step - 1]) { entry += step }
      step /= 2
    }
    return entry
  }
}
