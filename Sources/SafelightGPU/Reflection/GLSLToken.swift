/// A word of GLSL.
struct GLSLToken: Hashable {
  enum Kind {
    case word
    case number
    case mark
  }

  let kind: Kind
  let text: String

  static func mark(_ text: String) -> GLSLToken { GLSLToken(kind: .mark, text: text) }
  static func number(_ value: Int) -> GLSLToken { GLSLToken(kind: .number, text: "\(value)") }

  /// Cuts a line without comments into tokens.
  static func tokens(of line: [UInt8]) -> [GLSLToken] {
    var tokens: [GLSLToken] = []
    var index = 0
    while index < line.count {
      let byte = line[index]
      let start = index
      if isSpace(byte) {
        index += 1
        continue
      }
      if isDigit(byte) || (byte == UInt8(ascii: ".") && index + 1 < line.count && isDigit(line[index + 1])) {
        while index < line.count, isWord(line[index]) || line[index] == UInt8(ascii: ".") { index += 1 }
        tokens.append(GLSLToken(kind: .number, text: text(line[start..<index])))
      } else if isWord(byte) {
        while index < line.count, isWord(line[index]) { index += 1 }
        tokens.append(GLSLToken(kind: .word, text: text(line[start..<index])))
      } else {
        index += isPair(line, at: index) ? 2 : 1
        tokens.append(GLSLToken(kind: .mark, text: text(line[start..<index])))
      }
    }
    return tokens
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func isSpace(_ byte: UInt8) -> Bool { byte <= 32 }
  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  private static func isWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == UInt8(ascii: "_") || (byte | 32 >= UInt8(ascii: "a") && byte | 32 <= UInt8(ascii: "z"))
  }

  /// The marks of two characters that an expression of `#if` may have.
  private static func isPair(_ line: [UInt8], at index: Int) -> Bool {
    guard index + 1 < line.count else { return false }
    return ["&&", "||", "==", "!=", "<=", ">=", "<<", ">>"].contains(text(line[index...index + 1]))
  }
}

/// The lines of a text without comments, continued lines joined.
struct GLSLLines {
  struct Line {
    /// From 1, in the text.
    let number: Int
    let bytes: [UInt8]
  }

  private(set) var lines: [Line] = []

  init(_ text: String) {
    enum State {
      case code
      case lineComment
      case blockComment
    }
    let bytes = Array(text.utf8)
    var state = State.code
    var line: [UInt8] = []
    var number = 1
    var first = 1
    func follows(_ index: Int, _ byte: Character) -> Bool {
      index + 1 < bytes.count && bytes[index + 1] == byte.asciiValue
    }
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\n") {
        number += 1
        // A comment may run on over lines; a line ends in it all the same, so that directives keep theirs.
        if state == .lineComment { state = .code }
        lines.append(Line(number: first, bytes: line))
        line = []
        first = number
        continue
      }
      switch state {
      case .code:
        if byte == UInt8(ascii: "\\"), follows(index - 1, "\n") {
          index += 1
          number += 1
        } else if byte == UInt8(ascii: "/"), follows(index - 1, "/") {
          state = .lineComment
        } else if byte == UInt8(ascii: "/"), follows(index - 1, "*") {
          state = .blockComment
          line.append(32)
          index += 1
        } else {
          line.append(byte)
        }
      case .lineComment: break
      case .blockComment:
        if byte == UInt8(ascii: "*"), follows(index - 1, "/") {
          state = .code
          index += 1
        }
      }
    }
    lines.append(Line(number: first, bytes: line))
  }
}
