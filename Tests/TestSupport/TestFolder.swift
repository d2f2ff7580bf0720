import FoundationEssentials

/// A folder of files, removed with its owner.
package final class TestFolder {
  package let path: String

  /// Makes one of these texts; a name may lie in a folder of its own.
  package init(_ texts: [String: String] = [:]) throws {
    path = "/tmp/safelight-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    for (name, text) in texts {
      if let slash = name.lastIndex(of: "/") {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name[..<slash])", withIntermediateDirectories: true)
      }
      try write(Array(text.utf8), to: name)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
  }

  package func read(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: "\(path)/\(name)"))) }

  /// The names of what lies in it, without hidden ones, in order.
  package func names() throws -> [String] { try Self.names(in: path) }

  package static func names(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).filter { !$0.hasPrefix(".") }.sorted()
  }
}
