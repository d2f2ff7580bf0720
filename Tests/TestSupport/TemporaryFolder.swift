package import Foundation
import SafelightFrames
package import SafelightImage
import Testing

/// A folder that is removed with its owner, such as a suite, of which each test has its own.
package final class TemporaryFolder {
  package let url = FileManager.default.temporaryDirectory.appending(path: "safelight-\(UUID().uuidString)")
  package var path: String { url.path }

  package init() {
    do { try make() } catch { Issue.record("\(path) is not made: \(error)") }
  }

  /// Makes one with files of these texts.
  package convenience init(_ texts: [String: String]) throws {
    self.init()
    for (name, text) in texts { try write(text, to: name) }
  }

  deinit {
    do { try FileManager.default.removeItem(at: url) } catch { Issue.record("\(path) stays behind: \(error)") }
  }

  /// Returns the path of `name` inside.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  // MARK: Reading

  package func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: url.appending(path: name))) }
  package func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }
  package func image(_ name: String) throws -> Image { try PNGFile(reading: path(name)).image }

  /// Returns every name in a folder, hidden ones included, sorted.
  package func names(_ folder: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
  }

  /// Returns every name without hidden ones, sorted.
  package func visibleNames() throws -> [String] { try Self.visibleNames(in: path) }

  package static func visibleNames(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }.sorted()
  }

  /// Returns the path of everything in a folder, at any depth, sorted.
  package func allNames(_ folder: String = "") throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path(folder)).sorted()
  }

  // MARK: Writing

  /// Writes a file, in folders made as needed; returns its path.
  @discardableResult
  package func write(_ bytes: [UInt8] = [], to name: String) throws -> String {
    try FileManager.default.createDirectory(
      at: url.appending(path: name).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url.appending(path: name))
    return path(name)
  }

  @discardableResult
  package func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }

  @discardableResult
  package func write(_ image: Image, to name: String) throws -> String {
    try write(PNGEncoder.encode(PNGFile(image: image)), to: name)
  }

  /// Makes a folder and those around it; returns its path.
  @discardableResult
  package func make(_ folder: String = "") throws -> String {
    try FileManager.default.createDirectory(atPath: path(folder), withIntermediateDirectories: true)
    return path(folder)
  }

  package func copy(_ source: String, to name: String) throws {
    try FileManager.default.copyItem(atPath: source, toPath: path(name))
  }

  package func move(_ old: String, to new: String) throws {
    try FileManager.default.moveItem(atPath: path(old), toPath: path(new))
  }

  package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }
}
