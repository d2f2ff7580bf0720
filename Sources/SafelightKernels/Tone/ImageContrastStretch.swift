public import SafelightImage
internal import SafelightShaders

/// A kernel that spreads the values between two percentiles of a picture over the whole range. The formula is on its
/// ``card``; the page Tone has more.
public struct ImageContrastStretch: PassKernel {
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

  /// The share of the pixels below black, from 0 to 1.
  public var low = 0.01
  /// The share of the pixels not above white, from 0 to 1.
  public var high = 0.99
  /// The values whose percentiles are taken.
  public var channels = Channels.each
  /// The pixels that are counted.
  public var counts = CountedPixels.visible

  /// Makes the kernel.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "stretch", "spreads the values between two percentiles of the picture over the whole range",
    discussion: """
      Per channel, with N pixels of which C(v) have the value v or less; low and high are kept in 1/65536:

          below = floor(N * low),  above = floor(N * (1 - high))
          black = the first v with C(v) > below
          white = the last v with N - C(v - 1) > above
          range = white - black
          out   = floor((clamp(v - black, 0, range) * maximum + floor(range / 2)) / range)

      A channel whose white is its black stays as it is. Alpha stays. Pixels of alpha 0 are not counted where alpha is
      straight, unless counts=all; if there are no others, the picture stays as it is. Counts, table and look-up stay on
      the device.
      """,
    [
      .number("low", "the part of the pixels below the black point", \.low, in: 0...1),
      .number("high", "the part of the pixels not above the white point; greater than low", \.high, in: 0...1),
      .choice("channels", "the channels whose percentiles count", \.channels),
      .choice("counts", "the pixels that are counted", \.counts),
    ],
    examples: [
      "stretch", "stretch=low=0:high=1:channels=linked", "stretch=low=0.2:high=0.7:channels=luma", "stretch=counts=all",
    ])

  /// Refuses shares that are not at least 1/65536 apart.
  public func check() throws(SafelightError) {
    try ensure(
      Self.parts(low) < Self.parts(high), .usage,
      "stretch=low=\(ParameterValue.number(low)):high=\(ParameterValue.number(high))",
      why: "low must be less than high by at least 1/65536", remedy: "write, for example, stretch=low=0.01:high=0.99")
  }

  /// Counts the picture, makes a table of the counts, and looks every pixel up.
  public func passes(for picture: PassPicture) -> [Pass] {
    let depth = picture.pixelFormat.depth
    let info = HistogramInfo.complete(depth, channels: channels == .luma ? .luma : .each, pixels: counts)
    let function = StretchFunction(
      entries: info.entries, planes: info.planes(for: picture.pixelFormat), isLinked: channels == .linked)
    let parts = SIMD4<UInt32>(Self.parts(low), 65536 - Self.parts(high), 0, 0)
    return [
      .histogram(info, of: picture),
      Pass(
        function, uniforms: .block(parts), inputs: [.numbers("counts", 0)], output: .table(0, depth.tableSize)),
      Pass(
        LookUpFunction(lookedUp: min(picture.pixelFormat.samplesPerPixel, 3)),
        inputs: [
          .source(.pixel), .madeTable("table", 0),
        ]),
    ]
  }

  private static func parts(_ percentile: Double) -> UInt32 { UInt32((percentile * 65536).rounded()) }
}

/// `stretch_transform.glsl`: makes the look-up table.
private struct StretchFunction: BuiltInPassFunction {
  let entries: Int
  let planes: Int
  let isLinked: Bool

  var name: String { "stretch_transform" }
  var kind: Pass.Kind { .threadgroups }
  var constants: [ShaderAssembly.Constant] {
    [.init("ENTRIES", entries), .init("PLANES", planes), .init("IS_LINKED", isLinked)]
  }

  func make(_ memory: PassMemory) {
    let (parts, counts) = unsafe (memory.block(SIMD4<UInt32>.self), memory.inputs[0].words)
    let ranges = (0..<planes).map { plane in
      unsafe Self.range(counts[plane * entries..<(plane + 1) * entries], below: parts.x, above: parts.y)
    }
    let linked = (ranges.map(\.black).min() ?? 0, ranges.map(\.white).max() ?? 0)
    let table = unsafe memory.output.entries()
    for channel in 0..<4 {
      // The table of one plane serves all channels; channels after the last of several planes have none.
      let (black, white) =
        isLinked || planes == 1
        ? linked : channel < planes ? (ranges[channel].black, ranges[channel].white) : (0, 0)
      for value in 0..<entries {
        unsafe table[value][channel] = UInt16(Self.stretched(value, black, white, maximum: entries - 1))
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

extension ImageContrastStretch.Channels: ParameterWord {
  /// The choices, by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.each, "red, green and blue, each its own"),
    (.linked, "the least black and the greatest white of the three, for all"),
    (.luma, "those of the luma of BT.601, for all three"),
  ].map { ($0, $0.rawValue, $1) }
}
