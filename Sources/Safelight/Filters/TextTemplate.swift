internal import SafelightFrames
internal import SafelightImage
internal import SafelightKernels

/// A text with fields in braces, which are other words for each frame.
struct TextTemplate: Hashable, Sendable {
  /// A field.
  enum Field: String, CaseIterable {
    case name, frame, time, timecode
  }

  private enum Part: Hashable {
    case text(String)
    /// A field, with zeros before a number of fewer digits.
    case field(Field, digits: Int)
  }

  /// The parts of each line.
  private let lines: [[Part]]

  /// The most characters, so that a frame does not take minutes.
  static let mostCharacters = 4096

  /// Reads the parameter `text` of the filter `text`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for an empty text, one that is too long, and unknown fields.
  init(_ text: String) throws(SafelightError) {
    try ensure(!text.isEmpty, .usage, "filter 'text'", why: "it has no text", remedy: "write text='{name} {frame}'")
    try ensure(
      text.count <= Self.mostCharacters, .usage, "filter 'text'",
      why: "its text has \(text.count) characters, and at most \(Self.mostCharacters) are drawn",
      remedy: "shorten it, or draw several texts one after the other")
    var lines: [[Part]] = []
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      lines.append(try Self.parts(line))
    }
    self.lines = lines
  }

  private static func parts(_ line: Substring) throws(SafelightError) -> [Part] {
    var (parts, plain, rest) = ([Part](), "", line)
    while let character = rest.popFirst() {
      if character != "{" {
        plain.append(character)
      } else if rest.first == "{" {
        plain.append("{")
        rest.removeFirst()
      } else {
        guard let end = rest.firstIndex(of: "}") else {
          throw fault("{\(rest)", "a brace is not closed")
        }
        parts.append(.text(plain))
        parts.append(try field(rest[..<end]))
        (plain, rest) = ("", rest[rest.index(after: end)...])
      }
    }
    return parts + [.text(plain)]
  }

  private static func field(_ text: Substring) throws(SafelightError) -> Part {
    let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let field = Field(rawValue: String(halves[0])) else { throw fault("{\(text)}", "there is no such field") }
    guard halves.count == 2 else { return .field(field, digits: 0) }
    guard field == .frame, let digits = Int(halves[1]), (1...18).contains(digits) else {
      throw fault("{\(text)}", "only frame takes digits, 1 to 18: {frame:4}")
    }
    return .field(field, digits: digits)
  }

  private static func fault(_ text: String, _ why: String) -> SafelightError {
    let fields = Field.allCases.map { "{\($0.rawValue)}" }
    return SafelightError(
      .usage, "'\(text)' in filter 'text'", why: why, remedy: "write \(alternatives(fields)); {{ is a brace")
  }

  /// The number of lines.
  var lineCount: Int { lines.count }

  /// Returns whether the text has a field.
  func has(_ field: Field) -> Bool {
    lines.joined().contains { part in if case .field(field, _) = part { true } else { false } }
  }

  /// Returns the lines for a frame, whose timecode and time are those of `start` and `rate`.
  func lines(for frame: FrameIdentity, from start: Timecode, _ rate: FrameRate) -> [String] {
    let position = frame.position ?? 0
    let clock = position + frame.missingBefore
    return lines.map { line in
      line.map { part in
        switch part {
        case .text(let text): text
        case .field(.name, _): Self.name(of: frame.source)
        case .field(.frame, let digits): Self.text(Self.number(of: frame) ?? position + 1, digits)
        case .field(.time, _): rate.time(ofFrame: clock)
        case .field(.timecode, _): start.advanced(by: clock).description
        }
      }.joined()
    }
  }

  /// Returns the name of a file without its folder and its ending, in one line.
  private static func name(of path: String) -> String {
    String(PathParts(path).stem.map { $0.isNewline ? " " : $0 })
  }

  /// Returns a frame's number in its film, or the last one in its file's name; nil if there is none.
  private static func number(of frame: FrameIdentity) -> Int? {
    if frame.name != frame.source { return frame.number }
    return NumberedName(PathParts(frame.source).stem).numbers.last.flatMap { Int($0) }
  }

  /// Returns a number with zeros before it if it has fewer digits.
  private static func text(_ number: Int, _ digits: Int) -> String {
    let text = "\(number.magnitude)"
    return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
