import SafelightFrames
import SafelightImage

/// Approved pictures on disk, as they are when the folder is opened. Never writes; ``GoldenChange`` does.
///
/// The pictures lie in folders of any depth, each with a `golden.json` that has a row for every golden in it:
///
///     goldens/blur/golden.json
///     goldens/blur/soft.png             the golden blur/soft, for every driver
///     goldens/blur/soft@software.png    a variant for one of them
///     goldens/blur/soft@mask.png        what of it is not compared
///     goldens/blur/soft@2x.png          another golden, blur/soft@2x, unless golden.json has a variant 2x
///
/// Any of these folders is a golden folder too. Every row must be compared: one without a candidate is a failure.
public struct GoldenFolder: Sendable {
  /// The path as given.
  public let path: String
  /// The goldens' names, in natural order.
  public let names: [String]
  /// The files below it, by path from here, with their places; an interrupted change is read as done.
  let files: [String: String]
  let rows: [String: GoldenManifest.Row]
  /// A codec whose memory all readers share.
  let codec = PNGCodec()

  /// Opens the folder at `path`.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if it does not exist or is empty, `input` if it has pictures
  ///   and no `golden.json`, or a damaged one.
  public init(_ path: String) throws {
    try self.init(orEmpty: path)
    guard names.isEmpty else { return }
    if let picture = files.keys.sorted().first(where: GoldenName.isPicture) {
      throw SafelightError(
        .input, path, why: "it has pictures, such as \(picture), but no \(GoldenManifest.fileName) that lists them",
        remedy: "move them into another folder and record them: safelight golden record \(path) THAT_FOLDER")
    }
    throw SafelightError(
      .missingInput, path, why: "it contains no golden", remedy: "record some: safelight golden record \(path) PICTURES"
    )
  }

  /// Opens a folder that may be empty.
  init(orEmpty path: String) throws {
    self.path = path
    files = try Self.files(path)
    var rows: [String: GoldenManifest.Row] = [:]
    for (file, place) in files where PathParts(file).name == GoldenManifest.fileName {
      for (name, row) in try GoldenManifest(reading: place).goldens { rows[PathParts(file).sibling(name)] = row }
    }
    self.rows = rows
    names = NaturalOrder.sorted(Array(rows.keys))
  }

  private static func files(_ folder: String) throws -> [String: String] {
    func below(_ folder: String) throws -> [String: String] {
      let names = try FileTree.files(in: folder) { GoldenName.isPicture($0) || $0 == GoldenManifest.fileName }
      return Dictionary(uniqueKeysWithValues: names.map { ($0, SafelightFrames.path(folder, $0)) })
    }
    let change = GoldenChange.committed(in: folder)
    guard fileExists(change) else { return try below(folder) }
    let removed = Set(try GoldenChange.removed(by: change))
    return try below(folder).filter { !removed.contains($0.key) }.merging(below(change)) { $1 }
  }

  /// Returns the golden `name`, for the driver `variant` if it has one of its own, for all drivers otherwise; nil if
  /// there is none.
  ///
  /// One variant never stands in for another.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if the variant's name is invalid, and the errors of reading its
  ///   tolerance and its mask.
  public func golden(named name: String, variant: String? = nil) throws -> Golden? {
    if let variant { try GoldenName.check(variant: variant) }
    guard let row = rows[name] else { return nil }
    let own = variant.flatMap { variant in row.pictures[variant].map { (variant, $0) } }
    guard let picture = own?.1 ?? row.pictures[GoldenManifest.defaultPicture] else { return nil }
    let file = GoldenName.file(name, own?.0)
    do {
      return try Golden(
        name: name, variant: own?.0, path: place(of: file), tolerance: Tolerance(row.tolerance),
        mask: mask(of: name, row), pixels: picture.pixels, provenance: picture.provenance, kind: row.kind)
    } catch let error as SafelightError {
      throw SafelightError(.input, error.what, why: error.why, remedy: error.remedy).during(name)
    }
  }

  /// Returns the variants of the golden `name`, in order, without the default.
  public func variants(of name: String) -> [String] { rows[name]?.variants ?? [] }

  /// Returns the variant of the golden `name` for a driver with the names `words`, of which the first match counts; nil
  /// if the default serves it.
  public func variant(of name: String, calledBy words: [String]) -> String? {
    let variants = variants(of: name)
    return words.lazy.compactMap { word in variants.first { $0.lowercased() == word.lowercased() } }.first
  }

  /// Returns the path of the file, even if it does not exist.
  func place(of file: String) -> String { files[file] ?? SafelightFrames.path(path, file) }

  /// Returns the mask in the row of the golden `name`.
  func mask(of name: String, _ row: GoldenManifest.Row) throws -> ImageMask? {
    guard let text = row.mask else { return nil }
    let file = maskFile(name)
    let mask = try row.hasMaskFile ? GoldenMask(file) : GoldenMask(text)
    try ensure(
      !mask.isPointer, .input, file,
      why: "the mask is only a Git LFS pointer, and without it the pixels to compare are unknown",
      remedy: GitLFSPointer.remedy)
    return try mask.mask(of: Size(row.width, row.height), name: file)
  }

  /// Returns the path of the picture of the mask of `name`, even if it does not exist.
  func maskFile(_ name: String) -> String { place(of: GoldenName.file(name, GoldenName.mask)) }

  /// The picture files without a row, in natural order.
  package var strays: [String] {
    let known = rows.flatMap { name, row in row.files(of: name) }
    return NaturalOrder.sorted(Set(files.keys.filter(GoldenName.isPicture)).subtracting(known).sorted())
  }
}
