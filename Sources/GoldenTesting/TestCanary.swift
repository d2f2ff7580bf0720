internal import SafelightGolden
internal import SafelightImage
internal import Synchronization

/// The canary of a run of tests: before the first comparison by a tolerance in a folder, a damaged copy of a real golden must be told from it.
enum TestCanary {
  private static let sung = Mutex<Set<String>>([])

  /// - Throws: ``SafelightError`` of the kind `difference` where the damage passes, which makes the whole comparison worthless.
  static func check(_ folder: GoldenFolder, _ name: String, _ tolerance: Tolerance?) throws {
    guard let golden = try folder.golden(named: name) ?? folder.names.first.flatMap({ try folder.golden(named: $0) })
    else { return }
    let tolerance = tolerance ?? golden.tolerance
    let key = "\(folder.path) \(tolerance) \(golden.mask == nil ? "" : golden.name)"
    // What is left out differs from golden to golden.
    guard sung.withLock({ $0.insert(key).inserted }), let picture = try golden.picture() else { return }
    let canary = try Canary(picture, tolerance: tolerance, mask: golden.mask)
    guard canary.isSound else {
      _ = sung.withLock { $0.remove(key) }
      throw SafelightError(
        .difference, "golden \(golden.name)",
        why:
          "a damaged copy of it passes by the tolerance “\(tolerance)” (\(canary)), so a comparison would prove nothing",
        remedy: "limit max, or give a tighter tolerance")
    }
  }
}
