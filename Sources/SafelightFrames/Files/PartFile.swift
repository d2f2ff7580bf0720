import Glibc
import SafelightImage

/// A hidden file beside its target, locked by the process that writes it for as long as that lives.
///
/// The lock (flock(2)) ends with the process, however it ends, so what a killed one leaves behind can be told from what another writes.
/// File systems without such locks keep what is left behind.
struct PartFile {
  let path: String
  let descriptor: Int32

  /// Creates one for `target`, which errors call `name`.
  ///
  /// Another process may have the same number in another container, and a killed one leaves its file: a name in use is never taken over.
  static func create(besides target: String, name: String) throws(SafelightError) -> PartFile {
    let place = PathParts(target)
    let names = PartName(of: place.name)
    for attempt in 0..<1000 {
      let part = place.sibling(names.name(attempt))
      let descriptor = uninterrupted { unsafe open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
      if descriptor >= 0 {
        if isLocked(descriptor) { return PartFile(path: part, descriptor: descriptor) }
        // Who removes dead parts saw it before it was locked, and removes it.
        close(descriptor)
      } else if errno != EEXIST {
        throw fileError(.output, name, cannotBe: "created", code: errno)
      }
    }
    throw SafelightError(
      .output, name, why: "a thousand unfinished copies of it stand beside it",
      remedy: "remove the files \(names.name(0)) and the like in its folder")
  }

  /// Locks a new file; false where it is about to be removed, or was.
  private static func isLocked(_ descriptor: Int32) -> Bool {
    let result = uninterrupted { flock(descriptor, LOCK_EX | LOCK_NB) }
    if result != 0 { return errno != EWOULDBLOCK }
    return FileStatus(descriptor: descriptor)?.linkCount != 0
  }

  /// Removes what dead processes of this host left beside `targets` unfinished; returns how many. Living ones keep theirs, and so do
  /// folders that cannot be listed.
  static func removeDead(besides targets: [String]) -> Int {
    var count = 0
    for (folder, targets) in Dictionary(grouping: targets.map { PathParts($0) }, by: \.folder) {
      let names = Dictionary(
        targets.map { PartName(of: $0.name) }.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
      let hidden = (try? Folder.hiddenNames(in: folder)) ?? []
      for name in hidden {
        guard let key = PartName.stem(of: name), names[key]?.isOfThisHost(name) == true else { continue }
        if removeIfDead(SafelightFrames.path(folder, name)) { count += 1 }
      }
    }
    return count
  }

  private static func removeIfDead(_ path: String) -> Bool {
    // For writing: network file systems lock for the sole use of one only what is open so.
    let descriptor = uninterrupted { unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard let opened = FileStatus(descriptor: descriptor), opened.kind == .file,
      uninterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0
    else { return false }
    // Its writer may have finished meanwhile. Now that the lock is here, nobody else gives the name to another file.
    guard FileStatus(path)?.identity == opened.identity else { return false }
    return unsafe unlink(path) == 0
  }
}
