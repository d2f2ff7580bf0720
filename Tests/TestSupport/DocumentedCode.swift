import Foundation
package import Testing

/// A page whose code is that of other files, such as a test's: each block occurs there, line by line.
///
/// Imports, indentation and empty lines do not count.
package struct DocumentedCode {
  /// The page, from the package's folder.
  package let page: String
  /// The page's blocks in one language, in order.
  package let blocks: [[String]]

  package init(_ page: String, in language: String = "swift") throws {
    self.page = page
    let text = try String(contentsOf: Self.package.appending(path: page), encoding: .utf8)
    blocks = text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first.map(Self.lines)
    }
  }

  /// Expects `count` blocks, in their order in the Swift file `source`; there, each first text of `names` stands for
  /// its second on the page.
  package func expect(
    _ count: Int, blocksIn source: String, naming names: [String: String] = [:],
    at location: SourceLocation = #_sourceLocation
  ) throws {
    var code = try String(contentsOfFile: source, encoding: .utf8)
    for (here, there) in names { code = code.replacing(here, with: there) }
    let missing = Self.missing(blocks, in: Self.lines(code))
    #expect(missing.isEmpty, "\(page) shows code that no test runs in its order", sourceLocation: location)
    #expect(blocks.count == count, "\(page)", sourceLocation: location)
  }

  /// Returns the blocks that do not occur in `code`, each after the one before.
  package static func missing(_ blocks: [[String]], in code: [String]) -> [[String]] {
    var rest = code[...]
    return blocks.filter { block in
      guard let range = rest.firstRange(of: block) else { return true }
      rest = rest[range.upperBound...]
      return false
    }
  }

  /// Returns the lines of a text that are compared.
  package static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
      !$0.isEmpty && !$0.hasPrefix("import ")
    }
  }

  private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardized
}
