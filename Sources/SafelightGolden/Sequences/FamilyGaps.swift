import SafelightFrames
import SafelightImage

/// Numbers that both sides skip among pictures that pair by their names: `f3.png` where there are `f2.png`, `f4.png` and `cover.png`.
enum FamilyGaps {
  /// The pictures of one folder whose names are alike but for their numbers.
  private struct Family: Hashable {
    let folder: String
    let shape: String

    init(_ place: String) {
      let parts = PathParts(place)
      folder = parts.prefix
      shape = parts.name.split { ("0"..."9").contains($0) }.joined(separator: "#")
    }
  }

  /// The files that neither side has, in the order of the expected pictures; `key` is the name by which a picture pairs.
  static func all(
    expected: [Frame], actual: [Frame], by key: (Frame) -> String
  ) throws(SafelightError) -> [FramePairing.Unpaired] {
    let others = Dictionary(grouping: actual.map(key), by: Family.init)
    let families = Dictionary(grouping: expected) { Family(key($0)) }
    var known: Set<Family> = []
    var gaps: [FramePairing.Unpaired] = []
    for family in expected.map({ Family(key($0)) }) where known.insert(family).inserted {
      let frames = families[family] ?? []
      let keys = Set(frames.map(key)).union(others[family] ?? [])
      let folder = frames.first.map { PathParts($0.path).prefix } ?? ""
      let names = NaturalOrder.sorted(keys.map { PathParts($0).name })
      gaps += try FrameNumbering.gaps(among: names, literally: true).map {
        FramePairing.Unpaired(path: folder + $0.name, why: "neither side has it")
      }
    }
    return gaps
  }
}
