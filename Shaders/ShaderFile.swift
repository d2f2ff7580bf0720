internal import Glibc

/// Shader texts on disk.
public enum ShaderFile {
  /// All of a file as text; nil where it cannot be read.
  public static func read(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
    // A folder opens, but does not read.
    return ferror(file) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// What lies before the last slash.
  public static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// One name for a file, whichever way led to it; the path as it is where there is no file.
  static func identity(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
