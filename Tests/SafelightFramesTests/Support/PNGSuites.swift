import Foundation
import Testing

/// The files that `scripts/fetch-png-suites` fetched.
enum PNGSuites {
  /// A file, by its place under the folder of the suites.
  struct File: CustomTestStringConvertible, Sendable {
    let path: String

    var name: String { String(path.split(separator: "/").last ?? "") }
    var testDescription: String { path }

    func bytes() throws -> [UInt8] { try [UInt8](Data(contentsOf: PNGSuites.folder.appending(path: path))) }
  }

  static let folder: URL = {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["SAFELIGHT_PNG_SUITES"] { return URL(filePath: named) }
    let cache = environment["XDG_CACHE_HOME"].map { URL(filePath: $0) } ?? URL.homeDirectory.appending(path: ".cache")
    return cache.appending(path: "safelight/png-suites")
  }()

  /// A folder that somebody names must be there; the cache may be missing.
  static let isThere =
    ProcessInfo.processInfo.environment["SAFELIGHT_PNG_SUITES"] != nil
    || FileManager.default.fileExists(atPath: folder.appending(path: "ready").path)

  /// All PNG files, in the order of their names; none where the folder is missing.
  static let files: [File] = {
    let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(".png") }.sorted().map(File.init)
  }()

  static func files(in suite: String) -> [File] { files.filter { $0.path.hasPrefix(suite + "/") } }
}
