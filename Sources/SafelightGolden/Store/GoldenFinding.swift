import SafelightFrames
public import SafelightImage

/// Something about a golden folder that somebody should look at.
public struct GoldenFinding: Codable, Hashable, Sendable {
  /// What it is.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// A golden's file is damaged or not what was approved.
    case damaged
    /// A tolerance that passes damage that no tolerance may pass.
    case blind
    /// A row without its file.
    case missing
    /// A file without a row.
    case stray
    /// A pointer that Git LFS left.
    case pointer
    /// A golden that the last run did not compare.
    case unused
    /// A variant that has the pixels of the default, or that the last run did not compare.
    case stale
    /// A tolerance wider than the last run needed.
    case loose
    /// A change that took effect and was interrupted before its files were moved.
    case interrupted

    /// True where goldens cannot be relied on until it is mended.
    public var isFault: Bool { [.damaged, .blind, .missing, .stray].contains(self) }
  }

  /// What it is.
  public let kind: Kind
  /// The golden or the file.
  public let name: String
  /// What was found and what to do.
  public let text: String
}

extension GoldenFolder {
  /// Looks at every file and every row, and with the record of a run at what that did not use. Writes nothing.
  ///
  /// With `chosen` it looks at the files and the rows of these goldens alone.
  public func inspect(
    only chosen: [String]? = nil, after run: GoldenRun? = nil, jobs: Int = ProcessorCount.ofThisProcess.value
  ) throws -> [GoldenFinding] {
    let names = chosen ?? names
    var findings: [GoldenFinding] = []
    if let unfinishedChange { findings.append(unfinishedChange) }
    OrderedWork.run(names.count, jobs: jobs) {
      finding(names[$0])
    } deliver: {
      findings += $1
    }
    findings += (chosen == nil ? strays : []).map { file in
      let text = GoldenOutcome(stray: file, in: path).error?.description ?? ""
      return GoldenFinding(kind: .stray, name: file, text: text)
    }
    findings += stale(names, after: run)
    if let run { findings += unused(names, in: run) + loose(names, after: run) }
    return findings
  }

  /// A change that counts, and whose files were not all moved to their places; nil where there is none.
  public var unfinishedChange: GoldenFinding? {
    let change = GoldenChange.committed(in: path)
    let text = "a change was interrupted; it counts, and the next change moves its files to their places"
    return fileExists(change) ? GoldenFinding(kind: .interrupted, name: change, text: text) : nil
  }

  /// What is wrong with the files of a golden.
  private func finding(_ name: String) -> [GoldenFinding] {
    // Nothing can be said of the pictures without it. Any other fault of a mask is found with them.
    if rows[name]?.hasMaskFile == true, let mask = try? GoldenMask(maskFile(name)), mask.isPointer {
      return [pointer(GoldenName.file(name, GoldenName.mask))]
    }
    return ([nil] + variants(of: name)).compactMap { variant in
      let file = GoldenName.file(name, variant)
      do {
        guard let golden = try golden(named: name, variant: variant), let picture = try golden.picture(codec: codec)
        else { return pointer(file) }
        return try blindness(golden, picture)
      } catch {
        let isMissing = (error as? SafelightError)?.kind == .missingFrame
        return GoldenFinding(kind: isMissing ? .missing : .damaged, name: file, text: "\(error)")
      }
    }
  }

  /// What the golden's tolerance lets pass that none may; nil if it is sound.
  private func blindness(_ golden: Golden, _ picture: Image) throws -> GoldenFinding? {
    guard golden.tolerance != .exact else { return nil }
    let canary = try canary(picture, golden, golden.tolerance)
    guard !canary.isSound else { return nil }
    return GoldenFinding(
      kind: .blind, name: golden.name, text: "“\(golden.tolerance)”: \(canary.text); give a tighter tolerance")
  }

  private func pointer(_ file: String) -> GoldenFinding {
    GoldenFinding(kind: .pointer, name: file, text: "a pointer of Git LFS; \(GitLFSPointer.remedy)")
  }

  /// Of `names` those that `run` was asked for: a run of some goldens says nothing of the others.
  private func asked(_ names: [String], _ run: GoldenRun) -> [String] {
    guard run.only != nil else { return names }
    let asked = Set(run.goldens.map(\.name))
    return names.filter(asked.contains)
  }

  private func unused(_ names: [String], in run: GoldenRun) -> [GoldenFinding] {
    let compared = Set(run.goldens.filter { $0.status != .missing }.map(\.name))
    return asked(names, run).filter { !compared.contains($0) }.map { name in
      let text = "the run did not compare it; make its picture, or remove it: \(removal(of: name))"
      return GoldenFinding(kind: .unused, name: name, text: text)
    }
  }

  private func stale(_ names: [String], after run: GoldenRun?) -> [GoldenFinding] {
    let relevant = Set(run.map { asked(names, $0) } ?? [])
    let used = run.map { Set($0.goldens.compactMap { row in row.variant.map { GoldenName.file(row.name, $0) } }) }
    return names.flatMap { name in
      variants(of: name).compactMap { variant in
        let file = GoldenName.file(name, variant)
        let pictures = rows[name]?.pictures
        if pictures?[variant]?.pixels == pictures?[GoldenManifest.defaultPicture]?.pixels {
          return GoldenFinding(
            kind: .stale, name: file,
            text: "it has the pixels of the default; remove it: \(removal(of: name)) --variant \(variant)")
        }
        guard let used, !used.contains(file), relevant.contains(name) else { return nil }
        let text =
          "the run did not compare with it; run on the driver that it is for, or remove it: \(removal(of: name)) "
          + "--variant \(variant)"
        return GoldenFinding(kind: .stale, name: file, text: text)
      }
    }
  }

  private func loose(_ names: [String], after run: GoldenRun) -> [GoldenFinding] {
    let chosen = Set(names)
    return run.goldens.filter { chosen.contains($0.name) }.compactMap { row in
      // A run by another tolerance says nothing of the golden's own.
      guard row.status.passes, let given = row.tolerance, given == rows[row.name]?.tolerance,
        let smallest = row.smallest, given != smallest,
        let text = Self.slack(given, smallest)
      else { return nil }
      return GoldenFinding(kind: .loose, name: row.name, text: text)
    }
  }

  /// What a tolerance could be instead; nil where it is within a third of what was needed.
  private static func slack(_ given: String, _ smallest: String) -> String? {
    guard smallest != Tolerance.exact.description else { return "“\(given)” could be exact" }
    guard let given = try? Tolerance(given), let smallest = try? Tolerance(smallest) else { return nil }
    let ratios = zip(given.terms, smallest.terms).compactMap { given, smallest -> Double? in
      guard given.metric == smallest.metric, !given.metric.isQuality else { return nil }
      return smallest.limit > 0 ? given.limit / smallest.limit : nil
    }
    guard let least = ratios.min(), least >= 1.5 else { return nil }
    let times = (least * 10).rounded() / 10
    return "“\(given)” could be \(times) times tighter: “\(smallest)” passes"
  }
}

/// Goldens that are missing under their names, and whose very pixels came under another name.
struct GoldenRenames: Sendable {
  /// The new names by the old ones.
  private(set) var new: [String: String] = [:]
  /// The old names by the new ones.
  private(set) var old: [String: String] = [:]
  private let path: String

  /// Looks for each of `missing` among the candidates without a golden. Where two goldens or two candidates have the same pixels nobody
  /// can tell which became which, and nothing is said.
  init(
    of missing: [String], in folder: GoldenFolder, to candidates: CandidateFolder, _ variant: String?, jobs: Int
  ) {
    path = folder.path
    let goldens = missing.compactMap { try? folder.golden(named: $0, variant: variant) }
    let known = Set(folder.names)
    let extra = candidates.names.filter { !known.contains($0) }
    guard !goldens.isEmpty, !extra.isEmpty else { return }
    // The hash says size and kind too.
    let whole = Dictionary(grouping: goldens.filter { $0.mask == nil }, by: \.pixels).mapValues { $0.map(\.name) }
    let masked = goldens.filter { $0.mask != nil }
    var found: [String: [String]] = [:]
    OrderedWork.run(extra.count, jobs: jobs) { index -> [String] in
      // What cannot be read is said where it is compared.
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

  /// What to say of the golden `name`; nil if it is not found under another name.
  func text(of name: String) -> String? { new[name].map { "looks renamed: \(name) → \($0)" } }

  /// The command that renames the golden `name` too.
  func command(for name: String) -> String? {
    new[name].map { "safelight golden rename \(path.quotedForShell) \(name.quotedForShell) \($0.quotedForShell)" }
  }
}

extension Golden {
  /// True if `image` is of its kind and has its pixels.
  fileprivate func isLike(_ image: Image) -> Bool {
    guard image.size == size, image.channels == channels, image.depth == depth else { return false }
    return (try? mask.hash(image)) == pixels
  }
}
