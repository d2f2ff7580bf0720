/// A complete GLSL text, with the file and line from which each of its lines comes.
///
/// Without `#line`, since drivers disagree about the directive, and Mesa omits the number of the text in most messages.
public struct AssembledShader: Hashable, Sendable {
  /// The text for the compiler, from the version line on.
  public let text: String

  /// A text that was included.
  struct File: Hashable, Sendable {
    let name: String
    let lines: [Substring]
    /// The line that included the text.
    let includedFrom: SourceLine?
  }

  /// A line of a file, from 0.
  struct SourceLine: Hashable, Sendable {
    let file: Int
    let line: Int
  }

  /// A line of the text and its origin.
  struct Line: Sendable {
    let text: Substring
    var place: SourceLine?
  }

  let files: [File]
  /// The origin of each line of the text; nil for lines that assembling added.
  let places: [SourceLine?]

  /// Joins lines.
  init(_ lines: [Line], files: [File]) {
    text = lines.map(\.text).joined(separator: "\n")
    places = lines.map(\.place)
    self.files = files
  }

  /// Wraps a text that is complete; messages point into it as `name`.
  public init(text: String, name: String) {
    let lines = text.lines
    self.init(
      lines.enumerated().map { Line(text: $0.element, place: SourceLine(file: 0, line: $0.offset)) },
      files: [File(name: name, lines: lines, includedFrom: nil)])
  }

  /// Returns the origin of a line of ``text``, counted from 1; nil for a line that assembling added or that does not
  /// exist.
  public func origin(ofLine line: Int) -> Origin? {
    guard places.indices.contains(line - 1), let place = places[line - 1] else { return nil }
    return Origin(place, files)
  }

  /// A line in its author's file.
  public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// `Common/pixels.glsl:7`.
    public let place: String
    /// The lines that include the file, innermost first.
    public let includedFrom: [String]
    /// The line and its neighbors, with their numbers.
    public let excerpt: [String]

    init(_ place: SourceLine, _ files: [File]) {
      let file = files[place.file]
      self.place = Self.name(place, files)
      let around = max(0, place.line - 1)...min(file.lines.count - 1, place.line + 1)
      excerpt = around.map { "\($0 + 1) | \(file.lines[$0])" }
      let chain = sequence(first: place) { files[$0.file].includedFrom }
      includedFrom = chain.dropFirst().map { Self.name($0, files) }
    }

    private static func name(_ place: SourceLine, _ files: [File]) -> String {
      "\(files[place.file].name):\(place.line + 1)"
    }

    /// The place, and the lines that include it.
    public var description: String { ([place] + includedFrom).joined(separator: ", included from ") }
  }
}
