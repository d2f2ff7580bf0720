public import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// A kernel that looks colors up in a ``ColorCube``, between its entries by tetrahedra; Core Image's `CIColorCube`,
/// ffmpeg's `lut3d`.
///
/// The page Tone has the formula, which is exact except for one rounding: weights are parts of the maximum, and entries
/// have 16 bits in every depth. If the cube's domain is not 0 to 1, a table first makes positions of samples. Alpha
/// stays. Cubes are uploaded to a device once.
public struct ImageColorCube: Sendable {
  /// The cube.
  public let cube: ColorCube
  private let entries: Texture
  private let positions = Memo<Texture>()

  /// Makes the kernel.
  public init(device: Device, cube: ColorCube) {
    self.cube = cube
    entries = cube.texture
  }

  /// Records the kernel. Both textures need the same size and format, of four samples of 8 or 16 bits.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    let format = source.pixelFormat
    trap(
      unless: CubeLookUp.takes(format),
      "a cube takes red, green, blue and alpha of 8 or 16 bits, not '\(source.label)' of \(format.rawValue); convert it first"
    )
    let hasDomain = !cube.hasWholeDomain
    var bindings = Bindings()
    bindings.textures[2] = entries
    if hasDomain {
      bindings.textures[3] = positions.value(format.depth) {
        let planes = (0..<3).map { cube.positions(format.depth, channel: $0) }
        return Texture(tables: planes + [planes[0]], label: "positions in a cube")
      }
    }
    bindings.setBytes(SIMD4<UInt32>(UInt32(cube.size), 0, 0, 0), index: 4)
    CubeLookUp(format: format, hasDomain: hasDomain).forms
      .encode(to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: "color cube")
  }
}

/// `color_cube.glsl`: looks colors up in a cube.
struct CubeLookUp: PointFunction {
  var format: PixelFormat
  var hasDomain: Bool

  fileprivate static func takes(_ format: PixelFormat) -> Bool {
    PixelFormat.pointFormats.contains(format) && format.samplesPerPixel == 4
  }

  static let shaders = [ShaderSource.colorCube]
  var constants: [ShaderAssembly.Constant] { [.init("HAS_DOMAIN", hasDomain)] }
  var arguments: [ShaderArgument] { [.sampledTexture(2)] + (hasDomain ? [.sampledTexture(3)] : []) + [.bytes(4)] }

  static func captured(_ call: CapturedCall, _ format: PixelFormat) -> Self? {
    guard Self.takes(format), let hasDomain = call[isSet: "HAS_DOMAIN"], let cube = call.texture(2),
      let size = call.words(4).first.map({ Int($0) }), ColorCube.sizes.contains(size),
      cube.pixelFormat == .rgba16Uint, cube.size.width == ColorCube.textureWidth, cube.size.area >= size * size * size
    else { return nil }
    if hasDomain {
      let scale = ColorCube.scale(format.depth, hasDomain: true)
      guard call.hasTable(3, rows: format.depth.tableRows),
        unsafe call.arguments.texture(3).withSamples(of: UInt16.self, { unsafe $0.allSatisfy { $0 <= scale } })
      else { return nil }
    }
    return Self(format: format, hasDomain: hasDomain)
  }

  func paint(_ arguments: TwinArguments, _ source: TextureMemory, _ destination: TextureMemory) {
    let size = Int(arguments.words(4)[0])
    unsafe arguments.texture(2).withSamples(of: UInt16.self) { entries in
      let scale = ColorCube.scale(format.depth, hasDomain: hasDomain)
      let cells = unsafe Cells(
        entries: entries, steps: (4, 4 * size, 4 * size * size), last: size - 1, scale: scale,
        divisor: scale * 65535 / format.maximum)
      guard hasDomain else {
        return walkPixels(from: source, to: destination) { pixel, _ in
          unsafe cells.color(Int(pixel.x), Int(pixel.y), Int(pixel.z), alpha: pixel.w)
        }
      }
      unsafe arguments.texture(3).withSamples(of: UInt16.self) { positions in
        walkPixels(from: source, to: destination) { pixel, _ in
          unsafe cells.color(
            Int(positions[4 * Int(pixel.x)]), Int(positions[4 * Int(pixel.y) + 1]),
            Int(positions[4 * Int(pixel.z) + 2]), alpha: pixel.w)
        }
      }
    }
  }

  /// The entries of a cube in memory, with the arithmetic of positions between them.
  @unsafe private struct Cells {
    let entries: UnsafeBufferPointer<UInt16>
    /// Samples from one entry to the next, along each axis.
    let steps: (red: Int, green: Int, blue: Int)
    let last: Int
    let scale: Int
    let divisor: Int

    @inline(__always)
    func color(_ red: Int, _ green: Int, _ blue: Int, alpha: Int32) -> SIMD4<Int32> {
      let (r, g, b) = unsafe (red * last, green * last, blue * last)
      let (cellR, cellG, cellB) = unsafe (r / scale, g / scale, b / scale)
      let (partR, partG, partB) = unsafe (r - cellR * scale, g - cellG * scale, b - cellB * scale)
      // No entry follows the last; its weight would be 0.
      let stepR = unsafe cellR < last ? steps.red : 0
      let stepG = unsafe cellG < last ? steps.green : 0
      let stepB = unsafe cellB < last ? steps.blue : 0
      var (f1, f2, f3) = (partR, partG, partB)
      var (s1, s2, s3) = (stepR, stepG, stepB)
      if f1 < f2 { swap(&f1, &f2); swap(&s1, &s2) }
      if f2 < f3 { swap(&f2, &f3); swap(&s2, &s3) }
      if f1 < f2 { swap(&f1, &f2); swap(&s1, &s2) }
      let e0 = unsafe cellR * steps.red + cellG * steps.green + cellB * steps.blue
      let e1 = e0 + s1
      let e2 = e1 + s2
      let e3 = e2 + s3
      let w0 = unsafe scale - f1
      func mixed(_ channel: Int) -> Int32 {
        let sum =
          unsafe w0 * Int(entries[e0 + channel]) + (f1 - f2) * Int(entries[e1 + channel])
          + (f2 - f3) * Int(entries[e2 + channel]) + f3 * Int(entries[e3 + channel])
        return unsafe Int32((sum + divisor / 2) / divisor)
      }
      return SIMD4(mixed(0), mixed(1), mixed(2), alpha)
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

  /// True if samples are positions without a table.
  var hasWholeDomain: Bool {
    shaper == nil && domainMin == SIMD3(repeating: 0) && domainMax == SIMD3(repeating: 1)
  }
}

extension ColorCube {
  /// The width of the texture that holds a cube; the largest cube fits into 2048 rows.
  static let textureWidth = 2048

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

  /// The texture of the cube as `color_cube.glsl` reads it, made anew.
  fileprivate var texture: Texture {
    let count = size * size * size
    let rows = (count + Self.textureWidth - 1) / Self.textureWidth
    var samples = [UInt16](repeating: 0, count: rows * Self.textureWidth * 4)
    for entry in 0..<count { for channel in 0..<3 { samples[4 * entry + channel] = entries[3 * entry + channel] } }
    return Texture(
      size: Size(Self.textureWidth, rows), pixelFormat: .rgba16Uint,
      contents: unsafe samples.withUnsafeBytes { unsafe Array($0) }, label: "color cube")
  }
}
