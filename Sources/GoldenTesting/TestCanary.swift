internal import SafelightGolden
internal import SafelightImage
internal import Synchronization

/// The canary of a run of tests: before a tolerance is believed, a damaged copy of a real expected picture must be told from it.
final class TestCanary: Sendable {
  static let ofProcess = TestCanary()

  /// What was sound once.
  private let sung = Mutex<Set<String>>([])

  /// Damages the golden `name`, once for each folder and tolerance, and for each golden with a mask.
  ///
  /// - Throws: ``SafelightError`` of the kind `difference` where the damage passes, which makes the whole comparison worthless.
  func check(_ folder: GoldenFolder, _ name: String, _ variant: String?, _ tolerance: Tolerance?) throws {
    // What is wrong with a golden, or that only a pointer is there, is said where it is compared.
    guard let golden = try? folder.golden(named: name, variant: variant) else { return }
    let tolerance = tolerance ?? golden.tolerance
    let key = "\(folder.path) \(tolerance) \(golden.mask == nil ? "" : golden.name)"
    try check("golden \(golden.name)", key, tolerance, { try? golden.picture() }) { picture in
      let canary = try folder.canary(picture, golden, variant, tolerance)
      return (canary.isSound, canary.text)
    }
  }

  /// The same for a picture that no golden is, once for each tolerance.
  func check(_ picture: Image, _ name: String, _ tolerance: Tolerance) throws {
    try check(name, "\(tolerance)", tolerance, { picture }) { picture in
      let canary = try Canary(picture, tolerance: tolerance)
      return (canary.isSound, canary.description)
    }
  }

  private func check(
    _ name: String, _ key: String, _ tolerance: Tolerance, _ picture: () -> Image?,
    _ sing: (Image) throws -> (isSound: Bool, text: String)
  ) throws {
    if sung.withLock({ $0.contains(key) }) { return }
    guard let picture = picture() else { return }
    let canary = try sing(picture)
    guard canary.isSound else {
      throw SafelightError(
        .difference, name,
        why:
          "a damaged copy of it passes by the tolerance “\(tolerance)” (\(canary.text)), so a comparison would prove nothing",
        remedy: "limit max, or give a tighter tolerance")
    }
    sung.withLock { _ = $0.insert(key) }
  }
}
