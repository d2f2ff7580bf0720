import ArgumentParser
import Safelight

/// The facts beside the samples that are compared.
enum ComparedFacts: String, ExpressibleByArgument, CaseIterable {
  /// The times of frames, of two films.
  case time
  /// None.
  case none
}

/// What the two sides of a comparison state besides their samples: where that differs, and what was not looked at.
struct FactFindings {
  /// A fact that differs, with the values of the first pair in which it does.
  struct Difference {
    let name: String
    let expected: String
    let actual: String
    /// The first pair; nil if the fact is that of whole films.
    let place: String?
    var others = 0
  }

  private(set) var differing: [Difference] = []
  /// The facts that were not compared, each with the first file that has one.
  private(set) var unseen: [(what: String, first: String, others: Int)] = []

  /// True if times differ, the only fact that decides anything.
  var fails: Bool { differing.contains { $0.name == Self.time } }
  private static let time = "time"

  /// Adds what both sides of a pair state, or both films if `place` is nil.
  ///
  /// None are compared unless the two are alike: a film and pictures state their facts in different ways.
  mutating func add(
    _ expected: (facts: StatedFacts, name: String), _ actual: (facts: StatedFacts, name: String), place: String?,
    areAlike: Bool = true
  ) {
    for side in [expected, actual] {
      for what in side.facts.unseen { ignore(what, of: side.name) }
      // Luma and chroma have become red, green and blue by these.
      let own = side.facts.values.keys.filter { !["matrix", "range"].contains($0) }
      if !areAlike { for what in own.sorted() { ignore(what, of: side.name) } }
    }
    guard areAlike, expected.facts != actual.facts else { return }
    let (before, after) = (expected.facts.values, actual.facts.values)
    // A matrix means nothing to red, green and blue.
    let isOfColors = before["matrix"] == nil || after["matrix"] == nil
    for name in Set(before.keys).union(after.keys).sorted() where before[name] != after[name] {
      if isOfColors && ["matrix", "range"].contains(name) { continue }
      add(name, before[name] ?? "none", after[name] ?? "none", place)
    }
  }

  /// Adds the times of a pair of frames, which differ.
  mutating func add(times expected: Double, _ actual: Double, place: String) {
    add(Self.time, "\(expected.microseconds) s", "\(actual.microseconds) s", place)
  }

  /// Adds how long the last frames of two films are shown, which differs.
  mutating func add(lastDurations expected: Double, _ actual: Double) {
    add("duration of the last frame", "\(expected.microseconds) s", "\(actual.microseconds) s", nil)
  }

  /// Adds something that was not looked at in the file `name`.
  mutating func ignore(_ what: String, of name: String) {
    guard let known = unseen.firstIndex(where: { $0.what == what }) else { return unseen.append((what, name, 0)) }
    if unseen[known].first != name { unseen[known].others += 1 }
  }

  private mutating func add(_ name: String, _ expected: String, _ actual: String, _ place: String?) {
    if let known = differing.firstIndex(where: { $0.name == name }) {
      differing[known].others += 1
    } else {
      differing.append(Difference(name: name, expected: expected, actual: actual, place: place))
    }
  }

  /// `besides the samples: transfer differs (bt709, pq); not compared: further pages of a.tif`; nil if there is nothing
  /// to say.
  var text: String? {
    let facts = differing.map { fact in
      let others = fact.others == 0 ? "" : " and \(fact.others) more"
      let place = fact.place.map { "\($0)\(others)" }
      // Profiles are long, and no text.
      let isShort = fact.expected.count <= 24 && fact.actual.count <= 24
      let values = isShort ? "\(fact.expected), \(fact.actual)" : nil
      let details = [values, place].compactMap { $0 }.joined(separator: "; ")
      return "\(fact.name) differs" + (details.isEmpty ? "" : " (\(details))")
    }
    let ignored = unseen.map { "\($0.what) of \($0.first)" + ($0.others == 0 ? "" : " and \($0.others) more") }
    let parts =
      (facts.isEmpty ? [] : ["besides the samples: " + facts.joined(separator: ", ")])
      + (ignored.isEmpty ? [] : ["not compared: " + ignored.joined(separator: ", ")])
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// The member of a JSON report.
  var json: JSONObject {
    [
      "differing": differing.map {
        ["name": $0.name, "expected": $0.expected, "actual": $0.actual, "first": $0.place, "pairs": $0.others + 1]
          as JSONObject
      },
      "notCompared": unseen.map { ["what": $0.what, "first": $0.first, "files": $0.others + 1] as JSONObject },
    ]
  }
}

/// The times of two films' frames, each counted from its first frame.
struct VideoTimes {
  /// One tick of the coarser clock, in seconds. Times that were rounded to it lie within half a tick of the true ones,
  /// and so do those of the first frame, from which all are counted: together they move by less than a tick. A clock
  /// that ticks once a frame, as in Y4M, is exact.
  private let tick: Double
  private var first: (expected: MediaTime, actual: MediaTime)?
  /// The least and the greatest difference so far.
  private var least = 0.0
  private var greatest = 0.0

  init(_ expected: VideoFormat, _ actual: VideoFormat) {
    tick = [expected, actual].map { $0.frameDuration == $0.timeBase ? 0 : $0.timeBase.seconds }.reduce(0, max)
  }

  /// Returns true if two durations are equal within the ticks that both of their ends were rounded to.
  func areEqual(durations expected: MediaTime, _ actual: MediaTime) -> Bool {
    abs(expected.seconds - actual.seconds) < max(1.5 * tick, 1e-9)
  }

  /// Returns the times of a pair in seconds if they differ.
  mutating func difference(_ expected: MediaTime, _ actual: MediaTime) -> (expected: Double, actual: Double)? {
    let start = first ?? (expected, actual)
    first = start
    let times = (expected.seconds - start.expected.seconds, actual.seconds - start.actual.seconds)
    let difference = times.1 - times.0
    // A thousandth for what doubles lose; clocks of films divide a tick of a coarser one by less.
    guard max(greatest, difference) - min(least, difference) < max(0.999 * tick, 1e-9) else { return times }
    (least, greatest) = (min(least, difference), max(greatest, difference))
    return nil
  }
}

extension Double {
  /// The number rounded to six decimals.
  fileprivate var microseconds: String { DecimalText.text((self * 1_000_000).rounded() / 1_000_000) }
}
