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

  /// Appends `text` with its includes.
  mutating func append(_ text: ShaderText) throws(ShaderIncludeError) {
    try append(text, identity: nil, from: nil)
  }

  private mutating func append(
    _ text: ShaderText, identity: String?, from parent: AssembledShader.Place?
  ) throws(ShaderIncludeError) {
    let rows = text.contents.lines
    let number = files.count
    files.append(AssembledShader.File(name: text.name, lines: rows, includedFrom: parent))
    if let identity {
      open.append(identity)
      included.insert(identity)
    }
    for line in text.lines ?? rows.indices {
      let place = AssembledShader.Place(file: number, line: line)
      switch Directive(rows[line]) {
      case .include(let name): try include(name, in: text, at: place)
      case .extension:
        guard conditions == 0 else {
          throw error(
            at: place, "an #extension line stands under a condition",
            "write it outside of every #if, or make two functions")
        }
        extensions.append(AssembledShader.Line(text: rows[line], place: place))
        lines.append(AssembledShader.Line(text: "", place: place))
      // Origins are recorded, and other numbers would only confuse the driver's.
      case .line: lines.append(AssembledShader.Line(text: "", place: place))
      case .condition(let step):
        conditions = max(0, conditions + step)
        lines.append(AssembledShader.Line(text: rows[line], place: place))
      case nil: lines.append(AssembledShader.Line(text: rows[line], place: place))
      }
    }
    if identity != nil { open.removeLast() }
  }

  /// Replaces the line by the file `name`, or by a blank line if the file was included before.
  private mutating func include(
    _ name: String?, in text: ShaderText, at place: AssembledShader.Place
  ) throws(ShaderIncludeError) {
    guard let name else {
      throw error(at: place, "an include needs a name in quotes", "write #include \"file.glsl\"")
    }
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

  private func error(at place: AssembledShader.Place, _ why: String, _ remedy: String) -> ShaderIncludeError {
    ShaderIncludeError(place: AssembledShader.Origin(place, files).description, why: why, remedy: remedy)
  }

  /// The directives that assembling handles.
  private enum Directive {
    case include(String?)
    case `extension`
    case line
    /// The beginning of a condition, 1, or its end, -1.
    case condition(Int)

    init?(_ line: Substring) {
      let line = line.trimmed
      guard line.first == "#" else { return nil }
      let rest = line.dropFirst().trimmed
      if rest.hasPrefix("include") {
        let name = rest.dropFirst("include".count).trimmed
        let parts = name.split(separator: "\"", omittingEmptySubsequences: false)
        self = .include(parts.count >= 3 && parts[0].isEmpty && !parts[1].isEmpty ? String(parts[1]) : nil)
      } else if rest.hasPrefix("extension") {
        self = .extension
      } else if rest.hasPrefix("line") {
        self = .line
      } else if rest.hasPrefix("if") {
        self = .condition(1)
      } else if rest.hasPrefix("endif") {
        self = .condition(-1)
      } else {
        return nil
      }
    }
  }
}
