import SafelightImage

/// The files below a folder, hidden ones left out.
package enum FileTree {
  /// The paths, from `folder`, of the files that `matches` accepts by their names, in natural order.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where a folder cannot be opened, `input` where a name is not UTF-8.
  package static func files(in folder: String, where matches: (String) -> Bool) throws -> [String] {
    try filesAndSpecial(in: folder, where: matches).names
  }

  /// The same, and the paths of the pipes, sockets and devices that `matches` accepts, in order.
  static func filesAndSpecial(
    in folder: String, where matches: (String) -> Bool
  ) throws -> (names: [String], special: [String]) {
    var (found, special): ([String], [String]) = ([], [])
    var waiting = [""]
    while let inner = waiting.popLast() {
      let place = inner.isEmpty ? folder : path(folder, inner)
      let here = try Folder.filesAndSpecial(in: place, where: matches)
      found += here.names.map { path(inner, $0) }
      special += here.special.map { path(inner, $0) }
      waiting += try AtomicFolder.folders(in: place).map { path(inner, $0) }
    }
    // Swift compares text by what it means, a file system by its bytes: é has two spellings.
    var known: Set<String> = []
    for name in found where !known.insert(name).inserted {
      throw SafelightError(
        .input, path(folder, name), why: "two files have this name in two spellings of Unicode", remedy: "rename one")
    }
    return (NaturalOrder.sorted(found), special.sorted())
  }
}
