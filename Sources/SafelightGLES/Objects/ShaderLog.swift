internal import SafelightImage

/// A driver's compile log, searched for the first line it complains of.
struct ShaderLog {
  let text: String

  init(_ text: String) { self.text = text.trimmed }

  /// The line of the first message: Mesa and NVIDIA write `0:17(5): error` and `0(17) : error`, most others `ERROR: 0:17:`, and
  /// ARM `0:17: L0001:` without the word.
  var line: Int? {
    let rows = text.split(separator: "\n")
    for row in rows where row.lowercased().contains("error") {
      let numbers = row.split { !$0.isNumber }.compactMap { Int($0) }
      if numbers.count >= 2 { return numbers[1] }
    }
    for row in rows {
      let parts = row.split(separator: ":", maxSplits: 2)
      if parts.count == 3, Int(parts[0]) != nil, let line = Int(parts[1]) { return line }
    }
    return nil
  }

  /// The error with the stage's name, the log's first message and three lines of source around it.
  func error(for source: StageSource) -> SafelightError {
    let lines = source.text.split(separator: "\n", omittingEmptySubsequences: false)
    var why = text
    if let line, lines.indices.contains(line - 1) {
      let around = max(1, line - 1)...min(lines.count, line + 1)
      why += "\n" + around.map { "  \($0) | \(lines[$0 - 1])" }.joined(separator: "\n")
    }
    return SafelightError(
      .driver, "\(source.stage.rawValue) function '\(source.name)' does not compile", why: why,
      remedy: "correct the function; a built-in one: report it with the output of safelight devices")
  }
}

extension String {
  /// Without white space at either end.
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
