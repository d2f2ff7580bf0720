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
  /// The text without line comments; enough for sources whose formatter forbids block comments.
  ///
  /// By hand: a regular expression takes seconds for all sources.
  var withoutComments: String {
    let bytes = Array(utf8)
    let (slash, newline) = (UInt8(ascii: "/"), UInt8(ascii: "\n"))
    var code: [UInt8] = []
    var isComment = false
    for (index, byte) in bytes.enumerated() {
      if byte == newline {
        isComment = false
      } else if byte == slash, bytes[index...].dropFirst().first == slash {
        isComment = true
      }
      if !isComment { code.append(byte) }
    }
    return String(decoding: code, as: UTF8.self)
  }

  /// Its words: letters, digits and underscores of ASCII.
  var words: [Substring] {
    let isBreak = { (byte: UInt8) in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): false
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 128...: false
      default: true
      }
    }
    return utf8.split(whereSeparator: isBreak).map { Substring($0) }
  }

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
