/// Suggestions for a mistyped name.
package enum NearestNames {
  /// Returns at most three of the names most similar to `text`; empty if none is similar.
  ///
  /// A name is similar if fewer than about a third of its letters differ, or else if one begins with the other.
  package static func find(_ text: String, among names: [String]) -> [String] {
    let wanted = Array(text.lowercased().unicodeScalars)
    guard !wanted.isEmpty else { return [] }
    let scored = names.map { name in (name: name, distance: distance(wanted, Array(name.lowercased().unicodeScalars))) }
    let limit = max(1, (wanted.count + 1) / 3)
    let close = scored.filter { $0.distance <= limit }
    if let best = close.map(\.distance).min() {
      return Array(close.filter { $0.distance == best }.map(\.name).sorted().prefix(3))
    }
    // An abbreviation differs in many letters, yet names the same thing.
    guard wanted.count >= 2 else { return [] }
    let begun = names.filter { name in
      name.lowercased().hasPrefix(text.lowercased()) || text.lowercased().hasPrefix(name.lowercased())
    }
    return Array(begun.sorted().prefix(3))
  }

  /// Returns the optimal string alignment distance: the number of insertions, deletions, substitutions and swaps of
  /// neighbors that turn one word into the other.
  package static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
