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
  func check(
    _ folder: GoldenFolder, _ name: String, _ variant: String?, _ tolerance: Tolerance?, against actual: Image
  ) throws {
    // What is wrong with a golden is said where it is compared. Where only a pointer is there, the picture with its hash stands in.
    guard let golden = try? folder.golden(named: name, variant: variant) else { return }
    let tolerance = tolerance ?? golden.tolerance
    let key = "\(folder.path) \(tolerance) \(golden.mask == nil ? "" : golden.name)"
    try check("golden \(golden.name)", key, tolerance, { try? golden.picture() ?? golden.standIn(actual) }) { picture in
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

  /// The same for unrounded values: two steps more or less in the last sample must lie outside its interval.
  ///
  /// - Throws: ``SafelightError`` of the kind `difference` where they do not.
  static func check(_ values: [Double], _ picture: Image, _ name: String, _ epsilon: Double) throws {
    guard let last = picture.channels.sampleIndices.last, let value = values.last, value.isFinite else { return }
    var damaged = picture
    let peak = picture.pixelFormat.maximum
    let nearest = Int(min(max(value, 0), Double(peak)).rounded())
    damaged[x: picture.size.width - 1, y: picture.size.height - 1, sample: last] =
      nearest + 2 > peak ? nearest - 2 : nearest + 2
    if try IntervalDifference(values: values, actual: damaged, epsilon: epsilon).passes {
      throw SafelightError(
        .difference, name,
        why: "a damaged copy of its picture lies within ±\(epsilon) steps, so a comparison would prove nothing",
        remedy: "give a tighter epsilon")
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
