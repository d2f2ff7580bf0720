import SafelightFrames
import SafelightImage
public import SafelightMachine

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
    let renames = renames(
      of: all.filter { rows[$0] != nil && !present.contains($0) }, to: candidates, variant, jobs: jobs)
    let originals = Dictionary(uniqueKeysWithValues: renames.map { ($1, $0) })
    try OrderedWork.run(all.count, jobs: jobs) { index in
      let (name, start) = (all[index], ContinuousClock.now)
      var outcome =
        if !present.contains(name) {
          missing(name, variant, renamedTo: renames[name])
        } else if rows[name] == nil, allowsExtra || originals[name] != nil {
          extra(name, candidates.file(name), renamedFrom: originals[name])
        } else {
          outcome(name, candidates, variant, tolerance)
        }
      outcome.duration = ContinuousClock.now - start
      return outcome
    } deliver: {
      try deliver($1)
    }
    guard names == nil else { return }
    for file in strays {
      try deliver(GoldenOutcome(name: GoldenName.name(of: file), status: .extra, error: strayError(file)))
    }
  }

  func strayError(_ file: String) -> SafelightError {
    SafelightError(
      .missingFrame, "\(path)/\(file)", why: "\(GoldenManifest.fileName) has no row for it, so it is never compared",
      remedy: "remove it, or move it to another folder and record it from there")
  }

  private func missing(_ name: String, _ variant: String?, renamedTo new: String?) -> GoldenOutcome {
    let error =
      new.map { renamed(name, from: name, to: $0) }
      ?? SafelightError(
        .missingFrame, name, why: "the run made no picture of this name",
        remedy: "run what makes it, or remove the golden: \(removal(of: name))")
    return GoldenOutcome(
      name: name, status: .missing, golden: try? golden(named: name, variant: variant), error: error, renamedTo: new)
  }

  /// Returns the outcome of a candidate that need not be compared: it is allowed, or it is a renamed golden.
  private func extra(_ name: String, _ path: String, renamedFrom old: String?) -> GoldenOutcome {
    GoldenOutcome(
      name: name, status: .extra, error: old.map { renamed(name, from: $0, to: name) },
      notes: old == nil ? ["no golden has this name, which is allowed"] : [], actualPath: path, renamedFrom: old)
  }

  /// Returns the error for `name`, the old or the new name of a golden, with the command that renames it.
  private func renamed(_ name: String, from old: String, to new: String) -> SafelightError {
    SafelightError(
      .missingFrame, name, why: "looks renamed: \(old) → \(new)",
      remedy: "safelight golden rename \(path.quotedForShell) \(old.quotedForShell) \(new.quotedForShell)")
  }

  /// Looks for each of the goldens `missing` among the candidates without a golden; returns their new names.
  ///
  /// If two goldens or two candidates have the same pixels the new names are ambiguous, and none is reported.
  private func renames(
    of missing: [String], to candidates: CandidateFolder, _ variant: String?, jobs: Int
  ) -> [String: String] {
    let goldens = missing.compactMap { try? golden(named: $0, variant: variant) }
    let extra = candidates.names.filter { rows[$0] == nil }
    guard !goldens.isEmpty, !extra.isEmpty else { return [:] }
    // The hash covers size and kind too.
    let whole = Dictionary(grouping: goldens.filter { $0.mask == nil }, by: \.pixels).mapValues { $0.map(\.name) }
    let masked = goldens.filter { $0.mask != nil }
    var found: [String: [String]] = [:]
    OrderedWork.run(extra.count, jobs: jobs) { index -> [String] in
      // The comparison reports pictures that cannot be read.
      guard let image = try? candidates.candidate(extra[index]).image else { return [] }
      return (whole[image.pixelHash] ?? []) + masked.filter { (try? $0.isLike(image)) == true }.map(\.name)
    } deliver: { index, names in
      if names.count == 1 { found[names[0], default: []].append(extra[index]) }
    }
    return found.compactMapValues { $0.count == 1 ? $0[0] : nil }
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
    try ensure(
      !own.contains { isOneFile($0, picture) }, .usage, picture,
      why: "it is the golden itself, and comparing it with itself proves nothing",
      remedy: "name the folder that the pictures were written to")
  }

  func removal(of name: String) -> String { "safelight golden remove \(path.quotedForShell) \(name.quotedForShell)" }
}
