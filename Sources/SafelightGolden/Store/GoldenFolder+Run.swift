import SafelightFrames
public import SafelightImage

extension GoldenFolder {
  /// Compares every golden with its candidate: a golden without a candidate is missing; a candidate without a golden
  /// and a file without a row are extra. `deliver` receives each outcome in natural order, and its pictures are
  /// released afterwards.
  ///
  /// With `names` only these goldens are compared, and nothing else is missing or extra. `allowsExtra` lets candidates
  /// without a golden pass, which are then not read; a file without a row still fails.
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
      .missingFrame, name, why: renames.text(of: name) ?? "the run made no picture of this name",
      remedy: renames.command(for: name) ?? "run what makes it, or remove the golden: \(removal(of: name))")
    var outcome = GoldenOutcome(name, golden: try? golden(named: name, variant: variant), error: error)
    outcome.renamedTo = renames.new[name]
    return outcome
  }

  /// Returns the outcome of a candidate that need not be compared: it is allowed, or it is a renamed golden.
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

  /// - Throws: ``SafelightError`` of kind `usage` if the picture is a golden's own file: compared with itself it proves
  ///   nothing.
  private func refuse(_ picture: String, asOneWith name: String) throws(SafelightError) {
    let own = ([nil] + variants(of: name)).map { place(of: GoldenName.file(name, $0)) }
    guard own.contains(where: { isOneFile($0, picture) }) else { return }
    throw SafelightError(
      .usage, picture, why: "it is the golden itself, and comparing it with itself proves nothing",
      remedy: "name the folder that the pictures were written to")
  }

  /// Returns the command that removes the golden `name`.
  func removal(of name: String) -> String {
    "safelight golden remove \(path.quotedForShell) \(name.quotedForShell)"
  }
}

extension GoldenOutcome {
  /// Reports a file of the folder without a row.
  init(stray file: String, in folder: String) {
    self.init(
      GoldenName.name(of: file), .extra,
      error: SafelightError(
        .missingFrame, "\(folder)/\(file)",
        why: "\(GoldenManifest.fileName) has no row for it, so it is never compared",
        remedy: "remove it, or move it to another folder and record it from there"))
  }
}

/// Missing goldens whose exact pixels arrived under another name.
struct GoldenRenames: Sendable {
  /// The new names by old name.
  private(set) var new: [String: String] = [:]
  /// The old names by new name.
  private(set) var old: [String: String] = [:]
  private let path: String

  /// Looks for each of `missing` among the candidates without a golden. If two goldens or two candidates have the same
  /// pixels the new names are ambiguous, and none is reported.
  init(
    of missing: [String], in folder: GoldenFolder, to candidates: CandidateFolder, _ variant: String?, jobs: Int
  ) {
    path = folder.path
    let goldens = missing.compactMap { try? folder.golden(named: $0, variant: variant) }
    let known = Set(folder.names)
    let extra = candidates.names.filter { !known.contains($0) }
    guard !goldens.isEmpty, !extra.isEmpty else { return }
    // The hash covers size and kind too.
    let whole = Dictionary(grouping: goldens.filter { $0.mask == nil }, by: \.pixels).mapValues { $0.map(\.name) }
    let masked = goldens.filter { $0.mask != nil }
    var found: [String: [String]] = [:]
    OrderedWork.run(extra.count, jobs: jobs) { index -> [String] in
      // The comparison reports pictures that cannot be read.
      guard let image = try? candidates.candidate(extra[index]).image else { return [] }
      return (whole[image.pixelHash] ?? []) + masked.filter { $0.isLike(image) }.map(\.name)
    } deliver: { index, names in
      guard let old = names.first, names.count == 1 else { return }
      found[old, default: []].append(extra[index])
    }
    for (old, names) in found where names.count == 1 {
      new[old] = names[0]
      self.old[names[0]] = old
    }
  }

  /// Returns a note about the golden `name`, or nil if it was not found under another name.
  func text(of name: String) -> String? { new[name].map { "looks renamed: \(name) → \($0)" } }

  /// Returns the command that renames the golden `name` too.
  func command(for name: String) -> String? {
    new[name].map { "safelight golden rename \(path.quotedForShell) \(name.quotedForShell) \($0.quotedForShell)" }
  }
}

extension Golden {
  /// Returns true if `image` is of the golden's kind and has its pixels.
  fileprivate func isLike(_ image: Image) -> Bool {
    image.kind == kind && (try? mask.hash(image)) == pixels
  }
}
