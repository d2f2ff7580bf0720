import SafelightFrames
import SafelightImage
public import SafelightMachine

/// Something in a golden folder that needs attention.
public struct GoldenFinding: Codable, Hashable, Sendable {
  /// The kind of a finding.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// A golden's file is damaged or not what was approved.
    case damaged
    /// A tolerance that passes damage that none may.
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

    /// True if goldens cannot be relied on until it is fixed.
    public var isFault: Bool { [.damaged, .blind, .missing, .stray].contains(self) }
  }

  /// The kind.
  public let kind: Kind
  /// The golden or the file.
  public let name: String
  /// The problem and its remedy.
  public let text: String
}

extension GoldenFolder {
  /// Checks every file and every row, and with the record of a run also what the run did not use. Writes nothing.
  ///
  /// With `chosen` only the files and rows of these goldens are checked.
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
    findings += (chosen == nil ? strays : []).map {
      GoldenFinding(kind: .stray, name: $0, text: strayError($0).description)
    }
    findings += stale(names, after: run)
    if let run { findings += unused(names, in: run) + loose(names, after: run) }
    return findings
  }

  /// The committed change whose files were not all moved to their places; nil if there is none.
  public var unfinishedChange: GoldenFinding? {
    let change = GoldenChange.committed(in: path)
    let text = "a change was interrupted; it took effect, and the next change moves its files to their places"
    return fileExists(change) ? GoldenFinding(kind: .interrupted, name: change, text: text) : nil
  }

  private func finding(_ name: String) -> [GoldenFinding] {
    // Without it nothing is known of the pictures. Any other fault of a mask is found with them.
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

  /// Returns the damage that the golden's tolerance lets pass and none may; nil if it is sound.
  private func blindness(_ golden: Golden, _ picture: Image) throws -> GoldenFinding? {
    guard golden.tolerance != .exact else { return nil }
    let canary = try canary(picture, golden, golden.tolerance)
    let loss = try MutationTrial.loss(of: picture, tolerance: golden.tolerance, mask: golden.mask)
    guard let why = canary.isSound ? loss : canary.text else { return nil }
    return GoldenFinding(
      kind: .blind, name: golden.name, text: "“\(golden.tolerance)”: \(why); give a tighter tolerance")
  }

  private func pointer(_ file: String) -> GoldenFinding {
    GoldenFinding(kind: .pointer, name: file, text: "a pointer of Git LFS; \(GitLFSPointer.remedy)")
  }

  /// Returns those of `names` that `run` was to compare: a run of some goldens says nothing of the others.
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
    let used = Set(run?.goldens.compactMap { row in row.variant.map { GoldenName.file(row.name, $0) } } ?? [])
    return names.flatMap { name in
      variants(of: name).compactMap { variant in
        let (file, pictures) = (GoldenName.file(name, variant), rows[name]?.pictures)
        let isNeedless = pictures?[variant]?.pixels == pictures?[GoldenManifest.defaultPicture]?.pixels
        guard isNeedless || relevant.contains(name) && !used.contains(file) else { return nil }
        let why =
          isNeedless
          ? "it has the pixels of the default;"
          : "the run did not compare with it; run on the driver that it is for, or"
        return GoldenFinding(
          kind: .stale, name: file, text: "\(why) remove it: \(removal(of: name)) --variant \(variant)")
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

  /// Returns a tighter tolerance in words; nil if `given` is less than half again as wide as `smallest`.
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
