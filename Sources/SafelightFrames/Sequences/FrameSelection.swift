public import SafelightImage

/// Which frames of a list to take: `1-10,20-40:2` are the first ten, and every second from the 20th to the 40th; `7-` is
/// all from the seventh on.
///
/// Positions count from 1 in the ordered list, whatever numbers stand in the files' names.
public struct FrameSelection: Hashable, Sendable, CustomStringConvertible {
  private struct Span: Hashable, Sendable {
    let first: Int
    /// `Int.max` where it goes on to the end of the list.
    let last: Int
    let step: Int

    /// The last place that must be there.
    var needed: Int { last == .max ? first : last }
  }

  private let spans: [Span]
  /// The selection as it was written.
  public let description: String

  /// Reads a selection: positions `7`, ranges `1-10` and `7-`, and ranges with a step `20-40:2`, separated by commas.
  ///
  /// Throws a ``SafelightError`` of kind `usage` for anything else.
  public init(_ text: String) throws {
    self.description = text
    self.spans = try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      try Self.span(part, in: text)
    }
  }

  /// The highest place that can be chosen, from 0.
  public var last: Int { (spans.map(\.last).max() ?? 0) - 1 }

  /// True where one frame is chosen, however often.
  public var isSingle: Bool { spans.allSatisfy { $0.last - $0.first < $0.step && $0.first == spans[0].first } }

  /// True where `place`, from 0, is chosen.
  public func contains(_ place: Int) -> Bool {
    spans.contains { ($0.first...$0.last).contains(place + 1) && (place + 1 - $0.first) % $0.step == 0 }
  }

  /// The chosen places of a list of `count` frames, from 0, in ascending order, each once.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where the list is shorter than the selection.
  public func indices(count: Int) throws -> [Int] {
    try check(count: count)
    let places = spans.flatMap { stride(from: $0.first, through: min($0.last, count), by: $0.step) }
    return Set(places).sorted().map { $0 - 1 }
  }

  /// Throws a ``SafelightError`` of kind `missingInput` where `count` frames are fewer than the selection reaches.
  public func check(count: Int) throws(SafelightError) {
    guard let needed = spans.map(\.needed).max(), needed > count else { return }
    let origin = description == "\(needed)" ? "" : " of \(description)"
    throw SafelightError(
      .missingInput, "frame \(needed)\(origin)", why: count == 1 ? "there is 1 frame" : "there are \(count) frames",
      remedy: count == 0 ? nil : "choose from 1 to \(count)")
  }

  private static func span(_ part: Substring, in text: String) throws -> Span {
    func refused(_ why: String) -> SafelightError {
      SafelightError(
        .usage, "frames \(text)", why: why, remedy: "write positions from 1 on, such as 1-10,20-40:2")
    }
    let range = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let ends = range[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = number(ends[0]),
      let last = ends.count == 2 ? ends[1].isEmpty ? .max : number(ends[1]).map({ min($0, .max - 1) }) : first,
      let step = range.count == 2 ? number(range[1]) : 1
    else { throw refused("\"\(part)\" is no position and no range") }
    guard range.count == 1 || ends.count == 2 else { throw refused("\"\(part)\" has a step but no range") }
    guard first >= 1 else { throw refused("\"\(part)\" begins at 0; the first frame is 1") }
    guard first <= last else { throw refused("\"\(part)\" runs backwards") }
    guard step >= 1 else { throw refused("\"\(part)\" has step 0") }
    return Span(first: first, last: last, step: step)
  }

  /// Digits alone: Int would accept a sign.
  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }
}
