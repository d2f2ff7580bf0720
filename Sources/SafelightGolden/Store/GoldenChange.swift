import FoundationEssentials
import Glibc
import SafelightFrames
import SafelightImage

/// A change of a golden folder that happens in full or not at all, even if the process ends.
///
/// Pictures and manifests are written to the hidden folder `.change.part`, with a list of the files to remove.
/// ``commit()`` renames it to `.change`: from then on its contents count, and are moved to their places. Readers in
/// between read them there; the next writer finishes the move. There is one writer at a time: the folder is locked
/// (flock(2)), and the next one waits.
public struct GoldenChange: ~Copyable {
  /// The folder before the change.
  public let before: GoldenFolder
  private let path: String
  private let lock: Int32
  /// True if the folder was created for this change.
  private let isNew: Bool
  /// The manifests that change, by the prefixes of their folders.
  private var manifests: [String: GoldenManifest] = [:]
  /// The files to remove, by their paths from the folder.
  private var obsolete: [String] = []

  /// Returns the folder of a committed change whose files may not have been moved yet.
  static func committed(in folder: String) -> String { SafelightFrames.path(folder, ".change") }
  /// The list of the files to remove, in that folder. It is hidden, so that it is not moved as they are.
  private static let removals = ".removed"
  private static func unfinished(in folder: String) -> String { SafelightFrames.path(folder, ".change.part") }

  /// Begins a change of the folder at `path`, which is created if missing, and finishes an interrupted one.
  ///
  /// - Throws: ``SafelightError`` of kind `output` if the folder cannot be written to, and the errors of opening it.
  public init(of path: String) throws {
    let isNew = !fileExists(path)
    try Folder.make(path)
    let lock = uninterrupted { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard lock >= 0 else { throw fileError(.output, path, cannotBe: "opened", code: errno) }
    // A file system without such locks is written to without one.
    _ = uninterrupted { flock(lock, LOCK_EX) }
    do {
      try Self.finish(path)
      let part = Self.unfinished(in: path)
      if fileExists(part) { try Self.remove(part) }
      before = try GoldenFolder(orEmpty: path)
    } catch {
      close(lock)
      throw error
    }
    self.isNew = isNew
    self.path = path
    self.lock = lock
  }

  deinit {
    // The next change removes what cannot be removed now.
    let part = Self.unfinished(in: path)
    if fileExists(part) { try? Self.remove(part) }
    // Removes nothing but an empty folder: rmdir(2).
    if isNew { unsafe rmdir(path) }
    close(lock)
  }

  /// Stages `file` under a path from the folder.
  mutating func write(_ file: [UInt8], to name: String) throws {
    obsolete.removeAll { $0 == name }
    let target = SafelightFrames.path(Self.unfinished(in: path), name)
    try Folder.make(PathParts(target).folder)
    try AtomicFile.write(file, to: target)
  }

  /// Stages the removal of the file at `name`, if it exists.
  mutating func removeFile(_ name: String) { obsolete.append(name) }

  /// - Throws: ``SafelightError`` of kind `usage` if `row` lets damage of `image` pass that no tolerance may, or lets
  ///   `image` pass all black or in one color.
  func checkSoundness(_ row: GoldenManifest.Row, _ image: Image, _ mask: ImageMask?, named name: String) throws {
    let tolerance = try Tolerance(row.tolerance)
    guard tolerance != .exact else { return }
    let canary = try MutationTrial(image, tolerance: tolerance, mask: mask)
    let loss = try MutationTrial.loss(of: image, tolerance: tolerance, mask: mask)
    guard let why = canary.isSound ? loss : canary.description else { return }
    throw SafelightError(.usage, name, why: "“\(tolerance)”: \(why)", remedy: "give a tighter tolerance")
  }

  /// Returns the row of the golden `name` after the change.
  func row(_ name: String) -> GoldenManifest.Row? {
    let place = PathParts(name)
    return manifests[place.prefix].map { $0.goldens[place.name] } ?? before.rows[name]
  }

  /// Stages the row of the golden `name`; nil removes it.
  mutating func set(_ row: GoldenManifest.Row?, for name: String) throws {
    let place = PathParts(name)
    if manifests[place.prefix] == nil {
      let file = place.sibling(GoldenManifest.fileName)
      manifests[place.prefix] = try before.files[file].map { try GoldenManifest(reading: $0) } ?? GoldenManifest()
    }
    manifests[place.prefix]?.goldens[place.name] = row
  }

  /// Commits the change.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if a file would belong to two goldens, `output` or `transfer` if
  ///   writing fails. Before the renaming nothing has changed then; after it the error says that the change counts, and
  ///   the next change finishes it.
  public consuming func commit() throws {
    for (prefix, manifest) in manifests {
      let file = prefix + GoldenManifest.fileName
      if let fault = manifest.sharedFile {
        throw SafelightError(.usage, SafelightFrames.path(path, file), why: fault, remedy: "rename one of them")
      }
      if manifest.goldens.isEmpty { removeFile(file) } else { try write(manifest.jsonFile(), to: file) }
    }
    guard !manifests.isEmpty else { return }
    if !obsolete.isEmpty { try write(Array(JSONEncoder().encode(obsolete)), to: Self.removals) }
    try checkPlaces()
    try Self.rename(Self.unfinished(in: path), Self.committed(in: path))
    do {
      try Self.finish(path)
    } catch let error as SafelightError {
      throw SafelightError(
        error.kind, error.what,
        why: "\(error.why); the change took effect, but its files still lie in \(Self.committed(in: path))",
        remedy: "remove what stops the files from being moved; the next change moves them")
    }
  }

  /// - Throws: ``SafelightError`` if a file could not be moved to its place, while nothing has changed yet.
  private func checkPlaces() throws {
    for name in try FileTree.files(in: Self.unfinished(in: path), where: { _ in true }) {
      let target = SafelightFrames.path(path, name)
      try Folder.make(PathParts(target).folder)
      let isFree = unsafe access(PathParts(target).folder, W_OK | X_OK) == 0
      guard isFree else { throw fileError(.output, target, cannotBe: "replaced", code: errno) }
      if Folder.exists(target) { throw fileError(.output, target, cannotBe: "replaced", code: EISDIR) }
    }
    for name in obsolete {
      let target = SafelightFrames.path(path, name)
      guard fileExists(target), unsafe access(PathParts(target).folder, W_OK | X_OK) != 0 else { continue }
      throw fileError(.output, target, cannotBe: "removed", code: errno)
    }
  }

  /// Returns the files that the change in `folder` removes.
  static func removed(by folder: String) throws -> [String] {
    let list = SafelightFrames.path(folder, removals)
    guard fileExists(list) else { return [] }
    let names = try? JSONDecoder().decode([String].self, from: Data(readRegularFile(list, limit: 1 << 28)))
    // Nothing outside of the goldens is removed, whoever wrote the list.
    guard let names, names.allSatisfy({ !$0.split(separator: "/").contains("..") }) else {
      throw SafelightError(.input, list, why: "it is not a list of files to remove", remedy: "remove \(folder)")
    }
    return names
  }

  /// Moves the files of a committed change to their places.
  private static func finish(_ folder: String) throws {
    let change = committed(in: folder)
    guard fileExists(change) else { return }
    for name in try FileTree.files(in: change, where: { _ in true }) {
      let target = SafelightFrames.path(folder, name)
      try Folder.make(PathParts(target).folder)
      try rename(SafelightFrames.path(change, name), target)
    }
    for name in try removed(by: change) {
      try AtomicFile.remove(SafelightFrames.path(folder, name))
      removeEmptyFolders(above: name, in: folder)
    }
    try remove(change)
  }

  /// Removes empty folders, which version control does not keep either.
  private static func removeEmptyFolders(above name: String, in folder: String) {
    var inner = PathParts(name).prefix
    // Removes nothing but empty folders: rmdir(2).
    while !inner.isEmpty, unsafe rmdir(SafelightFrames.path(folder, inner)) == 0 {
      inner = PathParts(String(inner.dropLast())).prefix
    }
  }

  private static func rename(_ old: String, _ new: String) throws(SafelightError) {
    guard unsafe Glibc.rename(old, new) == 0 else { throw fileError(.output, new, cannotBe: "created", code: errno) }
  }

  private static func remove(_ folder: String) throws {
    do {
      try FileManager.default.removeItem(atPath: folder)
    } catch {
      throw SafelightError(.output, folder, why: "it cannot be removed: \(error)", remedy: "remove it by hand")
    }
  }
}
