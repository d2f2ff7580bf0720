public import SafelightGPU
package import SafelightImage
internal import SafelightShaders

/// A kernel that looks colors up in a ``ColorCube``, between its entries by tetrahedra; Core Image's `CIColorCube`,
/// ffmpeg's `lut3d`.
///
/// The page Tone has the formula, which is exact except for one rounding: weights are parts of the maximum, and entries
/// have 16 bits in every depth. If the cube's domain is not 0 to 1, a table first makes positions of samples. Alpha
/// stays. The cube is uploaded to a device once.
public struct ImageColorCube: Sendable {
  /// The cube.
  public let cube: ColorCube
  private let textures = Memo<TiledTexture>()

  /// Makes the kernel.
  public init(device: Device, cube: ColorCube) { self.cube = cube }

  /// Records the kernel. Both textures need the same size and format, of four samples of 8 or 16 bits.
  public func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, pipeline: PipelineKind = .automatic
  ) {
    let format = source.pixelFormat
    trap(
      unless: PixelFormat.pointFormats.contains(format) && format.samplesPerPixel == 4,
      "a cube takes red, green, blue and alpha of 8 or 16 bits, not '\(source.label)' of \(format.rawValue); convert it first"
    )
    PassRecorder.record(
      [.lookUp(in: cube, format)], of: "color cube", from: source, to: destination, in: buffer, pipeline: pipeline,
      constants: textures)
  }
}

extension Pass {
  /// Makes a pass that looks colors of `format` up in `cube`.
  package static func lookUp(in cube: ColorCube, _ format: PixelFormat) -> Pass {
    let hasDomain = !cube.hasWholeDomain
    let positions = CubePositions(cube: cube, depth: format.depth)
    return Pass(
      CubeLookUp(hasDomain: hasDomain), uniforms: .words([cube.size, 0, 0, 0]),
      inputs: [.source(.pixel), .table("cube", CubeEntries(cube: cube))]
        + (hasDomain ? [.table("positions", positions)] : []))
  }
}

/// The entries of a cube as `color_cube.glsl` reads them.
private struct CubeEntries: PassTable {
  /// The largest cube fits into 2048 rows.
  private static let width = 2048

  let cube: ColorCube

  private var count: Int { cube.size * cube.size * cube.size }
  var size: Size { Size(Self.width, (count + Self.width - 1) / Self.width) }

  func entries() -> [UInt16] {
    var entries = [UInt16](repeating: 0, count: 4 * size.area)
    for entry in 0..<count {
      for channel in 0..<3 { entries[4 * entry + channel] = cube.entries[3 * entry + channel] }
    }
    return entries
  }
}

/// The positions of samples in a cube with a domain, laid out as a look-up table.
private struct CubePositions: PassTable {
  let cube: ColorCube
  let depth: SampleDepth

  var size: Size { depth.tableSize }

  func entries() -> [UInt16] {
    let channels = (0..<3).map { cube.positions(depth, channel: $0) }
    return (0..<size.area).flatMap { value in channels.map { $0[value] } + [0] }
  }
}

/// `color_cube.glsl`: looks colors up in a cube.
private struct CubeLookUp: BuiltInPassFunction {
  let hasDomain: Bool

  var name: String { "color_cube" }
  var constants: [ShaderAssembly.Constant] { [.init("HAS_DOMAIN", hasDomain)] }

  func make(_ memory: PassMemory) {
    let last = memory.uniforms[0] - 1
    let entries = unsafe memory.inputs[1].entries()
    @inline(__always) func walk(scale: UInt32, divisor: UInt32) {
      let cells = unsafe Cells(entries: entries, last: last, scale: scale, divisor: divisor)
      guard hasDomain else {
        return walkPixels(memory) { pixel, _ in
          let pixel = SIMD4<UInt32>(truncatingIfNeeded: pixel)
          return unsafe cells.color(pixel.x, pixel.y, pixel.z, alpha: Int32(truncatingIfNeeded: pixel.w))
        }
      }
      let positions = unsafe memory.inputs[2].entries()
      walkPixels(memory) { pixel, _ in
        unsafe cells.color(
          UInt32(positions[Int(pixel.x)].x), UInt32(positions[Int(pixel.y)].y), UInt32(positions[Int(pixel.z)].z),
          alpha: pixel.w)
      }
    }
    // A loop for each scale, in which divisions by it become multiplications.
    switch ColorCube.scale(memory.output.pixelFormat.depth, hasDomain: hasDomain) {
    case 255: walk(scale: 255, divisor: 65535)
    case 65280: walk(scale: 65280, divisor: 256 * 65535)
    default: walk(scale: 65535, divisor: 65535)
    }
  }

  /// The entries of a cube in memory, with the arithmetic of positions between them, whose sums 32 bits hold: see the
  /// shader.
  @unsafe private struct Cells {
    let entries: UnsafePointer<SIMD4<UInt16>>
    /// Entries along each axis, less one.
    let last: UInt32
    let scale: UInt32
    /// The scale times 65535, divided by the samples' maximum.
    let divisor: UInt32

    @inline(__always)
    func color(_ red: UInt32, _ green: UInt32, _ blue: UInt32, alpha: Int32) -> SIMD4<Int32> {
      let (r, g, b) = unsafe (red &* last, green &* last, blue &* last)
      let (cellR, cellG, cellB) = unsafe (r / scale, g / scale, b / scale)
      // The distance of the cell's entries along each axis; no entry follows the last, whose weight would be 0.
      let stepR: UInt32 = unsafe cellR < last ? 1 : 0
      let stepG = unsafe cellG < last ? last &+ 1 : 0
      let stepB = unsafe cellB < last ? (last &+ 1) &* (last &+ 1) : 0
      var (f1, s1) = unsafe (r &- cellR &* scale, stepR)
      var (f2, s2) = unsafe (g &- cellG &* scale, stepG)
      var (f3, s3) = unsafe (b &- cellB &* scale, stepB)
      if f1 < f2 { (f1, s1, f2, s2) = (f2, s2, f1, s1) }
      if f2 < f3 { (f2, s2, f3, s3) = (f3, s3, f2, s2) }
      if f1 < f2 { (f1, s1, f2, s2) = (f2, s2, f1, s1) }
      let e0 = unsafe cellR &+ (last &+ 1) &* (cellG &+ (last &+ 1) &* cellB)
      func weighted(_ weight: UInt32, _ entry: UInt32) -> SIMD4<UInt32> {
        unsafe weight &* SIMD4<UInt32>(truncatingIfNeeded: entries[Int(entry)])
      }
      var sum = unsafe weighted(scale &- f1, e0) &+ weighted(f1 &- f2, e0 &+ s1)
      sum = sum &+ weighted(f2 &- f3, e0 &+ s1 &+ s2) &+ weighted(f3, e0 &+ s1 &+ s2 &+ s3)
      func mixed(_ sum: UInt32) -> Int32 { unsafe Int32(truncatingIfNeeded: (sum &+ divisor / 2) / divisor) }
      return SIMD4(mixed(sum.x), mixed(sum.y), mixed(sum.z), alpha)
    }
  }
}

/// A table in three dimensions that maps colors to colors, as `.cube` files hold it.
///
/// Entries are kept in 16 bits, `floor(clamp(e, 0, 1) · 65535 + 1/2)`.
public struct ColorCube: Hashable, Sendable {
  /// The number of entries along each axis, from 2 to 129.
  public let size: Int
  /// Red, green and blue of each entry; red varies fastest, then green.
  public let entries: [UInt16]
  /// The color of the first entry; below ``domainMax`` in each channel.
  public let domainMin: SIMD3<Double>
  /// The color of the last entry. Colors outside are clamped to the domain.
  public let domainMax: SIMD3<Double>
  /// The curves that make the colors that are looked up of those of a picture; nil if they are the same.
  package let shaper: ChannelCurves?

  /// The possible sizes.
  public static let sizes = 2...129

  /// Adopts `samples`, red, green and blue of each of `size³` entries from 0 to 1. Traps on other sizes, and unless the
  /// domain rises between finite numbers.
  public init(
    size: Int, samples: [Double], domainMin: SIMD3<Double> = SIMD3(repeating: 0),
    domainMax: SIMD3<Double> = SIMD3(repeating: 1)
  ) { self.init(size: size, samples: samples, domainMin: domainMin, domainMax: domainMax, shaper: nil) }

  package init(
    size: Int, samples: [Double], domainMin: SIMD3<Double>, domainMax: SIMD3<Double>, shaper: ChannelCurves?
  ) {
    trap(unless: Self.sizes.contains(size), "a cube has 2 to 129 entries along an axis, not \(size)")
    trap(
      unless: samples.count == 3 * size * size * size,
      "a cube of \(size) needs \(3 * size * size * size) samples; \(samples.count) were given")
    for channel in 0..<3 {
      trap(
        unless: domainMin[channel] < domainMax[channel] && domainMin[channel].isFinite && domainMax[channel].isFinite,
        "a cube's domain must run from a number to a greater one; \(domainMin[channel]) to \(domainMax[channel]) was "
          + "given")
    }
    self.size = size
    self.domainMin = domainMin
    self.domainMax = domainMax
    self.shaper = shaper
    entries = samples.map { sample in
      trap(unless: !sample.isNaN, "an entry of a cube is not a number; replace NaN")
      return UInt16((min(max(sample, 0), 1) * 65535 + 0.5).rounded(.down))
    }
  }

  /// Hashes some of the entries, since there are many.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(size)
    hasher.combine(domainMin)
    hasher.combine(domainMax)
    for place in stride(from: 0, to: entries.count, by: max(1, entries.count / 64)) { hasher.combine(entries[place]) }
  }

  /// True if samples are positions without a table.
  var hasWholeDomain: Bool {
    shaper == nil && domainMin == SIMD3(repeating: 0) && domainMax == SIMD3(repeating: 1)
  }
}

extension ColorCube {
  /// Returns the greatest position: the samples' maximum, unless a domain needs finer steps.
  static func scale(_ depth: SampleDepth, hasDomain: Bool) -> Int {
    depth == .bits16 ? 65535 : hasDomain ? 65280 : 255
  }

  /// Returns the positions of a channel's samples in the domain, after the shaper.
  func positions(_ depth: SampleDepth, channel: Int) -> [UInt16] {
    let maximum = (1 << depth.rawValue) - 1
    let scale = Double(Self.scale(depth, hasDomain: true))
    let (least, greatest) = (domainMin[channel], domainMax[channel])
    return (0...maximum).map { value in
      let color = Double(value) / Double(maximum)
      let place = ((shaper?.output(color, channel) ?? color) - least) / (greatest - least)
      return UInt16((min(max(place, 0), 1) * scale + 0.5).rounded(.down))
    }
  }
}
