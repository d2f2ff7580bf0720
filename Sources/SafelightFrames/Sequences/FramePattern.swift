public import SafelightImage

/// A name with a number in it, written as for `printf`: `shot.%04d.png`, `%d.png`; `%%` is a per cent sign.
///
/// The number stands in the file's name, not in its folder's.
public struct FramePattern: Hashable, Sendable, CustomStringConvertible {
  /// The folder with its slash; empty for the current one.
  let folder: String
  private let prefix: String
  private let suffix: String
  /// Digits at least, filled with zeros.
  private let width: Int
  /// The pattern as it was written.
  public let description: String

  /// True when `text` holds a number, or what may be meant to be one, as `%4d` and `%s` are: then it must be a pattern
  /// to
  /// be understood. A per cent sign before anything else, or before another one, is part of a name.
  public static func isPattern(_ text: String) -> Bool {
    var rest = text[...]
    while let mark = rest.firstIndex(of: "%") {
      rest = rest[rest.index(after: mark)...]
      if rest.first == "%" {
        rest = rest.dropFirst()
      } else if rest.drop(while: { ("0"..."9").contains($0) }).first?.isLetter == true {
        return true
      }
    }
    return false
  }

  /// Reads a pattern.
  ///
  /// Throws a ``SafelightError`` of kind `usage` unless exactly one number stands in the name.
  public init(_ text: String) throws {
    let parts = PathParts(text)
    func refused(_ why: String) -> SafelightError {
      SafelightError(
        .usage, text, why: why,
        remedy: "write one number such as %04d into the file's name, and %% for a per cent sign")
    }
    if Self.isPattern(parts.prefix) { throw refused("a folder's name cannot hold the number") }

    var literals = [""]
    var widths: [Int] = []
    var rest = parts.name[...]
    while let mark = rest.firstIndex(of: "%") {
      literals[literals.count - 1] += rest[..<mark]
      rest = rest[rest.index(after: mark)...]
      if rest.first == "%" {
        literals[literals.count - 1] += "%"
        rest = rest.dropFirst()
        continue
      }
      let digits = rest.prefix { ("0"..."9").contains($0) }
      rest = rest[digits.endIndex...]
      // A width without the zero would fill with blanks.
      guard rest.first == "d", digits.isEmpty || digits.first == "0", let width = Int("0" + digits), width <= 20 else {
        throw refused("%\(digits)\(rest.first.map(String.init) ?? "") is no number that a pattern can hold")
      }
      rest = rest.dropFirst()
      widths.append(width)
      literals.append("")
    }
    literals[literals.count - 1] += rest
    guard let width = widths.first, widths.count == 1 else {
      throw refused("a pattern holds one number; this holds \(widths.count)")
    }
    self.description = text
    self.folder = parts.prefix
    self.prefix = literals[0]
    self.suffix = literals[1]
    self.width = width
  }

  /// The path of frame `number`, which is 0 or above.
  public func path(_ number: Int) -> String {
    trap(unless: number >= 0, "frames are numbered from 0; \(number) was given")
    let digits = String(number)
    return folder + prefix + String(repeating: "0", count: max(0, width - digits.count)) + digits + suffix
  }

  /// The number in a file's `name`, given without its folder; nil where the pattern would not write it so.
  public func number(in name: String) -> Int? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix),
      name.utf8.count > prefix.utf8.count + suffix.utf8.count
    else { return nil }
    let digits = name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
    guard let number = Int(String(Substring(digits))), number >= 0, path(number) == folder + name else { return nil }
    return number
  }
}

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
