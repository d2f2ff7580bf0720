/// A path cut at its last slash.
package struct PathParts: Hashable {
  /// All up to and with the last slash; empty where there is none.
  package let prefix: String
  /// What follows; empty where the path ends in a slash.
  package let name: String

  package init(_ path: String) {
    let bytes = path.utf8
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
    self.prefix = String(path[..<start])
    self.name = String(path[start...])
  }

  /// The folder, as system calls want it.
  package var folder: String { prefix.isEmpty ? "." : prefix }

  /// The path of another file in the same folder.
  package func sibling(_ name: String) -> String { prefix + name }

  /// What follows the last dot of the name, in lower case; empty where there is none.
  package var fileExtension: String {
    dot.map { name[name.index(after: $0)...].lowercased() } ?? ""
  }

  /// The name up to its last dot.
  package var stem: String { dot.map { String(name[..<$0]) } ?? name }

  /// The last dot that does not hide the file.
  private var dot: String.Index? {
    name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 }
  }
}

/// The path of `name` in `folder`.
package func path(_ folder: String, _ name: String) -> String {
  folder.isEmpty || folder.hasSuffix("/") ? folder + name : folder + "/" + name
}
