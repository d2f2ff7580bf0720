import Safelight
import SafelightGolden

/// FLIP's maps for a page: of the first pictures that differ, because a map takes long.
struct FlipMaps {
  private static let most = 12
  private var left: Int

  /// For reports at `paths`, of which pages alone show maps.
  init(for paths: ReportPaths) { left = paths.hasPage ? Self.most : 0 }

  /// The map of `difference`; nil where no more are drawn.
  mutating func map(of difference: ImageDifference) -> Image? {
    guard left > 0 else { return nil }
    left -= 1
    return difference.flipPicture
  }
}

extension ImageDifference {
  /// FLIP's map in grey of 8 bits: white where an eye sees the most.
  var flipPicture: Image {
    Image(size: size, channels: .gray, depth: .bits8, bytes: flipMap().map { UInt8(($0 * 255).rounded()) })
  }
}
