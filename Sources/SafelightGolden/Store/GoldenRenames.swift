import SafelightFrames
import SafelightImage

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
