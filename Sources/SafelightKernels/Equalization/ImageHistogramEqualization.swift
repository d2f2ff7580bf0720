public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A kernel that spreads the values of a picture evenly; Metal Performance Shaders' `MPSImageHistogramEqualization`.
///
/// Two steps, which may share a command buffer: ``encodeTransform(to:source:histogram:offset:)`` makes a look-up table
/// from counts by a ``Rule``, ``encode(to:source:destination:pipeline:)`` applies it. An empty histogram leaves the
/// picture as it is, and so does every channel without a histogram: alpha, unless the info asks for it.
///
/// With ``HistogramInfo/Channels/luma`` the luma `Y` of ITU-R BT.601 is equalized and the chroma, `B − Y` and `R − Y`,
/// kept: `table(Y) − Y` is added to each color, which is clamped.
///
/// The table stays until the next transform, so one picture's table can be applied to others, and command buffers that
/// use one instance must be committed in the order in which they were recorded.
public final class ImageHistogramEqualization: Sendable {
  /// The description of the histogram.
  public let info: HistogramInfo
  /// The rule that makes the table.
  public let rule: Rule
  /// The share of the levels that ``Rule/ffmpeg`` takes from the histogram, from 0 to 1; ffmpeg's `strength`.
  public let strength: Float
  /// The level in 1/1000 that ``Rule/ffmpeg`` gives to the sum of all pixels, from 0 to 1; ffmpeg's `intensity`.
  public let intensity: Float

  private let table: TransformTable

  /// Makes the kernel for histograms of `info`; only ``Rule/ffmpeg`` uses `strength` and `intensity`.
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
    table = TransformTable(Pass.transformTableSize(entries: info.entries), name: "equalization")
  }

  /// Records the making of the table from `histogram`; `source` only gives the format, as in MPS.
  ///
  /// Traps if the rule is not defined for the format's depth (``Rule/check(_:)``), if a program's rule gets a histogram
  /// without an entry for every value (``HistogramInfo/complete(_:channels:)``), and unless the channels are
  /// ``HistogramInfo/Channels/histeqLuma`` for ``Rule/ffmpeg`` and others for every other rule.
  public func encodeTransform(to buffer: CommandBuffer, source: Texture, histogram: Buffer, offset: Int = 0) {
    let format = source.pixelFormat
    checkHistogram(
      histogram, offset: offset, size: info.histogramSize(forSourceFormat: format), of: "equalization transform")
    trap(
      unless: rule.takes(entries: info.entries, sampleBits: format.bytesPerSample * 8)
        && (rule == .normalizedSum || HistogramBins(info, format).areValues),
      """
      rule '\(rule.rawValue)' takes no histogram of \(info.entries) entries of \(format.rawValue); use \
      HistogramInfo.complete(_:) and a depth that the rule takes, or the rule normalized-sum
      """)
    trap(
      unless: (rule == .ffmpeg) == (info.channels == .histeqLuma),
      """
      rule '\(rule.rawValue)' takes no histogram of the channels \(info.channels.rawValue); histeq-luma is for the \
      rule ffmpeg, which takes no others
      """)
    call.recorder(for: source, buffer).encode(
      [.madeTable(0)],
      [.numbers(0): .words(histogram, offset: offset), .madeTable(0): table.placeToFill(for: format)])
  }

  /// Records the writing of a table made elsewhere, with the entries of each plane after those of the one before, in
  /// place of a transform; `source` only gives the format, whose depth the info has an entry for every value of.
  package func encode(_ table: [UInt16], to buffer: CommandBuffer, source: Texture) {
    let format = source.pixelFormat
    let (entries, planes) = (info.entries, info.planes(for: format))
    trap(unless: table.count == planes * entries, "a table of \(planes) × \(entries) entries is needed")
    // Below the entries, a 1 marks a plane that stays as it is.
    var words = [UInt16](repeating: 0, count: (entries + 256) * 4)
    for plane in planes..<4 { words[entries * 4 + plane] = 1 }
    for plane in 0..<planes {
      for entry in 0..<entries { words[entry * 4 + plane] = table[plane * entries + entry] }
    }
    let bytes = unsafe words.withUnsafeBytes { unsafe Array($0) }
    guard let texture = self.table.placeToFill(for: format).binding?.tile?.texture else { return }
    buffer.blit("equalization table") { $0.write(bytes, to: texture) }
  }

  /// Records the look-up. Both textures need the same size and the format of the transform.
  public func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, pipeline: PipelineKind = .automatic
  ) {
    table.encodeLookUp(of: source, to: destination, by: call.recorder(for: source, pipeline: pipeline, buffer))
  }

  private var call: HistogramCall { .equalization(info, rule, strength: strength, intensity: intensity) }
}

extension ImageHistogramEqualization {
  /// A rule that makes a look-up table of counts: Apple's, as far as it is known, or another program's, to the byte.
  ///
  /// The page Equalization has the formulas. The rules of programs need a histogram with an entry for every value.
  public enum Rule: String, Sendable, CaseIterable {
    /// The normalized inclusive sum that vImage documents, rounded half up, for any histogram of 8 or 16 bits of fewer
    /// than 2³² pixels. A picture of one value becomes the maximum. Apple does not publish the rule of MPS.
    case normalizedSum = "normalized-sum"
    /// OpenCV's `equalizeHist`, 8 bits. A picture of one value stays as it is.
    case openCV = "opencv"
    /// Pillow's `ImageOps.equalize`, 8 bits. A picture of which fewer than 255 pixels are not of the greatest value
    /// stays as it is.
    case pillow
    /// libvips' `hist_equal`. A picture of one value becomes 255, in 16 bits the greatest value of all planes, or, if a
    /// product rounds downward, one less.
    case libvips
    /// ffmpeg's `histeq=strength:intensity:antibanding=none`, 8 bits, from a histogram of
    /// ``HistogramInfo/Channels/histeqLuma``. A strength above 0.255 makes levels below 0, which ffmpeg does not clamp.
    /// Alpha stays, while ffmpeg writes its luma there.
    case ffmpeg

    /// The depths that the rule's program supports.
    public var depths: [SampleDepth] {
      switch self {
      case .normalizedSum, .libvips: SampleDepth.allCases
      case .openCV, .pillow, .ffmpeg: [.bits8]
      }
    }

    /// The function of the program that the rule reproduces.
    var origin: String {
      switch self {
      case .normalizedSum: "vImage's histogram equalization"
      case .openCV: "OpenCV's equalizeHist"
      case .pillow: "Pillow's ImageOps.equalize"
      case .libvips: "libvips' hist_equal"
      case .ffmpeg: "ffmpeg's histeq"
      }
    }

    /// - Throws: ``SafelightError`` of kind `unsupported`, which names other rules, if the rule is not defined for
    ///   pictures of `depth`.
    public func check(_ depth: SampleDepth) throws(SafelightError) {
      if depths.contains(depth) { return }
      let others = Self.allCases.filter { $0.depths.contains(depth) }.map(\.rawValue)
      throw SafelightError(
        .unsupported, "equalization rule '\(rawValue)'",
        why: "it is \(origin), which takes no pictures of \(depth.rawValue) bits",
        remedy: "use the rule \(others.joined(separator: " or "))")
    }

    /// The rule's number in `equalization_rules.glsl`, its place among the cases.
    var macro: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// True if the rule takes histograms of `entries` for samples of `sampleBits` bits.
    func takes(entries: Int, sampleBits: Int) -> Bool {
      self == .normalizedSum || (entries == 1 << sampleBits && depths.contains { $0.rawValue == sampleBits })
    }
  }
}

/// The strength and the intensity of ``ImageHistogramEqualization/Rule/ffmpeg`` in 1/1000: products of floats,
/// truncated, as ffmpeg's are.
package struct EqualizationParts: BitwiseCopyable {
  var strength: UInt32
  var intensity: UInt32
  private var unused: UInt64 = 0

  package init(strength: Float, intensity: Float) {
    self.strength = UInt32(strength * 1000)
    self.intensity = UInt32(intensity * 1000)
  }
}

extension Pass {
  /// Makes a pass that makes table 0 of numbers, counts that `info` describes.
  package static func equalization(
    _ info: HistogramInfo, _ rule: ImageHistogramEqualization.Rule, _ parts: EqualizationParts,
    of picture: PassPicture, counts: Int
  ) -> Pass {
    let function = EqualizationFunction(
      rule: rule, entries: info.entries, planes: info.planes(for: picture.pixelFormat),
      sampleBits: picture.pixelFormat.depth.rawValue)
    return Pass(
      function, uniforms: rule == .ffmpeg ? .block(parts) : [], inputs: [.numbers("counts", counts)],
      output: .table(0, transformTableSize(entries: info.entries)))
  }
}

/// `equalization_transform.glsl`: makes the look-up table.
private struct EqualizationFunction: BuiltInPassFunction {
  typealias Rule = ImageHistogramEqualization.Rule

  let rule: Rule
  let entries: Int
  let planes: Int
  let sampleBits: Int

  var name: String { "equalization_transform" }
  var kind: Pass.Kind { .threadgroups }
  var constants: [ShaderAssembly.Constant] {
    [.init("ENTRIES", entries), .init("PLANES", planes), .init("RULE", rule.macro)]
  }

  func make(_ memory: PassMemory) {
    let parts = rule == .ffmpeg ? memory.block(EqualizationParts.self) : EqualizationParts(strength: 0, intensity: 0)
    let words = unsafe memory.inputs[0].words
    let counts = (0..<planes).map { unsafe Array(words[$0 * entries..<($0 + 1) * entries]) }
    let maximum: UInt64 = 1 << sampleBits - 1
    let last: Int = (0..<entries).last { entry in counts.contains { $0[entry] > 0 } } ?? 0
    let table = unsafe memory.output.entries()
    for plane in 0..<4 {
      let outputs = plane < planes ? rule.table(counts[plane], maximum: maximum, last: last, parts: parts) : nil
      for entry in 0..<entries {
        let stays = plane < planes ? UInt64(entry) : 0
        unsafe table[entry][plane] = UInt16(truncatingIfNeeded: outputs?[entry] ?? stays)
      }
      unsafe table[entries][plane] = outputs == nil ? 1 : 0
    }
  }
}

extension ImageHistogramEqualization.Rule {
  /// Returns the table of one plane, or nil if the plane stays as it is; the twin of `equalization_rules.glsl`.
  ///
  /// Swift's floats round by IEEE 754 on every machine, so these are the programs' own formulas; the shader does the
  /// same roundings in integers. `last` is the greatest entry with a count in any plane. Sums stay below 2³²; of
  /// counts that no picture has, which only a capture may hold, the shader may make another table. `parts` are those of
  /// ``ffmpeg``, whose negative levels are in two's complement.
  fileprivate func table(_ counts: [UInt32], maximum: UInt64, last: Int, parts: EqualizationParts) -> [UInt64]? {
    let total = UInt64(counts.reduce(0, &+))
    if total == 0 { return nil }
    switch self {
    case .normalizedSum:
      return sums(counts).map { (2 * maximum * $0 + total) / (2 * total) }
    case .openCV:
      let first = UInt64(counts.first { $0 > 0 } ?? 0)
      if first == total { return nil }
      let scale = Float(maximum) / Float(UInt32(truncatingIfNeeded: total &- first))
      return sums(counts).map { sum in
        let others = max(sum, first) - first
        return UInt64((Float(others) * scale).rounded(.toNearestOrEven))
      }
    case .pillow:
      let others = UInt32(truncatingIfNeeded: total) &- (counts.last { $0 > 0 } ?? 0)
      let step = UInt64(others) / maximum
      if step == 0 { return nil }
      return zip(sums(counts), counts).map { sum, count in
        min((step / 2 + UInt64(UInt32(truncatingIfNeeded: sum) &- count)) / step, maximum)
      }
    case .libvips:
      let top = maximum == 255 ? 255 : Double(last)
      let scale = Float(top / Double(total))
      return sums(counts).map { UInt64(Float($0) * scale) }
    case .ffmpeg:
      let strength = Int64(parts.strength)
      return sums(counts).enumerated().map { luma, sum in
        let share = Int64(sum * UInt64(parts.intensity) / total)
        return UInt64(bitPattern: strength * share / 255 + (255 - strength) * Int64(luma) / 255)
      }
    }
  }

  private func sums(_ counts: [UInt32]) -> [UInt64] {
    var sum: UInt32 = 0
    return counts.map { count in
      sum &+= count
      return UInt64(sum)
    }
  }
}
