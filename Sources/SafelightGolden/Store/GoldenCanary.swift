import SafelightFrames
package import SafelightImage

/// What became of the damaged copies of a golden that were compared with it as any picture is: they must be reported.
public struct GoldenCanary: Codable, Hashable, Sendable {
  /// The golden whose copies were damaged.
  public let golden: String
  /// The tolerance that was to refuse them.
  public let tolerance: String
  /// Whether it did.
  public let isSound: Bool
  /// What it is blind to, or that all is well.
  public let text: String
  /// The damages that it let pass.
  public let blindTo: [String]
}

extension GoldenFolder {
  /// Sends damaged copies of goldens through the comparison, one golden for each tolerance in use and each golden with a mask: what it
  /// lets pass, it cannot see in candidates either.
  ///
  /// Goldens whose files are damaged send none. Where Git LFS left only a pointer, the candidate with the golden's hash stands in for it.
  /// With `chosen` only of these. Throws a ``SafelightError`` of kind `usage` if a variant cannot be called so.
  public func canaries(
    _ candidates: CandidateFolder, only chosen: [String]? = nil, variant: String? = nil, tolerance: Tolerance? = nil
  ) throws -> [GoldenCanary] {
    if let variant { try GoldenName.check(variant: variant) }
    var order: [String] = []
    var canaries: [String: GoldenCanary] = [:]
    for name in chosen ?? names {
      let masked = rows[name]?.mask == nil ? "" : name
      let key = "\(tolerance?.description ?? rows[name]?.tolerance ?? "") \(masked)"
      if canaries[key]?.isSound == true { continue }
      // What is wrong with a golden is said where it is compared.
      guard let golden = try? golden(named: name, variant: variant),
        let picture = try? golden.picture(codec: codec) ?? standIn(for: golden, candidates)
      else { continue }
      if canaries[key] == nil { order.append(key) }
      // A picture of one colour may have nothing to damage; another golden may do better.
      canaries[key] = try canary(picture, golden, tolerance ?? golden.tolerance)
    }
    return order.compactMap { canaries[$0] }
  }

  package func canary(
    _ picture: Image, _ golden: Golden, _ tolerance: Tolerance
  ) throws(SafelightError) -> GoldenCanary {
    let canary = try Canary(picture, tolerance: tolerance, mask: golden.mask) { part, damaged throws(SafelightError) in
      try golden.compare(Canary.decoded(damaged, codec), with: part, tolerance: tolerance)
    }
    return GoldenCanary(
      golden: golden.name, tolerance: tolerance.description, isSound: canary.isSound, text: canary.description,
      blindTo: canary.accepted.map(\.name))
  }

  private func standIn(for golden: Golden, _ candidates: CandidateFolder) throws -> Image? {
    try golden.standIn(candidates.candidate(golden.name).image)
  }
}

extension Golden {
  /// `image` where it has the golden's hash, and so its pixels.
  package func standIn(_ image: Image) throws -> Image? { try mask.hash(image) == pixels ? image : nil }
}
