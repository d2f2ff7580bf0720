public import SafelightGPU
package import SafelightImage
internal import SafelightShaders

/// A kernel that gives a picture the distribution of another; Metal Performance Shaders'
/// `MPSImageHistogramSpecification`.
///
/// Two steps, which may share a command buffer:
/// ``encodeTransform(to:source:sourceHistogram:sourceHistogramOffset:desiredHistogram:desiredHistogramOffset:)`` makes
/// a look-up table from the picture's histogram and the desired one, ``encode(to:source:destination:pipeline:)``
/// applies it. Apple does not publish its rule; this one takes the nearest of the normalized sums, the lower of two, by
/// the formula on the page Histograms. Fractions are compared crosswise and exactly, for fewer than 2³² pixels. The
/// result holds only values that the desired histogram counts. A plane stays as it is if either histogram is empty, and
/// so does every channel without a histogram: alpha, unless the info asks for it.
///
/// With ``HistogramInfo/Channels/luma`` luma is matched and chroma kept, as in ``ImageHistogramEqualization``. The
/// table stays until the next transform, so command buffers that use one instance must be committed in the order in
/// which they were recorded.
public final class ImageHistogramSpecification: Sendable {
  /// The description of both histograms.
  public let info: HistogramInfo

  private let table: TransformTable

  /// Makes the kernel for histograms of `info`; traps on ``HistogramInfo/Channels/histeqLuma``.
  public init(device: Device, info: HistogramInfo = HistogramInfo()) {
    trap(
      unless: info.channels != .histeqLuma,
      "a distribution cannot be matched in the channels histeq-luma; count the channels luma")
    self.info = info
    table = TransformTable(Pass.transformTableSize(entries: info.entries), name: "specification")
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
    call.recorder(for: source, buffer).encode(
      [.numbers(1), .numbers(3), .madeTable(0)],
      [
        .numbers(0): .words(sourceHistogram, offset: sourceHistogramOffset),
        .numbers(2): .words(desiredHistogram, offset: desiredHistogramOffset),
        .madeTable(0): table.placeToFill(for: format),
      ])
  }

  /// Records the look-up. Both textures need the same size and the format of the transform.
  public func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, pipeline: PipelineKind = .automatic
  ) {
    table.encodeLookUp(of: source, to: destination, by: call.recorder(for: source, pipeline: pipeline, buffer))
  }

  private var call: HistogramCall { .specification(info) }
}

extension Pass {
  /// Makes a pass that makes inclusive sums of counts that `info` describes.
  package static func sums(_ info: HistogramInfo, of picture: PassPicture, counts: Int, to number: Int) -> Pass {
    let planes = info.planes(for: picture.pixelFormat)
    return Pass(
      SumsFunction(entries: info.entries), inputs: [.numbers("counts", counts)],
      output: .numbers(number, [.init(.single, count: planes * info.entries)]), threadgroups: Size(planes, 1))
  }

  /// Makes a pass that makes table 0 of the source's sums and of the desired ones, which are numbers or a
  /// ``DesiredSums``.
  package static func specification(
    _ info: HistogramInfo, of picture: PassPicture, sums: Int, desired: Input
  ) -> Pass {
    let bins = HistogramBins(info, picture.pixelFormat)
    let function = SpecificationFunction(
      entries: bins.entries, areValues: bins.areValues, planes: info.planes(for: picture.pixelFormat),
      desiredIsTable: desired.resource.isTable)
    return Pass(
      function, uniforms: bins.uniforms, inputs: [.numbers("sums", sums), desired],
      output: .table(0, transformTableSize(entries: info.entries)))
  }
}

/// The inclusive sums of a desired histogram that the CPU knows, plane after plane; of each the lower and the upper
/// half.
package struct DesiredSums: PassTable {
  private let planes: [[UInt32]]

  /// Adopts the counts of planes with the same number of entries.
  package init(counts: [[UInt64]]) {
    planes = counts.map { counts in
      var sum: UInt32 = 0
      return counts.map { count in
        sum &+= UInt32(truncatingIfNeeded: count)
        return sum
      }
    }
  }

  /// Hashes the greatest sums: a run has few desired histograms.
  package func hash(into hasher: inout Hasher) { for plane in planes { hasher.combine(plane.last) } }

  package var size: Size { Size(256, planes.count * (planes.first?.count ?? 0) / 256) }

  package func entries() -> [UInt16] {
    planes.flatMap { $0 }.flatMap { [UInt16(truncatingIfNeeded: $0), UInt16($0 >> 16), 0, 0] }
  }
}

/// `specification_sums.glsl`: makes the inclusive sums of a histogram.
private struct SumsFunction: BuiltInPassFunction {
  let entries: Int

  var name: String { "specification_sums" }
  var kind: Pass.Kind { .threadgroups }
  var constants: [ShaderAssembly.Constant] { [.init("ENTRIES", entries)] }

  func make(_ memory: PassMemory) {
    let counts = unsafe memory.inputs[0].words
    var sum: UInt32 = 0
    for word in 0..<counts.count {
      if word % entries == 0 { sum = 0 }
      unsafe sum &+= counts[word]
      unsafe memory.words[word] = sum
    }
  }
}

/// `specification_transform.glsl`: makes the look-up table of the sums.
private struct SpecificationFunction: BuiltInPassFunction {
  let entries: Int
  let areValues: Bool
  let planes: Int
  let desiredIsTable: Bool

  var name: String { "specification_transform" }
  var constants: [ShaderAssembly.Constant] {
    [
      .init("ENTRIES", entries), .init("BINS", areValues ? 0 : 1), .init("HAS_THRESHOLD", false),
      .init("PLANES", planes), .init("DESIRED_IS_TABLE", desiredIsTable),
    ]
  }

  func make(_ memory: PassMemory) {
    let block = areValues ? nil : memory.block(BinsBlock.self)
    let bins = HistogramBins(entries: entries, range: block.map { ($0.lowest, $0.highest) })
    let desired = desiredSums(memory.inputs[1])
    let source = (0..<planes).map { plane in
      unsafe Array(memory.inputs[0].words[plane * entries..<(plane + 1) * entries])
    }
    let outputs = (0..<planes).map { plane in
      Self.table(source: source[plane], desired: desired[plane])?.map { bins.value($0, plane: plane) }
    }
    let region = memory.region
    for y in region.y..<region.y + region.size.height {
      let row = unsafe memory.output.row(SIMD4<UInt16>.self, x: 0, y: y, count: 64)
      for x in 0..<256 {
        let entry = 256 * y + x
        var made = SIMD4<UInt16>()
        for plane in 0..<4 {
          let values = plane < planes ? outputs[plane] : nil
          if entry < entries {
            let stays = plane < planes ? UInt32(entry) : 0
            made[plane] = UInt16(truncatingIfNeeded: values?[entry] ?? stays)
          } else if entry == entries {
            made[plane] = values == nil ? 1 : 0
          }
        }
        unsafe row[x] = made
      }
    }
  }

  private func desiredSums(_ memory: PictureMemory) -> [[UInt32]] {
    (0..<planes).map { plane in
      (plane * entries..<(plane + 1) * entries).map { entry in
        guard desiredIsTable else { return unsafe memory.words[entry] }
        let halves = unsafe memory.entries()[entry]
        return UInt32(halves.x) | UInt32(halves.y) << 16
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
