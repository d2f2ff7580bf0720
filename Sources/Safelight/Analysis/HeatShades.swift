/// The shades of a heat map: parts of a whole by their logarithm, so that one in ten thousand is still seen beside one in ten.
package struct HeatShades {
  /// Shade 0 is nothing at all; from 1 on it is brighter the more there is.
  package static let count = 64
  /// From the faintest shade to the fullest is a factor of 10 to this power.
  static let decades = 3

  /// The fullest shade stands for one part in 10 to this power.
  package let tenths: Int
  private let bottom: Int
  private let span: Int

  /// Shades for `shares`, in parts of ``HistogramScale/whole``: at most one in a hundred of those that are not nothing goes beyond the
  /// fullest, so that a few frames of one colour leave the others their contrast.
  package init(_ shares: some Sequence<UInt64>) {
    var occupied = 0
    var beyond = [Int](repeating: 0, count: 3)
    for share in shares where share > 0 {
      occupied += 1
      for tenths in beyond.indices where share > HistogramScale.whole / Self.powers[tenths + 1] { beyond[tenths] += 1 }
    }
    tenths = beyond.firstIndex { $0 * 100 > occupied } ?? beyond.count
    let full = HistogramScale.whole / Self.powers[tenths]
    bottom = Self.logarithm(full / Self.powers[Self.decades])
    span = Self.logarithm(full) - bottom
  }

  /// The shade of a part: 0 for nothing, and nothing that occurs is fainter than 1.
  package func shade(_ share: UInt64) -> Int {
    guard share > 0 else { return 0 }
    let height = (Self.logarithm(share) - bottom) * (Self.count - 2) / span
    return min(Self.count - 1, max(0, height) + 1)
  }

  /// The colour of a shade: from the ground through the colour of the channel to near white.
  package static func color(_ shade: Int, of channel: HistogramSeries.Channel) -> DrawingColor {
    guard shade > 0 else { return .plot }
    let color = DrawingColor(channel)
    // The faintest stands out of the ground; the channel's own colour is at two thirds of the way.
    let knee = (count - 1) * 2 / 3
    return shade <= knee
      ? mixed(.grid, color, part: shade - 1, of: knee - 1)
      : mixed(color, DrawingColor(255, 250, 235), part: shade - knee, of: count - 1 - knee)
  }

  private static func mixed(_ a: DrawingColor, _ b: DrawingColor, part: Int, of whole: Int) -> DrawingColor {
    func mix(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8((Int(a) * (whole - part) + Int(b) * part + whole / 2) / whole) }
    return DrawingColor(mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue))
  }

  private static let powers: [UInt64] = [1, 10, 100, 1000]

  /// The logarithm to base 2 of a number above 0, in parts of 65536 and cut off; digit by digit, as no machine rounds it otherwise.
  package static func logarithm(_ value: UInt64) -> Int {
    let exponent = 63 - value.leadingZeroBitCount
    // From 1 to 2 in parts of 2³¹.
    var rest = exponent <= 31 ? value << UInt64(31 - exponent) : value >> UInt64(exponent - 31)
    var digits = exponent
    for _ in 0..<16 {
      rest = (rest * rest) >> 31
      digits <<= 1
      if rest >> 32 > 0 {
        rest >>= 1
        digits |= 1
      }
    }
    return digits
  }
}
