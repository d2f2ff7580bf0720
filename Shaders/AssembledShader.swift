/// A complete GLSL text, and for each of its lines the line of the file that it was written in.
///
/// Lines are counted here and not by `#line`: drivers disagree about the directive, and Mesa forgets the number of the
/// text in most of its messages.
public struct AssembledShader: Hashable, Sendable {
  /// What the compiler is given, from the version line on.
  public let text: String

  /// A text that was put in.
  struct File: Hashable, Sendable {
    let name: String
    let lines: [Substring]
    /// The line that included it.
    let includedFrom: Place?
  }

  /// A line of a file, from 0.
  struct Place: Hashable, Sendable {
    let file: Int
    let line: Int
  }

  /// A line of the text and where it was written.
  struct Line: Sendable {
    let text: Substring
    var place: Place?
  }

  let files: [File]
  /// For each line of the text where it was written; nil for those that assembling added.
  let places: [Place?]

  /// Joins lines.
  init(_ lines: [Line], files: [File]) {
    text = lines.map(\.text).joined(separator: "\n")
    places = lines.map(\.place)
    self.files = files
  }

  /// A text that is complete as it is, in which messages point under `name`.
  public init(text: String, name: String) {
    let lines = text.lines
    self.init(
      lines.enumerated().map { Line(text: $0.element, place: Place(file: 0, line: $0.offset)) },
      files: [File(name: name, lines: lines, includedFrom: nil)])
  }

  /// Where a line of ``text``, counted from 1, was written; nil for a line that assembling added, or none of the text.
  public func origin(ofLine line: Int) -> Origin? {
    guard places.indices.contains(line - 1), let place = places[line - 1] else { return nil }
    return Origin(place, files)
  }

  /// A line as its author knows it.
  public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// `Common/pixels.glsl:7`.
    public let place: String
    /// The lines that include the file, innermost first.
    public let includedFrom: [String]
    /// The line with its neighbors and their numbers.
    public let excerpt: [String]

    init(_ place: Place, _ files: [File]) {
      let file = files[place.file]
      self.place = Self.name(place, files)
      let around = max(0, place.line - 1)...min(file.lines.count - 1, place.line + 1)
      excerpt = around.map { "\($0 + 1) | \(file.lines[$0])" }
      var chain: [String] = []
      var next = file.includedFrom
      while let place = next {
        chain.append(Self.name(place, files))
        next = files[place.file].includedFrom
      }
      includedFrom = chain
    }

    private static func name(_ place: Place, _ files: [File]) -> String {
      "\(files[place.file].name):\(place.line + 1)"
    }

    /// The place and the way to it.
    public var description: String {
      ([place] + includedFrom.map { "included from \($0)" }).joined(separator: ", ")
    }
  }
}
