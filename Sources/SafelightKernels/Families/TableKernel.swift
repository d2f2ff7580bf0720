internal import CKernelRows
public import SafelightImage
internal import SafelightShaders

/// A value that makes tables for pictures of any depth.
public protocol ChannelTableSource: Hashable, Sendable {
  /// Returns the tables for pictures of a depth.
  func tables(_ depth: SampleDepth) -> ChannelTables
}

/// A kernel of one pass that replaces every sample by a table's entry for its value, which the CPU works out.
public protocol TableKernel: PassKernel, ChannelTableSource {
  /// True if the tables of red, green and blue differ, so that gray would become a color and gray pictures are refused.
  var makesColors: Bool { get }
}

extension TableKernel {
  /// Integers of 8 and of 16 bits.
  public static var formats: [PixelFormat] { PixelFormat.pointFormats }
  /// False by default.
  public var makesColors: Bool { false }

  /// Refuses gray if the channels' tables differ.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    try image.refuseGray(for: Self.card.name, if: makesColors)
  }

  /// One look-up.
  public func passes(for picture: PassPicture) -> [Pass] { [.lookUp(in: self, picture.pixelFormat)] }

  /// The cards' paragraph on how functions of 0 to 1 are quantized.
  static var quantized: String {
    """
    The function is worked out once for each of the 256 or 65536 values v, with x = v / maximum, and rounded,
    out = floor(y * maximum + 1/2): pixels are looked up. Alpha stays. A setting of one channel refuses gray pictures.
    """
  }
}

extension Pass {
  /// Makes a pass that looks samples of `format` up in tables of `source`. Alpha stays.
  package static func lookUp(in source: some ChannelTableSource, _ format: PixelFormat) -> Pass {
    lookUp(in: DepthTables(source: source, depth: format.depth), format, channels: 3)
  }

  /// Makes a pass that looks the first `channels` up, as many of them as `format` has.
  static func lookUp(in table: some PassTable, _ format: PixelFormat, channels: Int) -> Pass {
    let function = LookUpFunction(lookedUp: min(format.samplesPerPixel, channels))
    return Pass(function, inputs: [.source(.pixel), .table("table", table)])
  }
}

/// The tables of a source for one depth.
private struct DepthTables<Source: ChannelTableSource>: PassTable {
  let source: Source
  let depth: SampleDepth

  var size: Size { depth.tableSize }
  func entries() -> [UInt16] { source.tables(depth).entries() }
}

/// The outputs of a look-up table looked up in another; channels that the first leaves are its identity.
private struct FollowedTable: PassTable {
  let first, second: Pass.Table

  var size: Size { first.value.size }

  func entries() -> [UInt16] {
    let next = second.value.entries()
    return first.value.entries().enumerated().map { place, output in next[4 * Int(output) + place % 4] }
  }
}

/// `lookup.glsl`: looks the first channels up in a table.
struct LookUpFunction: BuiltInPassFunction {
  let lookedUp: Int

  var name: String { "lookup" }
  var constants: [ShaderAssembly.Constant] { [.init("LOOKED_UP", lookedUp)] }

  /// Two tables are one.
  func joined(_ pass: Pass, with next: Pass) -> Pass? {
    guard let other = next.function as? LookUpFunction, case .table(let table) = pass.inputs[1].resource,
      case .table(let second) = next.inputs[1].resource, table.value.size == second.value.size
    else { return nil }
    let function = LookUpFunction(lookedUp: max(lookedUp, other.lookedUp))
    let inputs = [pass.inputs[0], .table("table", FollowedTable(first: table, second: second))]
    return Pass(function, inputs: inputs, output: next.output)
  }

  func make(_ memory: PassMemory) {
    let table = unsafe memory.inputs[1].entries()
    let format = memory.output.pixelFormat
    if [.r8Unorm, .rgba8Unorm].contains(format), memory.inputs[0].pixelFormat == format {
      return unsafe makeBytes(memory, table)
    }
    switch (memory.inputs[0].pixelFormat.depth, format.depth) {
    case (.bits8, .bits16): return unsafe makeOthers(memory, UInt8.self, UInt16.self, table)
    case (.bits16, .bits8): return unsafe makeOthers(memory, UInt16.self, UInt8.self, table)
    default: break
    }
    // Channels that a format lacks are not stored.
    if lookedUp == 1 {
      walkPixels(memory) { pixel, _ in
        var made = pixel
        made.x = unsafe Int32(table[Int(pixel.x)].x)
        return made
      }
    } else if lookedUp == 4 {
      walkPixels(memory) { pixel, _ in
        unsafe SIMD4(
          Int32(table[Int(pixel.x)].x), Int32(table[Int(pixel.y)].y), Int32(table[Int(pixel.z)].z),
          Int32(table[Int(pixel.w)].w))
      }
    } else {
      walkPixels(memory) { pixel, _ in
        unsafe SIMD4(
          Int32(table[Int(pixel.x)].x), Int32(table[Int(pixel.y)].y), Int32(table[Int(pixel.z)].z), pixel.w)
      }
    }
  }

  /// Looks samples up whose outputs have another depth.
  private func makeOthers<Sample: UnsignedSample, Made: UnsignedSample>(
    _ memory: PassMemory, _ from: Sample.Type, _ to: Made.Type, _ table: UnsafePointer<SIMD4<UInt16>>
  ) {
    let (region, step) = (memory.region, memory.output.step)
    for y in region.y..<region.y + region.size.height {
      let made = unsafe memory.output.row(to, x: region.x, y: y, count: region.size.width)
      let samples = unsafe memory.inputs[0].row(from, x: region.x, y: y, count: region.size.width)
      for place in 0..<made.count {
        unsafe made[place] = Made(truncatingIfNeeded: table[Int(samples[place])][place % step])
      }
    }
  }

  /// Looks bytes up four at a time: the samples of a pixel, or four grays.
  private func makeBytes(_ memory: PassMemory, _ table: UnsafePointer<SIMD4<UInt16>>) {
    let (region, operations) = (memory.region, unsafe RowOperations.best)
    let isGray = memory.output.pixelFormat == .r8Unorm
    func entry(_ value: Int, _ channel: Int) -> UInt32 {
      if isGray { return unsafe UInt32(table[value].x & 255) }
      return channel < lookedUp ? unsafe UInt32(table[value][channel] & 255) : UInt32(value)
    }
    let tables = (0..<4).flatMap { channel in (0..<256).map { entry($0, channel) << UInt32(8 * channel) } }
    // Rows that follow each other in memory are one.
    let areWhole = [memory.output, memory.inputs[0]].allSatisfy { $0.region.size.width == region.size.width }
    let (count, rows) = areWhole ? (region.size.area, 1) : (region.size.width, region.size.height)
    let byteCount = count * memory.output.step
    for y in region.y..<region.y + rows {
      let made = unsafe memory.output.row(UInt8.self, x: region.x, y: y, count: count)
      let bytes = unsafe memory.inputs[0].row(UInt8.self, x: region.x, y: y, count: count)
      if let made = made.baseAddress, let bytes = bytes.baseAddress {
        unsafe operations.look_up_8(made, bytes, tables, byteCount / 4)
      }
      for rest in byteCount / 4 * 4..<byteCount { unsafe made[rest] = UInt8(tables[Int(bytes[rest])]) }
    }
  }
}

/// A kernel whose tables quantize a function, for all channels or for one.
public protocol ToneKernel: TableKernel {
  /// The channels that are changed.
  var channels: ToneChannels { get }

  /// Returns the output for `value`, both from 0 to 1.
  func output(_ value: Double) -> Double
}

extension ToneKernel {
  /// All by default.
  public var channels: ToneChannels { .all }

  /// The tables of ``output(_:)``.
  public func tables(_ depth: SampleDepth) -> ChannelTables {
    let table = SampleTable(quantizing: output, depth: depth)
    let other = channels == .all ? table : .identity(depth)
    return ChannelTables(
      red: channels == .red ? table : other, green: channels == .green ? table : other,
      blue: channels == .blue ? table : other)
  }

  /// True if the channels differ.
  public var makesColors: Bool { channels != .all }
}

/// The channels that a table changes.
public enum ToneChannels: String, Sendable, CaseIterable {
  /// Red, green and blue alike, or gray.
  case all
  /// Red alone.
  case red
  /// Green alone.
  case green
  /// Blue alone.
  case blue
}

extension ToneChannels: ParameterWord {
  /// The values by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.all, "all", "red, green and blue alike"), (.red, "red", "red alone, in pictures that have it"),
    (.green, "green", "green alone"), (.blue, "blue", "blue alone"),
  ]
}

extension ParameterBinding {
  /// The parameter `channels` of several kernels.
  static func toneChannels(_ property: any WritableKeyPath<Kernel, ToneChannels> & Sendable) -> Self {
    .choice("channels", "what is changed", property)
  }
}
