import SafelightFrames
import SafelightImage

/// The files below a folder, hidden ones left out.
enum FileTree {
  /// The paths, from `folder`, of the files that `matches` accepts by their names, in natural order.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where a folder cannot be opened, `input` where a name is not UTF-8.
  static func files(in folder: String, where matches: (String) -> Bool) throws -> [String] {
    var found: [String] = []
    var waiting = [""]
    while let inner = waiting.popLast() {
      let place = inner.isEmpty ? folder : path(folder, inner)
      found += try Folder.files(in: place, where: matches).map { path(inner, $0) }
      waiting += try AtomicFolder.folders(in: place).map { path(inner, $0) }
    }
    // Swift compares text by what it means, a file system by its bytes: é has two spellings.
    var known: Set<String> = []
    for name in found where !known.insert(name).inserted {
      throw SafelightError(
        .input, path(folder, name), why: "two files have this name in two spellings of Unicode", remedy: "rename one")
    }
    return NaturalOrder.sorted(found)
  }
}
