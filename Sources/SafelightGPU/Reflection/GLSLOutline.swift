/// The mistakes in a text that show without a compiler: directives, brackets, ends of statements, and a missing `main`.
///
/// The CPU device has no compiler of GLSL. It refuses what has such a mistake; a wrong type or name shows only on
/// OpenGL ES.
struct GLSLOutline {
  /// The first mistake and its line, from 1.
  private(set) var fault: (line: Int, why: String, remedy: String)?

  /// The brackets around the current token.
  private var open: [(mark: String, line: Int)] = []
  /// The lines of the `#if`s around the current line.
  private var conditions: [Int] = []
  /// The last tokens, the latest at the end.
  private var last: [String] = []
  private var hasMain = false

  private static let partners = [")": "(", "]": "[", "}": "{"]
  private static let directives: Set = ["define", "undef", "pragma", "extension", "line", "include"]

  private mutating func report(_ line: Int, _ why: String, _ remedy: String) {
    if fault == nil { fault = (line, why, remedy) }
  }

  /// Reads the words after `#` in the line `text`; `isActive` is false in a branch that is not taken.
  mutating func read(directive row: [GLSLToken], of text: [UInt8], line: Int, isActive: Bool) {
    let name = row.first?.text ?? ""
    switch name {
    case "": break
    case "if", "ifdef", "ifndef": conditions.append(line)
    case "else", "elif", "endif":
      if conditions.isEmpty { report(line, "#\(name) has no #if", "take it out, or add the #if") }
      if name == "endif" { _ = conditions.popLast() }
    case _ where !isActive: break
    case "error": report(line, String(decoding: text, as: UTF8.self), "see the text")
    case "version" where line > 1:
      report(line, "#version stands behind the first line, which Safelight writes", "leave it out")
    case "version": break
    case _ where !Self.directives.contains(name): report(line, "there is no directive #\(name)", "correct its name")
    default: break
    }
  }

  /// Reads the tokens of a line, with macros replaced.
  mutating func read(_ row: [GLSLToken], line: Int) {
    for token in row.map(\.text) {
      switch token {
      case "(", "[", "{": open.append((token, line))
      case ")", "]", "}":
        if open.last?.mark == Self.partners[token] {
          open.removeLast()
        } else {
          let what = open.last.map { "stands where a \($0.mark) is still open" } ?? "closes nothing"
          report(line, "a \(token) \(what)", "make the brackets match")
        }
        // GLSL ES has no lists of values, so a brace ends statements or members.
        if token == "}", let before = last.last, ![";", "{", "}"].contains(before) {
          report(line, "a ; is missing behind '\(before)'", "end the statement before the }")
        }
      default: break
      }
      if token == "(", last == ["void", "main"], open.count == 1 { hasMain = true }
      last = last.suffix(1) + [token]
    }
  }

  /// Reads the end of a text of `count` lines.
  mutating func end(line count: Int) {
    if let bracket = open.last { report(bracket.line, "its \(bracket.mark) is never closed", "add its partner") }
    if let line = conditions.last { report(line, "its #if has no #endif", "add the #endif") }
    if !hasMain { report(count, "the text has no function main", "define void main() { … }") }
  }
}
