/// A GLSL text and where it comes from, so that messages can point into it and its includes be found.
public struct ShaderText: Hashable, Sendable {
  /// What messages call it: a path, or the name of a text that came as a string.
  public let name: String
  /// All of its text.
  public let contents: String
  /// The folder in which its includes are looked for first; nil for a text without a place on disk.
  public let folder: String?
  /// Its lines that count, from 0; all where nil.
  let lines: Range<Int>?

  /// Wraps a text.
  public init(name: String, contents: String, folder: String? = nil) {
    self.init(name: name, contents: contents, folder: folder, lines: nil)
  }

  private init(name: String, contents: String, folder: String?, lines: Range<Int>?) {
    self.name = name
    self.contents = contents
    self.folder = folder
    self.lines = lines
  }

  /// A text of this package.
  public init(_ source: ShaderSource) { self.init(name: source.rawValue, contents: source.text) }

  /// A text that includes texts of this package, and so does not repeat what the parts before it included.
  public init(including sources: [ShaderSource], name: String = "assembly") {
    self.init(name: name, contents: sources.map { "#include \"\($0.rawValue)\"" }.joined(separator: "\n"))
  }

  /// Reads a file; nil where it cannot be read.
  public init?(reading path: String) {
    guard let contents = ShaderFile.read(path) else { return nil }
    self.init(name: path, contents: contents, folder: ShaderFile.folder(of: path))
  }

  /// The same text cut to some of its lines, counted from 0; they keep their numbers in messages.
  public func cut(to lines: Range<Int>) -> ShaderText {
    ShaderText(name: name, contents: contents, folder: folder, lines: lines)
  }
}

extension Substring {
  /// Without white space at either end.
  var trimmed: Substring {
    var text = drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}

extension String {
  /// Its lines, whatever ends them; a last one that is empty counts.
  var lines: [Substring] { split(omittingEmptySubsequences: false) { $0.isNewline } }
}
