internal import SafelightImage
internal import SafelightShaders

/// Cuts a text into its functions.
///
/// A line `#pragma kernel blur` (or `vertex`, `fragment`) begins the function `blur`, which ends at the next such line. What
/// stands before the first belongs to all of them. A text without such a line is one function.
struct LibrarySource {
  /// A function that has not been read yet.
  struct Entry: Sendable {
    let name: String
    let type: ShaderFunction.FunctionType?
    let parts: [ShaderText]
  }

  let entries: [Entry]

  /// Reads `text`, whose only function, where it marks none, is `name`.
  init(_ text: ShaderText, name: String, type: ShaderFunction.FunctionType?) throws(SafelightError) {
    let rows = text.contents.split(omittingEmptySubsequences: false) { $0.isNewline }
    var marks: [(line: Int, type: ShaderFunction.FunctionType, name: String)] = []
    for (line, row) in rows.enumerated() {
      let words = row.split { $0 == " " || $0 == "\t" }
      guard words.count >= 2, words[0] == "#pragma", let type = ShaderFunction.FunctionType(rawValue: String(words[1]))
      else { continue }
      guard words.count == 3 else {
        throw SafelightError(
          .input, "\(text.name):\(line + 1)", why: "'\(row)' names no function",
          remedy: "write #pragma \(words[1]) name")
      }
      let name = String(words[2])
      if let other = marks.first(where: { $0.name == name }) {
        throw SafelightError(
          .input, "\(text.name):\(line + 1)", why: "function '\(name)' begins on line \(other.line + 1) already",
          remedy: "rename one of them")
      }
      marks.append((line, type, name))
    }
    guard let first = marks.first else {
      entries = [Entry(name: name, type: type, parts: [text])]
      return
    }
    let ends = marks.dropFirst().map(\.line) + [rows.count]
    entries = zip(marks, ends).map { mark, end in
      Entry(
        name: mark.name, type: mark.type,
        parts: [text.cut(to: 0..<first.line), text.cut(to: mark.line + 1..<end)])
    }
  }

  /// Reads a file; its only function, where it marks none, has the file's name without the extension.
  init(reading path: String) throws(SafelightError) {
    guard let text = ShaderText(reading: path) else {
      throw SafelightError(.missingInput, path, why: "it cannot be read", remedy: "name a file or a folder of shaders")
    }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let dot = file.lastIndex(of: ".") ?? file.endIndex
    try self.init(text, name: String(file[..<dot]), type: Self.types[String(file[dot...])])
  }

  /// The stages that the extensions of the reference compiler mean.
  static let types: [String: ShaderFunction.FunctionType] = [
    ".comp": .kernel, ".vert": .vertex, ".frag": .fragment,
  ]
}
