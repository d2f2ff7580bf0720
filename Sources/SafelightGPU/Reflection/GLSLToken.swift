/// A word of GLSL.
package struct GLSLToken: Hashable {
  enum Kind {
    case word
    case number
    case mark
  }

  let kind: Kind
  package let text: String

  static func mark(_ text: String) -> GLSLToken { GLSLToken(kind: .mark, text: text) }
  static func number(_ value: Int) -> GLSLToken { GLSLToken(kind: .number, text: "\(value)") }

  /// Cuts a line without comments into tokens.
  package static func tokens(of line: [UInt8]) -> [GLSLToken] {
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
