import Safelight

/// Gaps in the numbers of frames, in words.
enum FrameGaps {
  /// How many of them are named.
  private static let named = 3

  /// `in/f4.png is missing`, `3 frames are missing: in/f4.png, …`.
  static func text(_ gaps: [FrameList.Gap]) -> String {
    if gaps.count == 1 { return "\(gaps[0].path) is missing between the frames" }
    let names = gaps.prefix(named).map(\.path).joined(separator: ", ")
    let rest = gaps.count > named ? " and \(gaps.count - named) more" : ""
    return "\(gaps.count) frames are missing between the others: \(names)\(rest)"
  }
}
