internal import CGLES
package import SafelightImage
package import SafelightShaders

/// A driver's compile log, and the source lines that it refers to.
package struct ShaderLog {
  let text: String

  package init(_ text: String) {
    self.text = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }

  /// The line of the first error.
  package var line: Int? {
    let rows = text.split(separator: "\n").map(Row.init)
    let said = rows.first { $0.text.lowercased().contains("error") && $0.line != nil }
    // ARM's log does not contain "error".
    return (said ?? rows.first { $0.line != nil && !$0.text.lowercased().contains("warning") })?.line
  }

  /// Returns an error with the stage's name, the log in terms of the author's own lines, and three of these around the
  /// first error.
  package func error(for source: StageSource) -> SafelightError {
    let rows = text.split(separator: "\n", omittingEmptySubsequences: false).map { row in
      let row = Row(row)
      guard let line = row.line, let origin = source.shader.origin(ofLine: line) else { return String(row.text) }
      return "\(row.beginning)\(origin.place)\(row.rest)"
    }
    var why = rows.joined(separator: "\n")
    if let line, let origin = source.shader.origin(ofLine: line) {
      why += "\nat \(origin)"
      why += origin.excerpt.map { "\n  \($0)" }.joined()
    }
    return SafelightError(
      .driver, "\(source.stage.rawValue) function '\(source.name)' does not compile", why: why,
      remedy: "correct the function; a built-in one: report it with the name of the driver")
  }

  /// A row of the log, split around the place it refers to: Mesa writes `0:17(5): error`, NVIDIA `0(17) : error`, most
  /// others `ERROR: 0:17:` and ARM `0:17: L0001:`. The number before the line is that of the source string, of which
  /// there is one.
  private struct Row {
    let text: Substring
    var beginning: Substring = ""
    var line: Int?
    var rest: Substring

    init(_ text: Substring) {
      self.text = text
      rest = text
      for word in ["", "ERROR: ", "WARNING: "] where text.hasPrefix(word) {
        let place = text.dropFirst(word.count)
        let afterString = place.drop { $0.isNumber }
        guard afterString.startIndex > place.startIndex, let mark = afterString.first, mark == ":" || mark == "(" else {
          continue
        }
        let digits = afterString.dropFirst().prefix { $0.isNumber }
        guard let number = Int(digits) else { continue }
        beginning = text.prefix(word.count)
        line = number
        rest = afterString[digits.endIndex...]
        if mark == "(" { rest = rest.dropFirst() }
      }
    }
  }
}

/// A stage of a program.
package enum ShaderStage: String, Sendable {
  case compute
  case vertex
  case fragment

  var glValue: GLenum {
    switch self {
    case .compute: GLenum(GL_COMPUTE_SHADER)
    case .vertex: GLenum(GL_VERTEX_SHADER)
    case .fragment: GLenum(GL_FRAGMENT_SHADER)
    }
  }
}

/// The source of one stage, complete from its version line on.
package struct StageSource: Sendable {
  package let stage: ShaderStage
  package let name: String
  package let shader: AssembledShader

  package init(stage: ShaderStage, name: String, shader: AssembledShader) {
    self.stage = stage
    self.name = name
    self.shader = shader
  }
}
