internal import Glibc
internal import SafelightImage

/// Shader files on disk.
enum LibraryFolder {
  /// `path` itself where it is a file, else the functions' files in it, in alphabetical order.
  static func files(at path: String) throws(SafelightError) -> [String] {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw SafelightError(
        .missingInput, path, why: String(errno: errno), remedy: "name a file or a folder of shaders")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
    let names = try names(in: path).filter { name in LibrarySource.types.keys.contains { name.hasSuffix($0) } }
    guard !names.isEmpty else {
      throw SafelightError(
        .missingInput, path, why: "it holds no file that ends in .comp, .vert or .frag",
        remedy: "name the folder of the shaders")
    }
    return names.sorted().map { "\(path)/\($0)" }
  }

  private static func names(in path: String) throws(SafelightError) -> [String] {
    guard let folder = unsafe opendir(path) else {
      throw SafelightError(
        .missingInput, path, why: String(errno: errno), remedy: "make it a folder that you may read")
    }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}

extension String {
  /// The system's words for an error.
  init(errno code: Int32) {
    var words = [CChar](repeating: 0, count: 256)
    let status = unsafe strerror_r(code, &words, words.count)
    self =
      status == 0
      ? String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : "error \(code)"
  }
}
