import SafelightImage

/// The files below a folder, hidden ones left out. A link back to a folder that it lies in is not followed: what is
/// there is taken.
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
    var waiting: [(inner: String, above: [FileStatus.Identity])] = [("", [])]
    while let (inner, above) = waiting.popLast() {
      let place = inner.isEmpty ? folder : path(folder, inner)
      let here = try Folder.filesAndSpecial(in: place, where: matches)
      found += here.names.map { path(inner, $0) }
      special += here.special.map { path(inner, $0) }
      let known = above + [FileStatus(place)?.identity].compactMap { $0 }
      waiting += try AtomicFolder.folders(in: place).compactMap { name in
        guard let identity = FileStatus(path(place, name))?.identity, !known.contains(identity) else { return nil }
        return (path(inner, name), known)
      }
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
