/// The mixtures of two opaque colors, `f` of the frame and `s` of the second picture: `blend_modes.glsl` and
/// `blend_colors.glsl` in Swift. The formulas are on the card of ``ImageBlend``.
struct BlendMixture {
  typealias Color = SIMD4<UInt32>

  /// The greatest sample; no product exceeds its square.
  let maximum: UInt32

  /// A product divided by the greatest sample, halves up.
  @inline(__always) func divided(_ product: Color) -> Color { (product &+ maximum / 2) / maximum }

  /// The mixture by a mode; its fourth sample means nothing.
  @inline(__always) func of(_ f: Color, _ s: Color, by mode: ImageBlend.Mode) -> Color {
    switch mode {
    case .normal: s
    case .multiply: divided(f &* s)
    case .screen: f &+ s &- divided(f &* s)
    case .overlay: hardLight(s, f)
    case .darken: pointwiseMin(f, s)
    case .lighten: pointwiseMax(f, s)
    case .colorDodge: each(f, s, dodge)
    case .colorBurn: maximum &- each(maximum &- f, maximum &- s, dodge)
    case .hardLight: hardLight(f, s)
    case .softLight: each(f, s, softLight)
    case .difference: pointwiseMax(f, s) &- pointwiseMin(f, s)
    case .exclusion: divided(f &* (maximum &- s) &+ s &* (maximum &- f))
    case .hue: lit(s, saturation(f), luminosity(f))
    case .saturation: lit(f, saturation(s), luminosity(f))
    case .color: lit(s, saturation(s), luminosity(f))
    case .luminosity: lit(f, saturation(f), luminosity(s))
    }
  }

  private func each(_ f: Color, _ s: Color, _ mixture: (UInt32, UInt32) -> UInt32) -> Color {
    Color(mixture(f.x, s.x), mixture(f.y, s.y), mixture(f.z, s.z), 0)
  }

  /// A product where `s` is dark and a screen where it is light; the other term is 0, or `f`.
  private func hardLight(_ f: Color, _ s: Color) -> Color {
    let limit = Color(repeating: maximum)
    let light = pointwiseMax(2 &* s, limit) &- maximum
    return divided(f &* pointwiseMin(2 &* s, limit)) &+ light &- divided(f &* light)
  }

  private func dodge(_ f: UInt32, _ s: UInt32) -> UInt32 {
    let rest = maximum - s
    if rest == 0 { return min(f, 1) * maximum }
    return min((f * maximum + rest / 2) / rest, maximum)
  }

  private func softLight(_ f: UInt32, _ s: UInt32) -> UInt32 {
    func divided(_ product: UInt32) -> UInt32 { (product + maximum / 2) / maximum }
    if 2 * s <= maximum { return f - divided((maximum - 2 * s) * divided(f * (maximum - f))) }
    let lighter: UInt32
    if 4 * f <= maximum {
      let square = divided(4 * f * 4 * f)
      let cube = divided(square * 4 * f)
      lighter = 4 * f - (3 * square - cube + 2) / 4
    } else {
      lighter = root(f * maximum)
    }
    return f + divided((2 * s - maximum) * (lighter - f))
  }

  /// The root, rounded to the nearest. Numbers of 32 bits are exact in double precision, and so is the root's floor: a
  /// root below a whole number is at least 2⁻¹⁷ below it.
  private func root(_ square: UInt32) -> UInt32 {
    let found = UInt32(Double(square).squareRoot())
    return square - found * found > found ? found + 1 : found
  }

  /// The luminosity in hundredths of samples.
  private func luminosity(_ c: Color) -> UInt32 { 30 * c.x + 59 * c.y + 11 * c.z }

  private func least(_ c: Color) -> UInt32 { min(c.x, c.y, c.z) }
  private func most(_ c: Color) -> UInt32 { max(c.x, c.y, c.z) }
  private func saturation(_ c: Color) -> UInt32 { most(c) - least(c) }

  /// The color `c` with the luminosity `light`, and the saturation `spread` as far as there is room for it.
  private func lit(_ c: Color, _ spread: UInt32, _ light: UInt32) -> Color {
    let (least, most) = (least(c), most(c))
    let own = most - least
    let (below, above) = (luminosity(c) - 100 * least, 100 * most - luminosity(c))
    let dark = 100 * maximum - light
    func scaled(_ factor: Color, _ count: UInt32, _ total: UInt32) -> Color {
      var made = Color()
      for sample in 0..<3 {
        let product = UInt64(factor[sample]) * UInt64(count) + UInt64(total / 2)
        made[sample] = UInt32(truncatingIfNeeded: product / UInt64(total))
      }
      return made
    }
    func isLess(_ one: UInt32, _ other: UInt32) -> Bool { UInt64(one) * UInt64(own) < UInt64(spread) * UInt64(other) }
    if isLess(light, below) { return scaled(c &- least, light, below) }
    if isLess(dark, above) { return maximum &- scaled(most &- c, dark, above) }
    let even = ((c &- least) &* spread &+ own / 2) / max(own, 1)
    return ((100 &* even) &+ (light + 50 &- luminosity(even))) / 100
  }
}
