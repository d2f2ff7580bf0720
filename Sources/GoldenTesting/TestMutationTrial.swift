package import SafelightGolden
internal import SafelightImage
internal import Synchronization

/// The canary of a test run: before a tolerance is trusted, it must reject a damaged copy of a real expected picture.
package final class TestMutationTrial: Sendable {
  static let ofProcess = TestMutationTrial()

  package init() {}

  /// The keys of canaries that were sound. The lock is held while a canary is sent, so that parallel tests wait for one
  /// verdict instead of each computing it.
  private let sound = Mutex<Set<String>>([])

  /// Damages `picture`, that of `golden`, once for each folder and tolerance, and once for each golden with a mask.
  ///
  /// - Throws: ``SafelightError`` of kind `difference` if the damage passes, which makes the whole comparison
  ///   worthless.
  func check(_ picture: Image, of golden: Golden, in folder: GoldenFolder) throws {
    let key = "\(folder.path) \(golden.tolerance) \(golden.mask == nil ? "" : golden.name)"
    try check("golden \(golden.name)", key, golden.tolerance) {
      let canary = try folder.canary(picture, golden, golden.tolerance)
      return (canary.isSound, canary.text)
    }
  }

  /// Damages a picture that is not a golden, once for each tolerance.
  func check(_ picture: Image, _ name: String, _ tolerance: Tolerance) throws {
    try check(name, "\(tolerance)", tolerance) {
      let canary = try MutationTrial(picture, tolerance: tolerance)
      return (canary.isSound, canary.description)
    }
  }

  /// Damages the last sample of `picture`: two steps up or down must lie outside its interval.
  ///
  /// - Throws: ``SafelightError`` of kind `difference` if they do not.
  static func check(_ values: [Double], _ picture: Image, _ name: String, _ epsilon: Double) throws {
    guard let last = picture.channels.sampleIndices.last, let value = values.last, value.isFinite else { return }
    var damaged = picture
    let peak = picture.pixelFormat.maximum
    let nearest = Int(min(max(value, 0), Double(peak)).rounded())
    damaged[x: picture.size.width - 1, y: picture.size.height - 1, sample: last] =
      nearest + 2 > peak ? nearest - 2 : nearest + 2
    try ensure(
      !IntervalDifference(values: values, actual: damaged, epsilon: epsilon).passes, .difference, name,
      why: "a damaged copy of its picture lies within ±\(epsilon) steps, so a comparison would prove nothing",
      remedy: "give a tighter epsilon")
  }

  /// Sends the canary of `key` with `sing`, unless one of that key was sound.
  package func check(
    _ name: String, _ key: String, _ tolerance: Tolerance, _ sing: () throws -> (isSound: Bool, text: String)
  ) throws {
    let blindness = try sound.withLock { sound -> String? in
      if sound.contains(key) { return nil }
      let canary = try sing()
      guard canary.isSound else { return canary.text }
      sound.insert(key)
      return nil
    }
    guard let blindness else { return }
    throw SafelightError(
      .difference, name,
      why: "the tolerance “\(tolerance)” lets a damaged copy of it pass (\(blindness)), so a comparison proves nothing",
      remedy: "limit max, or give a tighter tolerance")
  }
}
