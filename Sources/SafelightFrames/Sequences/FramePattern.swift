public import SafelightImage

/// A name with a number in it, written as for `printf`: `shot.%04d.png`, `%d.png`; `%%` is a percent sign.
///
/// The number is in the file's name, not in its folder's, where `%%` is a percent sign too. It may be below 0.
public struct FramePattern: Hashable, Sendable, CustomStringConvertible {
  /// The folder with its slash; empty for the current one.
  private(set) var folder: String
  /// The folder, as system calls expect it.
  var place: String { folder.isEmpty ? "." : folder }
  private let prefix: String
  private let suffix: String
  /// The minimum number of digits, padded with zeros.
  private let width: Int
  /// The pattern as it was written.
  public let description: String

  /// Returns whether `text` holds a number, or an attempt at one such as `%4d` or `%s`, so that it must be a valid
  /// pattern. A percent sign before anything else, such as in `50%.png` or `a%20b.png`, is part of a name.
  public static func isPattern(_ text: String) -> Bool {
    var rest = text[...]
    while let mark = rest.firstIndex(of: "%") {
      rest = rest[rest.index(after: mark)...]
      if rest.first == "%" {
        rest = rest.dropFirst()
      } else if let letter = rest.drop(while: { ("0"..."9").contains($0) }).first, "diuoxXs".contains(letter) {
        return true
      }
    }
    return false
  }

  /// Reads a pattern.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` unless the name contains exactly one number.
  public init(_ text: String) throws {
    let parts = PathParts(text)
    func refused(_ why: String) -> SafelightError {
      SafelightError(
        .usage, text, why: why,
        remedy: "write one number such as %04d in the file's name, write %% for a percent sign, or leave % out")
    }
    if Self.isPattern(parts.prefix) {
      throw refused("the number is in a folder's name, but must be in the file's name")
    }

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
      // A width without the zero would pad with spaces.
      guard rest.first == "d", digits.isEmpty || digits.first == "0", let width = Int("0" + digits), width <= 20 else {
        throw refused("%\(digits)\(rest.first.map(String.init) ?? "") is not a number such as %d or %04d")
      }
      rest = rest.dropFirst()
      widths.append(width)
      literals.append("")
    }
    literals[literals.count - 1] += rest
    guard let width = widths.first, widths.count == 1 else {
      throw refused("a pattern holds one number, but this one holds \(widths.count)")
    }
    self.description = text
    self.folder = parts.prefix.replacing("%%", with: "%")
    self.prefix = literals[0]
    self.suffix = literals[1]
    self.width = width
  }

  /// Returns the pattern for files below `folder`.
  func below(_ folder: String) -> FramePattern {
    var pattern = self
    pattern.folder = SafelightFrames.path(folder, self.folder)
    return pattern
  }

  /// Returns the path of frame `number`, as printf writes it: `%04d` makes −3 to `-003`.
  public func path(_ number: Int) -> String { folder + prefix + written(number, minus: 1) + suffix }

  /// Returns the number in a file's `name`, given without its folder; nil if the pattern would not write it so.
  ///
  /// A number below 0 may also have its minus sign before as many digits as other numbers: `-0003` beside `0003`.
  public func number(in name: String) -> Int? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix), name.utf8.count > prefix.utf8.count + suffix.utf8.count
    else { return nil }
    let text = String(decoding: name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count), as: UTF8.self)
    guard let number = NumberedName.value(text), [0, 1].contains(where: { written(number, minus: $0) == text })
    else { return nil }
    return number
  }

  /// Returns the digits of `number` with its sign, which takes the place of `minus` zeros.
  private func written(_ number: Int, minus: Int) -> String {
    let digits = String(number.magnitude)
    let zeros = max(0, width - digits.count - (number < 0 ? minus : 0))
    return (number < 0 ? "-" : "") + String(repeating: "0", count: zeros) + digits
  }
}

/// A selection of a list's frames: `1-10,20-40:2` selects the first ten, and every second one from the 20th to the
/// 40th; `7-` selects all from the seventh on.
///
/// Positions count from 1 in the ordered list, whatever the numbers in the files' names. An end beyond the last frame
/// is the last frame; a position, or a range that begins there, is missing.
public struct FrameSelection: Hashable, Sendable, CustomStringConvertible {
  private struct Span: Hashable, Sendable {
    let first: Int
    /// `Int.max` if it extends to the end of the list.
    let last: Int
    let step: Int

    /// The last position that can be selected; nil if the range extends to the end of the list.
    var end: Int? { last == .max ? nil : last - (last - first) % step }
  }

  private let spans: [Span]
  /// The selection as it was written.
  public let description: String

  /// Reads a selection: positions `7`, ranges `1-10` and `7-`, and ranges with a step `20-40:2`, separated by commas.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for anything else.
  public init(_ text: String) throws {
    self.description = text
    self.spans = try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      try Self.span(part, in: text)
    }
  }

  /// The lowest index that is selected, from 0.
  package var first: Int { (spans.map(\.first).min() ?? 1) - 1 }
  /// The highest index that can be selected, from 0.
  public var last: Int { (spans.map(\.last).max() ?? 0) - 1 }
  /// Returns the highest index up to `end` that is selected; −1 if there is none.
  package func last(upTo end: Int) -> Int { (0...min(end, max(0, last))).last { contains($0) } ?? -1 }
  /// True if one frame is selected, however often.
  public var isSingle: Bool { spans.allSatisfy { $0.last - $0.first < $0.step && $0.first == spans[0].first } }

  /// Returns whether the index `place`, from 0, is selected.
  public func contains(_ place: Int) -> Bool {
    spans.contains { ($0.first...$0.last).contains(place + 1) && (place + 1 - $0.first) % $0.step == 0 }
  }

  /// Returns the selected indices of a list of `count` frames, from 0, in ascending order, each once.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if a part of the selection holds no frame of the list.
  public func indices(count: Int) throws -> [Int] {
    try check(count: count)
    let places = spans.flatMap { stride(from: $0.first, through: min($0.last, count), by: $0.step) }
    return Set(places).sorted().map { $0 - 1 }
  }

  /// Throws a ``SafelightError`` of kind `missingInput` if a part of the selection begins beyond `count` frames.
  public func check(count: Int) throws(SafelightError) {
    guard let needed = spans.map(\.first).max(), needed > count else { return }
    let origin = description == "\(needed)" ? "" : " of \(description)"
    throw SafelightError(
      .missingInput, "frame \(needed)\(origin)", why: count == 1 ? "there is 1 frame" : "there are \(count) frames",
      remedy: count == 0 ? nil : "choose from 1 to \(count): positions count frames, whatever the numbers in names")
  }

  /// Returns a warning that `last`, from 1, is the last frame selected of `name`, although the selection extends
  /// further; nil if it does not.
  package func warning(endingAt last: Int, of name: String) -> String? {
    let ends = spans.compactMap(\.end)
    guard ends.count == spans.count, let end = ends.max(), end > last else { return nil }
    return "frames \(description) of \(name) end with frame \(last), since there are no more"
  }

  private static func span(_ part: Substring, in text: String) throws -> Span {
    func refused(_ why: String) -> SafelightError {
      SafelightError(.usage, "frames \(text)", why: why, remedy: "write positions from 1 on, such as 1-10,20-40:2")
    }
    let range = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let ends = range[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = number(ends[0]),
      let last = ends.count == 2 ? ends[1].isEmpty ? .max : number(ends[1]).map({ min($0, .max - 1) }) : first,
      let step = range.count == 2 ? number(range[1]) : 1
    else { throw refused("\"\(part)\" is neither a position nor a range") }
    guard range.count == 1 || ends.count == 2 else { throw refused("\"\(part)\" has a step but no range") }
    guard first >= 1 else { throw refused("\"\(part)\" begins at 0; the first frame is 1") }
    guard first <= last else { throw refused("\"\(part)\" runs backwards") }
    guard step >= 1 else { throw refused("\"\(part)\" has step 0") }
    return Span(first: first, last: last, step: step)
  }

  /// Reads digits only: Int would accept a sign.
  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }
}
