import FoundationEssentials

/// The files of this checkout.
enum Checkout {
  /// The folder of Package.swift.
  static let root: String = {
    var parts = #filePath.split(separator: "/")
    parts.removeLast(3)
    return "/" + parts.joined(separator: "/")
  }()

  struct File: CustomStringConvertible {
    /// From the root, such as `Sources/SafelightGPU/Device/Device.swift`.
    let path: String
    let text: String

    var description: String { path }
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  }

  /// The files under `folder` whose names end so, sorted.
  static func files(_ folder: String, endingIn suffixes: [String]) throws -> [File] {
    try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)").sorted()
      .filter { path in suffixes.contains { path.hasSuffix($0) } }
      .map { try file("\(folder)/\($0)") }
  }

  static func file(_ path: String) throws -> File {
    File(path: path, text: try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8))
  }
}

extension String {
  /// Line comments replaced by nothing; enough for sources whose formatter forbids block comments.
  var withoutComments: String { replacing(/\/\/[^\n]*/, with: "") }

  /// The modules that a Swift file imports, whatever stands before or after the word.
  var importedModules: [String] {
    let statement =
      #/
      ^\s*(?:@\w+(?:\([^)]*\))?\s+)*
      (?:(?:public|package|internal|fileprivate|private)\s+)?
      import\s+
      (?:(?:struct|class|enum|protocol|typealias|func|let|var|actor|macro)\s+)?
      (\w+)
      /#
    return withoutComments.split(separator: "\n").compactMap {
      $0.firstMatch(of: statement).map { String($0.output.1) }
    }
  }
}
