internal import SafelightGPU
internal import SafelightImage

/// A color for every color: a table in three dimensions, as `.cube` files hold them.
///
/// Entries are kept in 16 bits, `floor(clamp(e, 0, 1) · 65535 + 1/2)`.
public struct ColorCube: Hashable, Sendable {
  /// Entries along each axis, 2 to 129.
  public let size: Int
  /// Red, green and blue of each entry; red's axis is the fastest, then green's.
  public let entries: [UInt16]
  /// The color of the first entry; below ``domainMax`` in each channel.
  public let domainMin: SIMD3<Double>
  /// The color of the last entry. What lies outside is cut to the domain.
  public let domainMax: SIMD3<Double>

  /// The sizes that a cube can have.
  public static let sizes = 2...129

  /// Adopts `samples`, red, green and blue of each of `size³` entries from 0 to 1; traps on other sizes, and on a domain that does not
  /// rise from number to number.
  public init(
    size: Int, samples: [Double], domainMin: SIMD3<Double> = SIMD3(repeating: 0),
    domainMax: SIMD3<Double> = SIMD3(repeating: 1)
  ) {
    trap(unless: Self.sizes.contains(size), "a cube has 2 to 129 entries along an axis, not \(size)")
    trap(
      unless: samples.count == 3 * size * size * size,
      "a cube of \(size) needs \(3 * size * size * size) samples; \(samples.count) were given")
    for channel in 0..<3 {
      trap(
        unless: domainMin[channel] < domainMax[channel] && domainMin[channel].isFinite && domainMax[channel].isFinite,
        "a cube's domain must rise from number to number; \(domainMin[channel]) to \(domainMax[channel]) was given")
    }
    self.size = size
    self.domainMin = domainMin
    self.domainMax = domainMax
    entries = samples.map { sample in
      trap(unless: !sample.isNaN, "an entry of a cube is no number")
      return UInt16((min(max(sample, 0), 1) * 65535 + 0.5).rounded(.down))
    }
  }

  /// Whether positions are samples as they are.
  var hasWholeDomain: Bool { domainMin == SIMD3(repeating: 0) && domainMax == SIMD3(repeating: 1) }
}

extension ColorCube {
  /// The width of the texture that holds a cube: even the largest fits into 2048 rows of it.
  static let textureWidth = 2048

  /// What positions of samples rise to: the samples' maximum, unless a domain needs finer steps.
  static func scale(_ depth: SampleDepth, hasDomain: Bool) -> Int {
    depth == .bits16 ? 65535 : hasDomain ? 65280 : 255
  }

  /// The positions of a channel's samples in the domain.
  func positions(_ depth: SampleDepth, channel: Int) -> [UInt16] {
    let maximum = (1 << depth.rawValue) - 1
    let scale = Double(Self.scale(depth, hasDomain: true))
    let (least, greatest) = (domainMin[channel], domainMax[channel])
    return (0...maximum).map { value in
      let place = (Double(value) / Double(maximum) - least) / (greatest - least)
      return UInt16((min(max(place, 0), 1) * scale + 0.5).rounded(.down))
    }
  }
}

extension Texture {
  /// A cube as `color_cube.glsl` reads it.
  convenience init(_ cube: ColorCube) {
    let count = cube.size * cube.size * cube.size
    let rows = (count + ColorCube.textureWidth - 1) / ColorCube.textureWidth
    var samples = [UInt16](repeating: 0, count: rows * ColorCube.textureWidth * 4)
    for entry in 0..<count { for channel in 0..<3 { samples[4 * entry + channel] = cube.entries[3 * entry + channel] } }
    self.init(
      size: Size(ColorCube.textureWidth, rows), pixelFormat: .rgba16Uint,
      contents: unsafe samples.withUnsafeBytes { unsafe Array($0) }, label: "color cube")
  }
}
