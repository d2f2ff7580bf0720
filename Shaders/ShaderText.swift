internal import Glibc

/// A GLSL text with its origin, so that messages can point into it and its includes can be found.
public struct ShaderText: Hashable, Sendable {
  /// The name in messages: a path, or the name of a text without one.
  public let name: String
  /// The whole text.
  public let contents: String
  /// The folder in which includes are searched first; nil for a text that is not on disk.
  public let folder: String?
  /// The lines that are used, from 0; nil for all.
  private(set) var lines: Range<Int>?

  /// Wraps a text.
  public init(name: String, contents: String, folder: String? = nil) {
    self.name = name
    self.contents = contents
    self.folder = folder
  }

  /// Wraps the bytes of a text in UTF-8, such as a resource that SwiftPM embeds in code.
  public init(name: String, bytes: [UInt8]) { self.init(name: name, contents: String(decoding: bytes, as: UTF8.self)) }

  /// Makes a text of this package.
  package init(_ source: ShaderSource) { self.init(name: source.rawValue, contents: source.text) }

  /// Makes a text that includes texts of this package, and so does not repeat includes of the parts before it.
  package init(including sources: [ShaderSource], name: String = "assembly") {
    self.init(name: name, contents: sources.map { "#include \"\($0.rawValue)\"" }.joined(separator: "\n"))
  }

  /// Reads a file; nil if it cannot be read.
  public init?(reading path: String) {
    guard let contents = ShaderFile.read(path) else { return nil }
    self.init(name: path, contents: contents, folder: ShaderFile.folder(of: path))
  }

  /// Returns the text cut to some of its lines, counted from 0; they keep their numbers in messages.
  public func cut(to lines: Range<Int>) -> ShaderText {
    var text = self
    text.lines = lines
    return text
  }
}

extension Substring {
  /// The text without white space at either end.
  package var trimmed: Substring {
    var text = drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}

extension String {
  /// The lines, by any line ends; an empty last line counts.
  var lines: [Substring] { split(omittingEmptySubsequences: false) { $0.isNewline } }
}

/// Files of shader texts.
public enum ShaderFile {
  /// Returns a file as text; nil if it cannot be read.
  public static func read(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
    // A folder can be opened but not read.
    return ferror(file) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// Returns the part of a path before its last slash.
  public static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the canonical path of a file; `path` itself if there is no file.
  static func identity(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
