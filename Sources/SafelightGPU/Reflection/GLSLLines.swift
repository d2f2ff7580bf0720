/// The lines of a text without comments, continued lines joined.
struct GLSLLines {
  struct Line {
    /// From 1, in the text.
    let number: Int
    let bytes: [UInt8]
  }

  private(set) var lines: [Line] = []

  private enum State {
    case code
    case lineComment
    case blockComment
  }

  private var state = State.code
  private var line: [UInt8] = []
  /// The line of the text that is read.
  private var number = 1
  /// That in which the line under way began.
  private var first = 1

  init(_ text: String) {
    let bytes = Array(text.utf8)
    var index = 0
    while index < bytes.count { index += read(bytes[index], index + 1 < bytes.count ? bytes[index + 1] : 0) }
    lines.append(Line(number: first, bytes: line))
  }

  /// Takes a byte, which `next` follows; returns how many of the two are done with.
  private mutating func read(_ byte: UInt8, _ next: UInt8) -> Int {
    guard byte != UInt8(ascii: "\n") else {
      endLine()
      return 1
    }
    switch (state, byte, next) {
    case (.code, UInt8(ascii: "\\"), UInt8(ascii: "\n")): number += 1
    case (.code, UInt8(ascii: "/"), UInt8(ascii: "/")): state = .lineComment
    case (.code, UInt8(ascii: "/"), UInt8(ascii: "*")):
      state = .blockComment
      line.append(UInt8(ascii: " "))
    case (.blockComment, UInt8(ascii: "*"), UInt8(ascii: "/")): state = .code
    case (.code, _, _):
      line.append(byte)
      return 1
    default: return 1
    }
    return 2
  }

  private mutating func endLine() {
    number += 1
    // A comment may run on over lines; a line ends in it all the same, so that directives keep theirs.
    if state == .lineComment { state = .code }
    lines.append(Line(number: first, bytes: line))
    line = []
    first = number
  }
}
