/// A luma that histograms count; the twin of `luma.glsl`, its number in `COUNTS_LUMA`.
enum CountedLuma: Int, Sendable {
  /// That of ITU-R BT.601.
  case bt601 = 1
  /// That of ffmpeg's histeq.
  case histeq = 2

  /// The luma of a pixel, below 2³² for samples up to 65535.
  @inline(__always)
  func luma(_ red: UInt32, _ green: UInt32, _ blue: UInt32) -> UInt32 {
    switch self {
    case .bt601: LumaWeights.bt601.luma(red, green, blue)
    case .histeq: (55 &* red &+ 182 &* green &+ 19 &* blue) >> 8
    }
  }
}
