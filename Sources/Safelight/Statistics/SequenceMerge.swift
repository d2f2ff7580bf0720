internal import SafelightFrames
package import SafelightImage
internal import SafelightKernels

/// The parts of one sequence, joined: tables for the whole sequence, for each shot, or for each frame.
package struct SequenceMerge {
  /// The frames that share a table.
  package enum Scope: Hashable, Sendable {
    /// All of them.
    case sequence
    /// Those between two scene cuts.
    case shot
    /// Each frame has its own, from the sum of this many frames around it in its shot.
    case frames(Int)
  }

  private let parts: [SequenceCounts]
  private let header: SequenceHeader

  /// Joins the files at `paths`, in any order.
  ///
  /// - Throws: ``SafelightError`` of kind `input` unless the parts belong to one sequence, were counted alike, and have
  ///   each frame once.
  package init(_ paths: [String]) throws(SafelightError) {
    var parts: [SequenceCounts] = []
    for path in paths { parts.append(try SequenceCounts(reading: path)) }
    guard let first = parts.first else {
      throw SafelightError(.usage, "merge", why: "no file of counts is named", remedy: "name those of all parts")
    }
    for part in parts { try Self.check(part, belongsWith: first) }
    self.parts = parts.filter { $0.header.count > 0 }.sorted { $0.places.lowerBound < $1.places.lowerBound }
    guard let header = self.parts.first?.header else {
      throw SafelightError(
        .input, first.path, why: "no part has a frame", remedy: "name the files of counts of the other parts too")
    }
    self.header = header
    for part in self.parts { try Self.check(part, isLike: self.parts[0]) }
    try checkCoverage()
  }

  private static func check(_ part: SequenceCounts, belongsWith first: SequenceCounts) throws(SafelightError) {
    let (header, other) = (part.header, first.header)
    try ensure(
      header.sequence == other.sequence && header.frames == other.frames, .input, part.path,
      why: "it is of another sequence than \(first.path): the names of their frames differ",
      remedy: "merge the parts of each sequence apart")
    try ensure(
      header.channels == other.channels, .input, part.path,
      why: "it counts channels=\(header.channels.rawValue), but \(first.path) channels=\(other.channels.rawValue)",
      remedy: "analyze all parts with the same channels")
    let pixels = [header.pixels, other.pixels].map { ($0 ?? .all).rawValue }
    try ensure(
      header.pixels == other.pixels, .input, part.path,
      why: "it counts counts=\(pixels[0]), but \(first.path) counts=\(pixels[1])",
      remedy: "analyze all parts with the same counts")
  }

  private static func check(_ part: SequenceCounts, isLike first: SequenceCounts) throws(SafelightError) {
    try ensure(
      part.header.depth == first.header.depth, .input, part.path,
      why: "its frames have other bits a sample than those of \(first.path)", remedy: "analyze such frames apart")
    try ensure(
      part.header.planes == first.header.planes, .input, part.path,
      why: "only one of it and \(first.path) is of gray frames",
      remedy: "analyze such frames apart, or count their luma")
  }

  private func checkCoverage() throws(SafelightError) {
    var next = 0
    var last: SequenceCounts?
    for part in parts {
      if part.places.lowerBound < next, let last {
        let twice = part.places.lowerBound..<min(next, part.places.upperBound)
        throw SafelightError(
          .input, part.path, why: "\(Self.text(twice)) in \(last.path) too", remedy: "leave one of the two files out")
      }
      try refuse(missing: next..<part.places.lowerBound)
      (next, last) = (part.places.upperBound, part)
    }
    try refuse(missing: next..<header.frames)
  }

  private func refuse(missing places: Range<Int>) throws(SafelightError) {
    try ensure(
      places.isEmpty, .input, "merge",
      why: "\(Self.text(places)) in none of the files, of the \(header.frames) of the sequence",
      remedy: "name the files of counts of all parts")
  }

  /// `frame 7 is` or `frames 7 to 9 are`; people count from 1.
  private static func text(_ places: Range<Int>) -> String {
    places.count == 1
      ? "frame \(places.lowerBound + 1) is" : "frames \(places.lowerBound + 1) to \(places.upperBound) are"
  }

  /// The number of frames of the sequence.
  package var frames: Int { header.frames }

  /// Writes the tables of `scope` to the file at `path`; a scene is cut where more than the share `cut` of the samples
  /// move to another group of values, as in `equalize=smooth=`. Returns the number of tables.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if the frames around one would take more than 512 MiB.
  package func writeTables(_ scope: Scope, cut: Double, to path: String) throws -> Int {
    var writer = try SequenceTablesWriter(path: path, header)
    switch scope {
    case .sequence:
      var sum = noCounts
      for part in parts { Self.add(try part.totals(), to: &sum) }
      try writer.add(sum, from: 0)
    case .shot: try writeShots(CutWatch(cut, planes: header.planes), &writer)
    case .frames(let length): try writeTables(around: length, CutWatch(cut, planes: header.planes), &writer)
    }
    return try writer.finish()
  }

  private var noCounts: [UInt64] { [UInt64](repeating: 0, count: parts[0].countsPerFrame) }

  private static func add(_ counts: [some FixedWidthInteger], to sum: inout [UInt64]) {
    for (index, count) in counts.enumerated() { sum[index] += UInt64(count) }
  }

  private func writeShots(_ watch: CutWatch, _ writer: inout SequenceTablesWriter) throws {
    var watch = watch
    var (first, place, sum) = (0, 0, noCounts)
    for part in parts {
      try part.forEachFrame { counts, area in
        if watch.begins(with: counts, area), place > 0 {
          try writer.add(sum, from: first)
          (first, sum) = (place, noCounts)
        }
        Self.add(counts, to: &sum)
        place += 1
      }
    }
    try writer.add(sum, from: first)
  }

  /// Writes a table for each frame from `length` frames around it: `(length − 1) / 2` before and `length / 2` after,
  /// as far as its shot goes.
  private func writeTables(around length: Int, _ watch: CutWatch, _ writer: inout SequenceTablesWriter) throws {
    let most = (1 << 29) / (parts[0].countsPerFrame * 4)
    try ensure(
      min(length, header.frames) <= most, .limit, "merge",
      why: "the histograms of \(length) frames take more than 512 MiB",
      remedy: "smooth over at most \(most) frames, or make a table for each shot")
    var watch = watch
    let (before, after) = ((length - 1) / 2, length / 2)
    // The frames of the shot that may still be needed, the first of them at place `oldest`.
    var kept: [[UInt32]] = []
    var (oldest, next, place) = (0, 0, 0)
    var sum = noCounts
    /// Writes the table of the frame at `next`; the sum has all frames of its window, and those that leave it now.
    func writeNext() throws {
      while oldest < next - before {
        for (index, count) in kept.removeFirst().enumerated() { sum[index] -= UInt64(count) }
        oldest += 1
      }
      try writer.add(sum, from: next)
      next += 1
    }
    for part in parts {
      try part.forEachFrame { counts, area in
        if watch.begins(with: counts, area) {
          while next < place { try writeNext() }
          (kept, oldest, sum) = ([], place, noCounts)
        }
        kept.append(counts)
        Self.add(counts, to: &sum)
        place += 1
        if place > next + after { try writeNext() }
      }
    }
    while next < place { try writeNext() }
  }
}

/// Finds scene cuts in histograms by the rule of ``TemporalHistogram``.
struct CutWatch {
  /// In 1/65536.
  private let cut: UInt64
  private let planes: Int
  private var groups: [UInt64] = []
  /// The pixels of the last frame; nil before the first.
  private var area: UInt64?

  init(_ cut: Double, planes: Int) {
    self.cut = UInt64((cut * 65536).rounded())
    self.planes = planes
  }

  /// Takes the histogram of the next frame, plane after plane, and the number of its pixels; returns true if it begins
  /// a shot. The first frame does, and so does one of another size.
  mutating func begins(with counts: [UInt32], _ area: UInt64) -> Bool {
    let length = counts.count / planes / 64
    let now = (0..<planes * 64).map { group in
      counts[group * length..<(group + 1) * length].reduce(UInt64(0)) { $0 + UInt64($1) }
    }
    defer { (groups, self.area) = (now, area) }
    guard self.area == area else { return true }
    let samples = now.reduce(0, +) + groups.reduce(0, +)
    let distance = zip(now, groups).reduce(UInt64(0)) { $0 + (max($1.0, $1.1) - min($1.0, $1.1)) }
    return distance * 65536 > samples * cut
  }
}
