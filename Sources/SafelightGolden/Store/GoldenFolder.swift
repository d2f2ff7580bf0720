import SafelightFrames
public import SafelightImage

/// Approved pictures on disk, as they are when the folder is opened. Nothing here writes; ``GoldenChange`` does.
///
/// The pictures lie in folders of any depth, each with a `golden.json` that has a row for every golden in it:
///
///     goldens/blur/golden.json
///     goldens/blur/soft.png             the golden blur/soft, for every driver
///     goldens/blur/soft@software.png    a variant for one of them
///     goldens/blur/soft@mask.png        what of it is not compared
///     goldens/blur/soft@2x.png          another golden, blur/soft@2x, unless golden.json has 2x as a variant of blur/soft
///
/// Any folder of it is a golden folder too. The rows are what must be compared: one without a candidate is a failure.
public struct GoldenFolder: Sendable {
  /// As it was named.
  public let path: String
  /// The goldens' names, in natural order.
  public let names: [String]
  /// What lies below it, by path from here, and where: a change that was interrupted is read as done.
  let files: [String: String]
  let rows: [String: GoldenManifest.Row]
  /// Lends its memory to those who read pictures.
  let codec = PNGCodec()

  /// Opens the folder at `path`.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where there is none or it is empty, `input` where it has pictures and no
  /// `golden.json`, or one that is damaged.
  public init(_ path: String) throws {
    try self.init(orEmpty: path)
    guard names.isEmpty else { return }
    if let picture = files.keys.sorted().first(where: GoldenName.isPicture) {
      throw SafelightError(
        .input, path, why: "it has pictures, as \(picture), and no \(GoldenManifest.fileName) that says what they are",
        remedy: "move them into another folder and record them: safelight golden record \(path) THAT_FOLDER")
    }
    throw SafelightError(
      .missingInput, path, why: "no golden is in it", remedy: "record some: safelight golden record \(path) PICTURES")
  }

  /// The same for a folder that may be empty.
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

  /// The golden `name`, for the driver `variant` where it has one of its own, for all of them otherwise; nil where there is none.
  ///
  /// One variant never stands in for another. Throws a ``SafelightError`` of kind `usage` where a variant cannot be called so, and what
  /// reading its tolerance and its mask throws.
  public func golden(named name: String, variant: String? = nil) throws -> Golden? {
    if let variant { try GoldenName.check(variant: variant) }
    guard let row = rows[name] else { return nil }
    let own = variant.flatMap { variant in row.pictures[variant].map { (variant, $0) } }
    guard let picture = own?.1 ?? row.pictures[GoldenManifest.defaultPicture] else { return nil }
    let file = GoldenName.file(name, own?.0)
    do {
      return try Golden(
        name: name, variant: own?.0, path: place(of: file), row: row, picture: picture, mask: mask(of: name, row))
    } catch let error as SafelightError {
      throw SafelightError(.input, error.what, why: error.why, remedy: error.remedy).during(name)
    }
  }

  /// The variants of the golden `name`, in order; that for all drivers is not among them.
  public func variants(of name: String) -> [String] {
    rows[name]?.pictures.keys.filter { $0 != GoldenManifest.defaultPicture }.sorted() ?? []
  }

  /// The variant of the golden `name` for a driver that may be called by `words`, of which the first counts that calls one; nil where the
  /// default serves it, as it does without need.
  public func variant(of name: String, calledBy words: [String]) -> String? {
    let variants = variants(of: name)
    return words.lazy.compactMap { word in variants.first { $0.lowercased() == word.lowercased() } }.first
  }

  /// Where the file lies, or would.
  func place(of file: String) -> String { files[file] ?? SafelightFrames.path(path, file) }

  /// What the golden `name` leaves out, by its row.
  func mask(of name: String, _ row: GoldenManifest.Row) throws -> ImageMask? {
    guard let text = row.mask else { return nil }
    let file = maskFile(name)
    let mask = try row.hasMaskFile ? GoldenMask(file) : GoldenMask(text)
    if mask.isPointer {
      throw SafelightError(
        .input, file, why: "it is a pointer of Git LFS, and without the mask the hash of the other pixels is not known",
        remedy: GitLFSPointer.remedy)
    }
    return try mask.mask(of: Size(row.width, row.height), name: file)
  }

  /// Where the picture of the mask of `name` lies, or would.
  func maskFile(_ name: String) -> String { place(of: GoldenName.file(name, GoldenName.mask)) }

  /// The files of pictures that no row speaks of, in natural order.
  package var strays: [String] {
    let known = rows.flatMap { name, row in row.files(of: name) }
    return NaturalOrder.sorted(Set(files.keys.filter(GoldenName.isPicture)).subtracting(known).sorted())
  }
}

extension Golden {
  fileprivate init(
    name: String, variant: String?, path: String, row: GoldenManifest.Row, picture: GoldenManifest.Picture,
    mask: ImageMask?
  ) throws {
    self.init(
      name: name, variant: variant, path: path, size: Size(row.width, row.height), channels: row.channels,
      depth: row.depth,
      tolerance: try Tolerance(row.tolerance), mask: mask, pixels: picture.pixels,
      provenance: GoldenProvenance(
        date: picture.approved, reason: picture.reason, made: picture.made, device: picture.device))
  }
}

extension GoldenFolder {
  /// Compares everything with everything: a golden without a candidate is missing, a candidate without a golden and a file without a row are
  /// extra. `deliver` gets each outcome in natural order; the pictures in it go with it.
  ///
  /// With `names` these alone are compared, and what else there is is neither missing nor extra. `allowsExtra` lets candidates without a
  /// golden pass, which are not read then; a file without a row still fails.
  public func verify(
    _ candidates: CandidateFolder, only names: [String]? = nil, variant: String? = nil, tolerance: Tolerance? = nil,
    allowsExtra: Bool = false, jobs: Int = ProcessorCount.ofThisProcess.value,
    deliver: (GoldenOutcome) throws -> Void
  ) throws {
    let all = names ?? NaturalOrder.sorted(Array(Set(self.names).union(candidates.names)))
    let present = Set(candidates.names)
    let renames = GoldenRenames(
      of: all.filter { rows[$0] != nil && !present.contains($0) }, in: self, to: candidates, variant, jobs: jobs)
    try OrderedWork.run(all.count, jobs: jobs) { index in
      let (name, start) = (all[index], ContinuousClock.now)
      var outcome =
        if !present.contains(name) {
          missing(name, variant, renames)
        } else if rows[name] == nil, allowsExtra || renames.old[name] != nil {
          extra(name, candidates, renames)
        } else {
          outcome(name, candidates, variant, tolerance)
        }
      outcome.duration = ContinuousClock.now - start
      return outcome
    } deliver: {
      try deliver($1)
    }
    guard names == nil else { return }
    for file in strays { try deliver(GoldenOutcome(stray: file, in: path)) }
  }

  private func missing(_ name: String, _ variant: String?, _ renames: GoldenRenames) -> GoldenOutcome {
    let error = SafelightError(
      .missingFrame, name, why: renames.text(of: name) ?? "no picture of this name was made",
      remedy: renames.command(for: name) ?? "run what makes it, or remove it: \(removal(of: name))")
    var outcome = GoldenOutcome(name, golden: try? golden(named: name, variant: variant), error: error)
    outcome.renamedTo = renames.new[name]
    return outcome
  }

  /// A candidate that nobody has to compare: it is allowed to be there, or it is a golden that is called otherwise.
  private func extra(_ name: String, _ candidates: CandidateFolder, _ renames: GoldenRenames) -> GoldenOutcome {
    var outcome: GoldenOutcome
    if let old = renames.old[name], let text = renames.text(of: old) {
      let error = SafelightError(.missingFrame, name, why: text, remedy: renames.command(for: old))
      outcome = GoldenOutcome(name, .extra, error: error)
      outcome.renamedFrom = old
    } else {
      outcome = GoldenOutcome(name, .extra, notes: ["no golden has this name, which is allowed"])
    }
    outcome.actualPath = candidates.file(name)
    return outcome
  }

  private func outcome(
    _ name: String, _ candidates: CandidateFolder, _ variant: String?, _ tolerance: Tolerance?
  ) -> GoldenOutcome {
    do {
      try refuse(candidates.file(name), asOneWith: name)
      var outcome = verify(try candidates.candidate(name).image, named: name, variant: variant, tolerance: tolerance)
      outcome.actualPath = candidates.file(name)
      return outcome
    } catch {
      let error = error as? SafelightError ?? SafelightError(.input, name, why: "\(error)")
      return GoldenOutcome(name, error: error, unread: .unreadable)
    }
  }

  /// Throws a ``SafelightError`` of kind `usage` where the picture is a golden's own file: compared with itself it proves nothing.
  private func refuse(_ picture: String, asOneWith name: String) throws(SafelightError) {
    let own = ([nil] + variants(of: name)).map { place(of: GoldenName.file(name, $0)) }
    guard own.contains(where: { isOneFile($0, picture) }) else { return }
    throw SafelightError(
      .usage, picture, why: "it is the golden itself, and a side compared with itself proves nothing",
      remedy: "name the folder that the pictures were written to")
  }

  /// The command that removes the golden `name`.
  func removal(of name: String) -> String {
    "safelight golden remove \(path.quotedForShell) \(name.quotedForShell)"
  }
}

extension GoldenOutcome {
  /// A file of the folder that no row speaks of.
  init(stray file: String, in folder: String) {
    self.init(
      GoldenName.name(of: file), .extra,
      error: SafelightError(
        .missingFrame, "\(folder)/\(file)",
        why: "\(GoldenManifest.fileName) has no row for it, so it is never compared",
        remedy: "remove it, or move it away and record it"))
  }
}
