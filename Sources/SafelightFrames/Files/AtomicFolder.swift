import Glibc
import SafelightImage

/// A folder that appears whole or not at all.
///
/// Files are written to a hidden folder beside it, which is renamed at the end. A folder that is abandoned, by an error
/// or by leaving its scope, leaves nothing behind.
public struct AtomicFolder: ~Copyable {
  private let part: String
  private let parent: String
  /// The files and folders to remove if the folder is abandoned, in order of creation.
  private var made: [String]
  private var isOpen: Bool

  /// Begins a folder in `parent`, which is created if it is missing; `stem` names the hidden folder.
  ///
  /// - Throws: ``SafelightError`` of kind `output` if it cannot be created.
  public init(in parent: String, stem: String) throws {
    try Folder.make(parent)
    part = try Self.createPart(in: parent, stem: stem)
    self.parent = parent
    made = []
    isOpen = true
  }

  deinit {
    guard isOpen else { return }
    for path in made.reversed() where unsafe unlink(path) != 0 { unsafe rmdir(path) }
    unsafe rmdir(part)
  }

  /// Writes a file; `name` may contain one folder, which is created.
  ///
  /// - Throws: ``SafelightError`` of kind `output` if it cannot be created, `transfer` if writing fails halfway.
  public mutating func write(_ bytes: [UInt8], to name: String) throws {
    let folder = PathParts(name).prefix
    if !folder.isEmpty {
      let folder = path(part, folder)
      if unsafe mkdir(folder, 0o777) == 0 {
        made.append(folder)
      } else if errno != EEXIST {
        throw fileError(.output, folder, cannotBe: "created", code: errno)
      }
    }
    let path = path(part, name)
    let file = try AtomicFile(path: path)
    made.append(path)
    try file.write(bytes)
    try file.commit()
  }

  /// Gives the folder its name in the parent; returns false, with nothing changed, if that name is taken.
  ///
  /// - Throws: ``SafelightError`` of kind `output` if the folder cannot be renamed.
  public mutating func commit(as name: String) throws -> Bool {
    let target = path(parent, name)
    if unsafe rename(part, target) == 0 {
      isOpen = false
      return true
    }
    let code = errno
    // A file, or a folder that is not empty.
    if [EEXIST, ENOTEMPTY, ENOTDIR].contains(code) { return false }
    throw fileError(.output, target, cannotBe: "created", code: code)
  }

  private static func createPart(in parent: String, stem: String) throws -> String {
    for attempt in 0..<1000 {
      let number = attempt == 0 ? "\(getpid())" : "\(getpid())-\(attempt)"
      let part = path(parent, ".\(stem).\(number).part")
      if unsafe mkdir(part, 0o777) == 0 { return part }
      if errno != EEXIST { throw fileError(.output, part, cannotBe: "created", code: errno) }
    }
    throw SafelightError(
      .output, parent, why: "it holds a thousand unfinished folders .\(stem).*.part",
      remedy: "remove these unfinished folders")
  }
}

extension AtomicFolder {
  /// Returns the sorted names of the folders in `folder`, except hidden ones.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if it cannot be opened, `input` if the name of a folder in it
  ///   is not UTF-8.
  public static func folders(in folder: String) throws -> [String] {
    try Folder.namesBesideFiles(in: folder).filter { FileStatus(path(folder, $0))?.kind == .folder }.sorted()
  }
}
