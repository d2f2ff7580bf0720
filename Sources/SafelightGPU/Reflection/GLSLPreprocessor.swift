package import SafelightImage
package import SafelightShaders

/// Runs the directives of a complete text, which leaves the tokens for the compiler (GLSL ES 3.10 §3.4).
package struct GLSLPreprocessor {
  package private(set) var tokens: [GLSLToken] = []
  /// The indices of threadgroup memory whose length is used but was not set.
  package private(set) var missingThreadgroupMemory: Set<Int> = []

  private(set) var extensions: [GLSLExtension] = []
  /// The mistakes that show without a compiler.
  private(set) var outline = GLSLOutline()

  private struct Macro {
    /// Nil for a macro without parentheses.
    var parameters: [String]?
    var body: [GLSLToken]
  }

  /// The state of an `#if`.
  private enum Condition {
    /// No branch was taken so far.
    case waiting
    case active
    /// A branch was taken, or none can be, as the `#if` lies in a branch that is not taken.
    case over
  }

  private var macros = ["GL_ES": Macro(body: [.number(1)]), "__VERSION__": Macro(body: [.number(310)])]
  private var conditions: [Condition] = []

  static let threadgroupMemoryPrefix = "THREADGROUP_MEMORY_LENGTH_"

  /// Reads `shader`; throws if an `#if` has no known value.
  package init(_ shader: AssembledShader, function: String) throws(SafelightError) {
    let lines = Self.lines(of: shader.text)
    // The rows of a macro's call that goes on.
    var begun: [GLSLToken] = []
    for line in lines {
      let row = GLSLToken.tokens(of: line.bytes)
      guard row.first?.text == "#" else {
        guard isActive else { continue }
        begun += row
        if endsInCall(begun) { continue }
        read(begun, line: line.number)
        begun = []
        continue
      }
      read(begun, line: line.number - 1)
      begun = []
      outline.read(directive: Array(row.dropFirst()), of: line.bytes, line: line.number, isActive: isActive)
      if isActive, row.count >= 5, row[1].text == "extension", row[3].text == ":" {
        let place = shader.origin(ofLine: line.number)?.description ?? "line \(line.number)"
        extensions.append(GLSLExtension(name: row[2].text, behavior: row[4].text, place: place))
        // Drivers define the extensions they have; a driver that lacks a required one fails here (GLSL ES 3.10 §3.5).
        if ["require", "enable"].contains(row[4].text) { macros[row[2].text] = Macro(body: [.number(1)]) }
      }
      if let name = directive(Array(row.dropFirst())) {
        let place = shader.origin(ofLine: line.number).map { " at \($0)" } ?? ""
        throw SafelightError(
          .usage, "function '\(function)'", why: "#if\(place) needs a value for \(name), which has none",
          remedy: "pass it as a constant, or test defined(\(name)) first")
      }
    }
    read(begun, line: lines.last?.number ?? 1)
    outline.end(line: lines.last?.number ?? 1)
  }

  private mutating func read(_ row: [GLSLToken], line: Int) {
    let expanded = expand(row, hiding: [])
    outline.read(expanded, line: line)
    tokens += expanded
  }

  /// Returns whether the call of a macro in `row` has no end yet.
  private func endsInCall(_ row: [GLSLToken]) -> Bool {
    row.indices.contains { index in
      guard row[index].kind == .word, macros[row[index].text]?.parameters != nil else { return false }
      if index + 1 == row.count { return true }
      return row[index + 1].text == "(" && Self.arguments(row, from: index + 1) == nil
    }
  }

  private var isActive: Bool { (conditions.last ?? .active) == .active }

  /// Runs a directive; returns the name without a value if a condition cannot be evaluated.
  private mutating func directive(_ row: [GLSLToken]) -> String? {
    let arguments = Array(row.dropFirst())
    switch row.first?.text {
    case "if": return open(isActive ? condition(arguments) : .known(0))
    case "ifdef": return open(.known((arguments.first.map { macros[$0.text] != nil } == true).number))
    case "ifndef": return open(.known((arguments.first.map { macros[$0.text] != nil } != true).number))
    case "elif":
      guard let last = conditions.popLast() else { return nil }
      if last == .waiting { return open(condition(arguments)) }
      conditions.append(.over)
    case "else":
      guard let last = conditions.popLast() else { return nil }
      conditions.append(last == .waiting ? .active : .over)
    case "endif": _ = conditions.popLast()
    case "define": if isActive { define(arguments) }
    case "undef": if isActive, let name = arguments.first { macros[name.text] = nil }
    default: break
    }
    return nil
  }

  private mutating func open(_ value: GLSLExpression.Value) -> String? {
    switch value {
    case .known(let number): conditions.append(!isActive ? .over : number == 0 ? .waiting : .active)
    case .unknown(let name): return name
    }
    return nil
  }

  private mutating func condition(_ row: [GLSLToken]) -> GLSLExpression.Value {
    var asked: [GLSLToken] = []
    var index = 0
    while index < row.count {
      guard row[index].text == "defined" else {
        asked.append(row[index])
        index += 1
        continue
      }
      let isEnclosed = index + 1 < row.count && row[index + 1].text == "("
      let name = index + (isEnclosed ? 2 : 1)
      asked.append(.number((name < row.count && macros[row[name].text] != nil).number))
      index = name + (isEnclosed ? 2 : 1)
    }
    return GLSLExpression.value(of: expand(asked, hiding: [])) { name in
      // Missing extensions have no macro, and lengths are set by the dispatch.
      name.hasPrefix("GL_") || name.hasPrefix(Self.threadgroupMemoryPrefix) ? 0 : nil
    }
  }

  /// Defines a macro. Parameters must follow the name without a space, which tokens do not show, so a parenthesis
  /// begins parameters only if it contains nothing but names and a body follows.
  private mutating func define(_ row: [GLSLToken]) {
    guard let name = row.first else { return }
    let rest = row.dropFirst()
    guard rest.first?.text == "(", let end = rest.firstIndex(where: { $0.text == ")" }) else {
      macros[name.text] = Macro(body: Array(rest))
      return
    }
    let inside = rest[rest.index(after: rest.startIndex)..<end]
    let areNames = inside.allSatisfy { $0.kind == .word || $0.text == "," } && end + 1 < row.endIndex
    macros[name.text] =
      areNames
      ? Macro(parameters: inside.filter { $0.kind == .word }.map(\.text), body: Array(row[(end + 1)...]))
      : Macro(body: Array(rest))
  }

  // MARK: Macros

  private mutating func expand(_ row: [GLSLToken], hiding hidden: Set<String>) -> [GLSLToken] {
    var result: [GLSLToken] = []
    var index = 0
    while index < row.count {
      let token = row[index]
      index += 1
      guard token.kind == .word, !hidden.contains(token.text), let macro = macros[token.text] else {
        if token.kind == .word { noteThreadgroupMemory(token.text) }
        result.append(token)
        continue
      }
      guard let parameters = macro.parameters else {
        result += expand(macro.body, hiding: hidden.union([token.text]))
        continue
      }
      guard index < row.count, row[index].text == "(", let call = Self.arguments(row, from: index) else {
        result.append(token)
        continue
      }
      index = call.end
      let values = Dictionary(zip(parameters, call.arguments), uniquingKeysWith: { first, _ in first })
      let body = macro.body.flatMap { token in values[token.text].map { expand($0, hiding: hidden) } ?? [token] }
      result += expand(body, hiding: hidden.union([token.text]))
    }
    return result
  }

  private mutating func noteThreadgroupMemory(_ name: String) {
    guard name.hasPrefix(Self.threadgroupMemoryPrefix),
      let index = Int(name.dropFirst(Self.threadgroupMemoryPrefix.count))
    else { return }
    missingThreadgroupMemory.insert(index)
  }

  /// Returns the arguments between the parenthesis at `start` and its partner, and the index after it.
  private static func arguments(_ row: [GLSLToken], from start: Int) -> (arguments: [[GLSLToken]], end: Int)? {
    var arguments: [[GLSLToken]] = [[]]
    var depth = 0
    for index in start..<row.count {
      let token = row[index]
      if token.text == "(" { depth += 1 }
      if token.text == ")" { depth -= 1 }
      if depth == 0 { return (arguments, index + 1) }
      if token.text == ",", depth == 1 {
        arguments.append([])
      } else if index > start {
        arguments[arguments.count - 1].append(token)
      }
    }
    return nil
  }
}

extension GLSLPreprocessor {
  /// Returns the lines of a text with their numbers, from 1; without comments and with continued lines joined.
  private static func lines(of text: String) -> [(number: Int, bytes: [UInt8])] {
    enum State { case code, lineComment, blockComment }
    let bytes = Array(text.utf8)
    var lines: [(number: Int, bytes: [UInt8])] = [(1, [])]
    var state = State.code
    // The line being read, which may continue the last of `lines`.
    var number = 1
    var index = 0
    while index < bytes.count {
      let next = index + 1 < bytes.count ? bytes[index + 1] : 0
      var length = 2
      switch (state, bytes[index], next) {
      case (_, UInt8(ascii: "\n"), _):
        number += 1
        // A line ends even within a block comment, so that directives keep their lines.
        if state == .lineComment { state = .code }
        lines.append((number, []))
        length = 1
      case (.code, UInt8(ascii: "\\"), UInt8(ascii: "\n")): number += 1
      case (.code, UInt8(ascii: "/"), UInt8(ascii: "/")): state = .lineComment
      case (.code, UInt8(ascii: "/"), UInt8(ascii: "*")):
        state = .blockComment
        lines[lines.count - 1].bytes.append(UInt8(ascii: " "))
      case (.blockComment, UInt8(ascii: "*"), UInt8(ascii: "/")): state = .code
      default:
        if state == .code { lines[lines.count - 1].bytes.append(bytes[index]) }
        length = 1
      }
      index += length
    }
    return lines
  }
}

package struct GLSLToken: Hashable {
  enum Kind { case word, number, mark }

  let kind: Kind
  package let text: String

  static func number(_ value: Int) -> GLSLToken { GLSLToken(kind: .number, text: "\(value)") }

  /// Splits a line without comments into tokens.
  package static func tokens(of line: [UInt8]) -> [GLSLToken] {
    var tokens: [GLSLToken] = []
    var index = 0
    while index < line.count {
      let byte = line[index]
      let start = index
      if byte <= UInt8(ascii: " ") {
        index += 1
        continue
      }
      var kind = Kind.mark
      if byte.isDigit || (byte == UInt8(ascii: ".") && index + 1 < line.count && line[index + 1].isDigit) {
        while index < line.count, line[index].isOfWord || line[index] == UInt8(ascii: ".") { index += 1 }
        kind = .number
      } else if byte.isOfWord {
        while index < line.count, line[index].isOfWord { index += 1 }
        kind = .word
      } else {
        index += isPair(line, at: index) ? 2 : 1
      }
      tokens.append(GLSLToken(kind: kind, text: text(line[start..<index])))
    }
    return tokens
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  /// True if a two-character operator of `#if` expressions begins at `index`.
  private static func isPair(_ line: [UInt8], at index: Int) -> Bool {
    guard index + 1 < line.count else { return false }
    return ["&&", "||", "==", "!=", "<=", ">=", "<<", ">>"].contains(text(line[index...index + 1]))
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  /// True for a letter, a digit or an underscore of ASCII.
  var isOfWord: Bool {
    isDigit || self == UInt8(ascii: "_") || (self | 32 >= UInt8(ascii: "a") && self | 32 <= UInt8(ascii: "z"))
  }
}
