/// An include that cannot be followed.
public struct ShaderIncludeError: Error, Hashable, Sendable {
  /// The line, and the lines that included its file: `blur.glsl:3, included from soften.comp:1`.
  public let place: String
  /// The fault.
  public let why: String
  /// The remedy.
  public let remedy: String
}

/// The resolution of includes, each file once, which records the origin of every line.
struct ShaderInclusion {
  private(set) var lines: [AssembledShader.Line] = []
  private(set) var files: [AssembledShader.File] = []
  /// `#extension` lines, which must precede everything but comments (GLSL ES 3.10 §3.5).
  private(set) var extensions: [AssembledShader.Line] = []

  /// Files by identity: those that enclose the current line, and all that were included.
  private var open: [String] = []
  private var included: Set<String> = []
  /// The number of conditions around the current line, in all enclosing files.
  private var conditions = 0

  /// Appends a text with its includes; an included one has an identity and the line that includes it.
  mutating func append(
    _ whole: ShaderText, identity: String? = nil, from parent: AssembledShader.SourceLine? = nil
  ) throws(ShaderIncludeError) {
    let rows = whole.contents.lines
    let number = files.count
    files.append(AssembledShader.File(name: whole.name, lines: rows, includedFrom: parent))
    if let identity {
      open.append(identity)
      included.insert(identity)
    }
    for line in whole.lines ?? rows.indices {
      let place = AssembledShader.SourceLine(file: number, line: line)
      let (word, rest) = Self.directive(rows[line])
      var text = rows[line]
      switch word {
      case "include":
        try include(rest, in: whole, at: place)
        continue
      case "extension":
        guard conditions == 0 else {
          throw error(
            at: place, "an #extension line stands under a condition",
            "write it outside of every #if, or make two functions")
        }
        extensions.append(AssembledShader.Line(text: text, place: place))
        text = ""
      // Origins are recorded, and other numbers would only confuse the driver's.
      case "line": text = ""
      case "if", "ifdef", "ifndef": conditions += 1
      case "endif": conditions = max(0, conditions - 1)
      default: break
      }
      lines.append(AssembledShader.Line(text: text, place: place))
    }
    if identity != nil { open.removeLast() }
  }

  /// Replaces the line by the file that `rest`, the text after `include`, names in quotes, or by a blank line if the
  /// file was included before.
  private mutating func include(
    _ rest: Substring, in text: ShaderText, at place: AssembledShader.SourceLine
  ) throws(ShaderIncludeError) {
    let parts = rest.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[0].isEmpty, !parts[1].isEmpty else {
      throw error(at: place, "an include needs a name in quotes", "write #include \"file.glsl\"")
    }
    let name = String(parts[1])
    let path = text.folder.map { name.hasPrefix("/") ? name : "\($0)/\(name)" }
    let found: (text: ShaderText, identity: String)
    if let path, ShaderFile.exists(path) {
      guard let file = ShaderText(reading: path) else {
        throw error(at: place, "'\(path)' cannot be read", "make it a file that you may read")
      }
      found = (file, ShaderFile.identity(of: path))
    } else if let source = ShaderSource(rawValue: name) {
      found = (ShaderText(source), source.rawValue)
    } else {
      let places = text.folder.map { "neither in \($0) nor" } ?? "not"
      throw error(
        at: place, "'\(name)' is \(places) among the texts of Safelight", "correct the name, or add the file")
    }
    if open.contains(found.identity) {
      throw error(at: place, "'\(name)' includes itself on this way", "take one of the includes out")
    }
    guard !included.contains(found.identity) else { return lines.append(AssembledShader.Line(text: "", place: place)) }
    try append(found.text, identity: found.identity, from: place)
  }

  private func error(at place: AssembledShader.SourceLine, _ why: String, _ remedy: String) -> ShaderIncludeError {
    ShaderIncludeError(place: AssembledShader.Origin(place, files).description, why: why, remedy: remedy)
  }

  /// Returns a directive's word and what follows it; empty for other lines.
  private static func directive(_ line: Substring) -> (word: Substring, rest: Substring) {
    let line = line.trimmed
    guard line.first == "#" else { return ("", "") }
    let rest = line.dropFirst().trimmed
    let word = rest.prefix { $0.isLetter }
    return (word, rest.dropFirst(word.count).trimmed)
  }
}
