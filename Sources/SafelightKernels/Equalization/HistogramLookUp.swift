internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders
internal import Synchronization

/// The table of a kernel of two steps, which a transform fills and a look-up reads; it stays until the next transform.
final class TransformTable: Sendable {
  private let name: String
  private let texture: Texture
  private let transformed = Mutex<PixelFormat?>(nil)

  init(_ size: Size, name: String) {
    self.name = name
    texture = Texture(size: size, pixelFormat: .rgba16Uint, label: "\(name) table")
  }

  /// Returns the place that a transform of pictures of `format` fills, and notes that it is recorded.
  func placeToFill(for format: PixelFormat) -> PassStorage {
    trap(
      unless: PixelFormat.pointFormats.contains(format),
      "\(name) takes pictures of 8 and 16 bits, not \(format.rawValue); convert them first")
    transformed.withLock { $0 = format }
    return .picture(TiledTexture(texture))
  }

  /// Records the look-up of `source` in table 0 of a kernel's passes; traps unless the last transform was of pictures
  /// of its format.
  func encodeLookUp(of source: Texture, to destination: Texture, by recorder: PassRecorder) {
    let format = source.pixelFormat
    trap(
      unless: transformed.withLock { $0 } == format,
      "\(name) of \(format.rawValue) needs a transform of that format; call encodeTransform first")
    recorder.encode(
      [.result(0)],
      [
        .picture: .picture(TiledTexture(source)), .result(0): .picture(TiledTexture(destination)),
        .madeTable(0): .picture(TiledTexture(texture)),
      ])
  }
}

extension Pass {
  /// The size of a table that is made of a histogram: 256 columns, entries / 256 rows, a channel for each plane; below
  /// them the marks of planes that stay as they are.
  static func transformTableSize(entries: Int) -> Size { Size(256, entries / 256 + 1) }

  /// Makes a pass that looks pixels of `picture` up in table 0, which a transform made of a histogram that `info`
  /// describes.
  package static func equalized(_ info: HistogramInfo, _ picture: PassPicture) -> Pass {
    let format = picture.pixelFormat
    let inputs: [Input] = [.source(.pixel), .madeTable("table", 0)]
    if info.channels == .histeqLuma { return Pass(LevelLookUp(isGray: format.samplesPerPixel < 4), inputs: inputs) }
    let bins = HistogramBins(info, format)
    let (planes, usesLuma) = (info.planes(for: format), info.luma(of: format) != nil)
    if bins.areValues && !usesLuma { return Pass(LookUpFunction(lookedUp: planes), inputs: inputs) }
    return Pass(
      EqualizationLookUp(planes: planes, entries: bins.entries, areValues: bins.areValues, usesLuma: usesLuma),
      uniforms: bins.uniforms, inputs: inputs)
  }
}

/// `equalization_apply.glsl`: looks samples or lumas up in a table.
private struct EqualizationLookUp: BuiltInPassFunction {
  let planes: Int
  let entries: Int
  let areValues: Bool
  let usesLuma: Bool

  var name: String { "equalization_apply" }
  var constants: [ShaderAssembly.Constant] {
    [
      .init("ENTRIES", entries), .init("BINS", areValues ? 0 : 1), .init("HAS_THRESHOLD", false),
      .init("PLANES", planes), .init("COUNTS_LUMA", usesLuma),
    ]
  }

  func make(_ memory: PassMemory) {
    let table = unsafe memory.inputs[1].entries()
    let block = areValues ? nil : memory.block(BinsBlock.self)
    let bins = HistogramBins(entries: entries, range: block.map { ($0.lowest, $0.highest) })
    let marks = unsafe table[entries]
    if usesLuma {
      walkPixels(memory) { pixel, kind in
        let luma = LumaWeights.bt601.luma(UInt32(pixel.x), UInt32(pixel.y), UInt32(pixel.z))
        let bin = bins.bin(luma, plane: 0)
        let equalized = unsafe !bins.areValues && marks.x != 0 ? Int32(luma) : Int32(table[bin].x)
        let shift = equalized - Int32(truncatingIfNeeded: luma)
        var made = (pixel &+ SIMD4(repeating: shift)).clamped(
          lowerBound: SIMD4<Int32>(), upperBound: SIMD4(repeating: kind.maximum))
        made.w = pixel.w
        return made
      }
    } else {
      walkPixels(memory) { pixel, _ in
        var made = pixel
        for plane in 0..<planes where marks[plane] == 0 {
          made[plane] = unsafe Int32(table[bins.bin(UInt32(pixel[plane]), plane: plane)][plane])
        }
        return made
      }
    }
  }
}

/// `equalization_gain.glsl`: looks up levels for the luma of ffmpeg's histeq.
private struct LevelLookUp: BuiltInPassFunction {
  let isGray: Bool

  var name: String { "equalization_gain" }
  var constants: [ShaderAssembly.Constant] { [.init("COUNTS_LUMA", isGray ? 0 : CountedLuma.histeq.rawValue)] }

  func make(_ memory: PassMemory) {
    let table = LevelTable(memory.inputs[1])
    walkPixels(memory) { pixel, _ in
      let color = SIMD4<UInt32>(truncatingIfNeeded: pixel)
      var result = color
      if isGray {
        result.x = table.atLevel(SIMD4(repeating: color.x), color.x).x
      } else {
        result = table.atLevel(color, CountedLuma.histeq.luma(color.x, color.y, color.z))
        result.w = color.w
      }
      return SIMD4(truncatingIfNeeded: result)
    }
  }
}

/// The levels for lumas in a table that was made by ``ImageHistogramEqualization/Rule/ffmpeg``.
private struct LevelTable {
  /// The levels, negative ones in two's complement.
  private let levels: [UInt32]
  private let isEmpty: Bool

  init(_ table: PictureMemory) {
    let entries = unsafe table.entries()
    levels = (0..<256).map { luma in unsafe UInt32(bitPattern: Int32(Int16(bitPattern: entries[luma].x))) }
    isEmpty = unsafe entries[256].x != 0
  }

  /// Returns `color` with its `luma` at the level of the table, with products modulo 2³² like ffmpeg's.
  @inline(__always)
  func atLevel(_ color: SIMD4<UInt32>, _ luma: UInt32) -> SIMD4<UInt32> {
    if luma == 0 { return isEmpty ? color : .zero }
    let level = levels[Int(luma)]
    let brightest = max(color.x, color.y, color.z)
    if Int32(bitPattern: level) >= 0 && brightest &* level / luma > 255 { return color &* 255 / brightest }
    return (color &* level / luma) & 255
  }
}
