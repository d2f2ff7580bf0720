/// The weights of red, green and blue in a luma, in 1/65536 and with sum 65536.
public struct LumaWeights: Hashable, Sendable {
  /// Red's weight.
  public let red: UInt32
  /// Green's weight.
  public let green: UInt32
  /// Blue's weight.
  public let blue: UInt32

  /// ITU-R BT.601: 0.299, 0.587, 0.114.
  public static let bt601 = LumaWeights(red: 19595, green: 38470, blue: 7471)

  /// Quantises weights from 0 to 1, whose sum must be above 0, to 1/65536; green takes what rounding leaves.
  public init(_ red: Double, _ green: Double, _ blue: Double) {
    let sum = red + green + blue
    precondition(
      red >= 0 && green >= 0 && blue >= 0 && sum > 0 && sum.isFinite,
      "luma weights (\(red), \(green), \(blue)) must not be negative and need a positive sum")
    let red = UInt32((red / sum * 65536).rounded())
    let blue = min(UInt32((blue / sum * 65536).rounded()), 65536 - red)
    self.init(red: red, green: 65536 - red - blue, blue: blue)
  }

  private init(red: UInt32, green: UInt32, blue: UInt32) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// `(w.red·r + w.green·g + w.blue·b + 32768) >> 16`; below 2³² for samples up to 65535.
  @inline(__always)
  func luma(_ red: UInt32, _ green: UInt32, _ blue: UInt32) -> UInt32 {
    (self.red &* red &+ self.green &* green &+ self.blue &* blue &+ 32768) >> 16
  }
}
