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
    guard let all = Folder.names(in: path) else {
      throw SafelightError(
        .missingInput, path, why: String(errno: errno), remedy: "make it a folder that you may read")
    }
    let names = all.filter { name in LibrarySource.types.keys.contains { name.hasSuffix($0) } }
    guard !names.isEmpty else {
      throw SafelightError(
        .missingInput, path, why: "it holds no file that ends in .comp, .vert or .frag",
        remedy: "name the folder of the shaders")
    }
    return names.sorted().map { "\(path)/\($0)" }
  }
}
