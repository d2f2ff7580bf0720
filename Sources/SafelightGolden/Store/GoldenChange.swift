import FoundationEssentials
import Glibc
import SafelightFrames
import SafelightImage

/// A change of a golden folder that happens whole or not at all, whenever the process ends.
///
/// Pictures and manifests are written to the hidden folder `.change.part`, with a list of the files that go. ``commit()`` renames it to
/// `.change`: from that instant on what is in it counts, and is then moved to where it belongs. Whoever reads in between reads it there;
/// whoever writes next finishes the move. There is one writer at a time: the folder is locked (flock(2)), and the next one waits.
public struct GoldenChange: ~Copyable {
  /// The folder as it was before.
  public let before: GoldenFolder
  private let path: String
  private let lock: Int32
  /// Whether the folder was made for this change.
  private let isNew: Bool
  /// The manifests that change, by their folders' prefixes.
  private var manifests: [String: GoldenManifest] = [:]
  /// The files that go, by their paths from the folder.
  private var obsolete: [String] = []

  /// What was changed and is perhaps not yet moved to where it belongs.
  static func committed(in folder: String) -> String { SafelightFrames.path(folder, ".change") }
  /// In it, the list of the files that go. It is hidden, so that it is not moved as they are.
  private static let removals = ".removed"
  private static func unfinished(in folder: String) -> String { SafelightFrames.path(folder, ".change.part") }

  /// Begins a change of the folder at `path`, which is made where it is missing, and finishes one that was interrupted.
  ///
  /// Throws a ``SafelightError`` of kind `output` where it cannot be written to, and what opening the folder throws.
  public init(of path: String) throws {
    let isNew = !fileExists(path)
    try Folder.make(path)
    let lock = uninterrupted { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard lock >= 0 else { throw fileError(.output, path, cannotBe: "opened", code: errno) }
    // File systems without such locks are written to without.
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
    // What cannot be removed now, the next change removes.
    let part = Self.unfinished(in: path)
    if fileExists(part) { try? Self.remove(part) }
    // Nothing but an empty folder is removed: rmdir(2).
    if isNew { unsafe rmdir(path) }
    close(lock)
  }

  /// Stages `file` under a path from the folder.
  mutating func write(_ file: [UInt8], to name: String) throws {
    obsolete.removeAll { $0 == name }
    let target = SafelightFrames.path(Self.unfinished(in: path), name)
    try Folder.make(PathParts(target).folder)
    let output = try AtomicFile(path: target)
    try output.write(file)
    try output.commit()
  }

  /// Stages that the file at `name` goes, if it is there.
  mutating func removeFile(_ name: String) { obsolete.append(name) }

  /// Throws a ``SafelightError`` of kind `usage` where `row` lets damage of `image` pass that no tolerance may.
  func checkSoundness(_ row: GoldenManifest.Row, _ image: Image, _ mask: ImageMask?, named name: String) throws {
    let tolerance = try Tolerance(row.tolerance)
    guard tolerance != .exact else { return }
    let canary = try Canary(image, tolerance: tolerance, mask: mask)
    guard !canary.isSound else { return }
    throw SafelightError(
      .usage, name, why: "“\(tolerance)”: \(canary)", remedy: "give a tighter tolerance")
  }

  /// The row of the golden `name`, as the change leaves it.
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

  /// Makes the change.
  ///
  /// Throws a ``SafelightError`` of kind `usage` if a file would belong to two goldens, `output` or `transfer` if writing fails; before the
  /// folder got its name nothing has changed then, and afterwards it says that the change counts, and the next one goes on with it.
  public consuming func commit() throws {
    for (prefix, manifest) in manifests {
      let file = prefix + GoldenManifest.fileName
      if let fault = manifest.sharedFile {
        throw SafelightError(.usage, SafelightFrames.path(path, file), why: fault, remedy: "call one of them otherwise")
      }
      if manifest.goldens.isEmpty { removeFile(file) } else { try write(manifest.bytes, to: file) }
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
        why: "\(error.why); the change counts all the same: it lies in \(Self.committed(in: path))",
        remedy: "see that its files can be moved from there; the next change does it")
    }
  }

  /// Throws where a file could not be moved to its place, while nothing has changed yet.
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

  /// The files that go by the change that lies in `folder`.
  static func removed(by folder: String) throws -> [String] {
    let list = SafelightFrames.path(folder, removals)
    guard fileExists(list) else { return [] }
    let names = try? JSONDecoder().decode([String].self, from: Data(readRegularFile(list, limit: 1 << 28)))
    // Nothing outside of the goldens is removed, whoever wrote the list.
    guard let names, names.allSatisfy({ !$0.split(separator: "/").contains("..") }) else {
      throw SafelightError(.input, list, why: "it is no list of files that go", remedy: "remove \(folder)")
    }
    return names
  }

  /// Moves what a change left to where it belongs.
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

  /// Version control does not keep empty folders either.
  private static func removeEmptyFolders(above name: String, in folder: String) {
    var inner = PathParts(name).prefix
    // Nothing but an empty folder is removed: rmdir(2).
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
      throw SafelightError(.output, folder, why: "it cannot be removed: \(error)", remedy: "remove it")
    }
  }
}

extension GoldenChange {
  /// Makes `candidate` the golden of its name, whatever was there; `tolerance` and `mask` replace the golden's own where they are given.
  ///
  /// With a variant, that picture alone: the default serves every driver without one. Throws a ``SafelightError`` of kind `usage` without a
  /// reason, for a variant with the pixels of the default and where the tolerance lets damage of the whole picture pass, `missingFrame` for a
  /// variant of what has no default, `incomparable` where variants would be of different kinds, and what the mask throws.
  public mutating func approve(
    _ candidate: GoldenCandidate, variant: String? = nil, tolerance: Tolerance? = nil, mask: GoldenMask? = nil,
    provenance: GoldenProvenance
  ) throws {
    let (name, image) = (candidate.name, candidate.image)
    try GoldenName.check(name)
    try check(provenance)
    if let variant { try GoldenName.check(variant: variant) }
    let key = variant ?? GoldenManifest.defaultPicture
    var row = try row(name) ?? newRow(image, named: name, variant)
    try check(image, named: name, against: row, replacing: key)
    (row.width, row.height, row.channels, row.depth) = (
      image.size.width, image.size.height, image.channels, image.depth
    )
    if let tolerance { row.tolerance = tolerance.description }

    let part = try effectiveMask(of: name, row, mask)
    if let mask { try set(mask, for: name, &row) }
    try checkSoundness(row, image, part, named: name)
    if mask != nil { try hashAgain(&row, named: name, part, but: key) }
    let pixels = try part.hash(image)
    if variant != nil, row.pictures[GoldenManifest.defaultPicture]?.pixels == pixels {
      throw SafelightError(
        .usage, name, why: "it has the pixels of the default picture, which serves every driver",
        remedy: "approve no variant of it")
    }
    var provenance = provenance
    if let known = row.pictures[key], known.pixels == pixels {
      // The same pixels were made as they were.
      provenance.made = provenance.made ?? known.made
      provenance.device = provenance.device ?? known.device
    }
    row.pictures[key] = GoldenManifest.Picture(pixels, provenance)
    try write(candidate.file, to: GoldenName.file(name, variant))
    try set(row, for: name)
  }

  private func check(_ provenance: GoldenProvenance) throws(SafelightError) {
    guard let reason = provenance.reason, reason.contains(where: { !$0.isWhitespace }) else {
      throw SafelightError(
        .usage, "approval", why: "it has no reason", remedy: "say why the pictures are right", setting: .reason)
    }
  }

  private func newRow(
    _ image: Image, named name: String, _ variant: String?
  ) throws(SafelightError) -> GoldenManifest.Row {
    if let variant {
      throw SafelightError(
        .missingFrame, name, why: "\(variant) would be a variant of a golden that is not there",
        remedy: "record the default first, which serves every driver without a variant")
    }
    return GoldenManifest.Row(image, tolerance: .exact)
  }

  /// All pictures of a golden are of one kind.
  private func check(
    _ image: Image, named name: String, against row: GoldenManifest.Row, replacing key: String
  ) throws(SafelightError) {
    let others = row.pictures.keys.filter { $0 != key }.sorted()
    let isSame = Size(row.width, row.height) == image.size && row.channels == image.channels && row.depth == image.depth
    guard isSame || others.isEmpty else {
      throw SafelightError(
        .incomparable, name,
        why:
          "it is \(image.size) \(image.channels.rawValue) \(image.depth.rawValue) bit, and \(others.joined(separator: ", ")) "
          + "\(row.width)×\(row.height) \(row.channels.rawValue) \(row.depth.rawValue) bit",
        remedy: others.contains(GoldenManifest.defaultPicture)
          ? "remove all of it, and record it anew: \(before.removal(of: name))"
          : "remove its variants first: "
            + others.map { "\(before.removal(of: name)) --variant \($0.quotedForShell)" }.joined(separator: "; "))
    }
  }

  /// The mask that the golden has from now on.
  private func effectiveMask(
    of name: String, _ row: GoldenManifest.Row, _ new: GoldenMask?
  ) throws -> ImageMask? {
    if let new { return try new.mask(of: Size(row.width, row.height), name: name) }
    return try before.mask(of: name, row)
  }

  private mutating func set(_ mask: GoldenMask, for name: String, _ row: inout GoldenManifest.Row) throws {
    let file = GoldenName.file(name, GoldenName.mask)
    if row.hasMaskFile { removeFile(file) }
    switch mask {
    case .none: row.mask = nil
    case .regions(let regions): row.mask = GoldenMask.text(regions)
    case .file(let bytes):
      try write(bytes, to: file)
      row.mask = PathParts(file).name
    }
  }

  /// Another mask leaves other pixels of the pictures that stay.
  private func hashAgain(
    _ row: inout GoldenManifest.Row, named name: String, _ mask: ImageMask?, but key: String
  ) throws {
    for other in row.pictures.keys where other != key {
      let variant = other == GoldenManifest.defaultPicture ? nil : other
      guard let golden = try before.golden(named: name, variant: variant), let image = try golden.picture() else {
        throw SafelightError(
          .input, name, why: "its picture \(other) is a pointer of Git LFS, and the mask changes its hash",
          remedy: GitLFSPointer.remedy)
      }
      row.pictures[other]?.pixels = try mask.hash(image)
    }
  }
}
