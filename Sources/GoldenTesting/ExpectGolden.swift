internal import SafelightFrames
internal import SafelightGPU
public import SafelightGolden
public import SafelightImage
internal import Synchronization
public import Testing

/// Expects that `output` is what was approved as the golden `name`.
///
/// The golden lies in the folder that the trait ``Testing/Trait/golden(_:in:comparisons:)`` names, `Goldens` beside the test's file without
/// it. Nothing is ever written there. Where pixels differ the issue says where, by how much and what would pass, and the pictures are
/// attached. Where the golden has a variant for the device's driver, that one counts, and the issue says so; the Swift twins have the
/// default alone. With `SAFELIGHT_CANDIDATES=FOLDER` every picture is written below that folder, for `safelight golden record` and `approve`.
///
/// - Parameters:
///   - name: The golden's name; nil is that of the test.
///   - argument: What tells the cases of a parameterised test apart, each of which has a golden of its own; goes behind the name. Needed
///     there unless `name` is given.
///   - tolerance: What passes, such as `"max<=1"`, for those who read the call; nil is what the trait says. What counts
///     is the tolerance in `golden.json`, as for `safelight golden verify`: another one here is an issue, and so are words
///     that cannot be read.
/// - Throws: ``SafelightError`` outside a test, and where the golden folder cannot be read.
@discardableResult
public func expectGolden<Made: Side>(
  _ output: Output<Made>, _ name: String? = nil, case argument: (any CustomStringConvertible & Sendable)? = nil,
  tolerance: (any ToleranceConvertible)? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws -> GoldenOutcome {
  let place = try ExpectationPlace("expectGolden")
  let golden = try place.goldenName(name, argument)
  return try GoldenExpectation([(golden, output.image)], by: output.device, tolerance, sourceLocation)
    .judge(output.image, golden)
}

/// The same for a picture that no device made.
@discardableResult
public func expectGolden(
  _ image: Image, _ name: String? = nil, case argument: (any CustomStringConvertible & Sendable)? = nil,
  tolerance: (any ToleranceConvertible)? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws -> GoldenOutcome {
  let place = try ExpectationPlace("expectGolden")
  let golden = try place.goldenName(name, argument)
  return try GoldenExpectation([(golden, image)], by: nil, tolerance, sourceLocation).judge(image, golden)
}

extension ExpectationPlace {
  fileprivate func goldenName(
    _ name: String?, _ argument: (any CustomStringConvertible)?
  ) throws(SafelightError) -> String {
    guard name != nil || argument != nil || !isParameterized else {
      throw SafelightError(
        .usage, "expectGolden in \(self.name)", why: "its cases would all be compared with one golden",
        remedy: "tell them apart: expectGolden(picture, case: argument)")
    }
    return [name ?? self.name, argument?.description].compactMap(\.self).joined(separator: "-")
  }
}

/// Comparisons with the goldens that a place in a test means.
struct GoldenExpectation {
  let folder: GoldenFolder
  let sourceLocation: SourceLocation
  private let device: DeviceInfo?
  /// The tolerance that the call or its trait names; nil if neither does.
  private let tolerance: Tolerance?

  /// Writes `candidates`, by the names of goldens, where they are wanted, also when there is no golden yet; then opens the golden folder.
  /// `device` is what made the pictures.
  init(
    _ candidates: [(name: String, image: Image)], by device: DeviceInfo?, _ tolerance: (any ToleranceConvertible)?,
    _ sourceLocation: SourceLocation
  ) throws {
    self.sourceLocation = sourceLocation
    self.device = device
    self.tolerance = tolerance?.tolerance(at: sourceLocation) ?? GoldenSettings.current.tolerance
    let path = Self.path(GoldenSettings.current.folder ?? "Goldens", beside: sourceLocation.filePath)
    for (name, image) in candidates {
      try CandidateOutput.ofProcess?.write(image, named: name, of: path)
    }
    folder = try GoldenFolder(path)
  }

  private static func path(_ folder: String, beside file: String) -> String {
    folder.hasPrefix("/") ? folder : PathParts(file).sibling(folder)
  }

  /// Compares `image` with the golden `name`, after the canary; records an issue where it does not pass.
  func judge(_ image: Image, _ name: String) throws -> GoldenOutcome {
    let outcome = try compared(image, name)
    if let error = outcome.error {
      Issue.record("\(text(name)): \(error)", sourceLocation: sourceLocation)
      try attach(outcome, image)
    }
    recordDisagreement([outcome])
    for note in outcome.notes {
      Issue.record("\(text(name)): \(note)", severity: .warning, sourceLocation: sourceLocation)
    }
    return outcome
  }

  /// Records an issue if the test says another tolerance than the golden of one of `outcomes`, which was judged by its
  /// own.
  func recordDisagreement(_ outcomes: [GoldenOutcome]) {
    guard let tolerance else { return }
    let golden = outcomes.lazy.compactMap(\.golden).first { Set($0.tolerance.terms) != Set(tolerance.terms) }
    guard let golden else { return }
    let error = SafelightError(
      .usage, text(golden.name),
      why: "the test says “\(tolerance)” and golden.json “\(golden.tolerance)”, which counts for every comparison",
      remedy: "leave the tolerance out of the test, or give it to the golden: "
        + "safelight golden approve \(folder.path) PICTURES \(golden.name) --tolerance '\(tolerance)' --reason WHY")
    Issue.record("\(error)", sourceLocation: sourceLocation)
  }

  /// Compares without an issue, for callers that say more at once.
  func compared(_ image: Image, _ name: String) throws -> GoldenOutcome {
    let variant = variant(of: name)
    // Read once, for the canary and for the comparison, which says what is wrong with a golden.
    let golden = try? folder.golden(named: name, variant: variant)
    let picture = Result { try golden?.picture() }
    if let golden, let shown = try? picture.get() ?? golden.standIn(image) {
      try TestCanary.ofProcess.check(shown, of: golden, in: folder)
    }
    let outcome = folder.verify(image, named: name, variant: variant) { _ in try picture.get() }
    GoldenSettings.current.count(outcome.status, byVariant: outcome.golden?.variant != nil)
    return outcome
  }

  /// The variant of the golden that is approved for the device's driver; nil for nearly all.
  func variant(of name: String) -> String? { folder.variant(of: name, calledBy: device?.variantNames ?? []) }

  func text(_ name: String) -> String { device.map { "golden \(name) (\($0.name))" } ?? "golden \(name)" }

  /// Attaches what came, and where pictures of one kind differ what was expected and where.
  func attach(_ outcome: GoldenOutcome, _ image: Image) throws {
    try PictureAttachments(name: outcome.name, actual: image, difference: outcome.verdict?.difference)
      .record(sourceLocation)
  }
}

/// The canary of a run of tests: before a tolerance is believed, a damaged copy of a real expected picture must be told from it.
package final class TestCanary: Sendable {
  static let ofProcess = TestCanary()

  package init() {}

  /// The keys of canaries that were sound. The lock is held while a canary is sent, so that tests that run beside each
  /// other wait for one verdict and do not reach it each.
  private let sound = Mutex<Set<String>>([])

  /// Damages `picture`, that of `golden`, once for each folder and tolerance, and for each golden with a mask.
  ///
  /// - Throws: ``SafelightError`` of the kind `difference` where the damage passes, which makes the whole comparison worthless.
  func check(_ picture: Image, of golden: Golden, in folder: GoldenFolder) throws {
    let key = "\(folder.path) \(golden.tolerance) \(golden.mask == nil ? "" : golden.name)"
    try check("golden \(golden.name)", key, golden.tolerance) {
      let canary = try folder.canary(picture, golden, golden.tolerance)
      return (canary.isSound, canary.text)
    }
  }

  /// The same for a picture that no golden is, once for each tolerance.
  func check(_ picture: Image, _ name: String, _ tolerance: Tolerance) throws {
    try check(name, "\(tolerance)", tolerance) {
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

  /// Sends the canary of `key` with `sing` unless one of that key was sound.
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
      why:
        "a damaged copy of it passes by the tolerance “\(tolerance)” (\(blindness)), so a comparison would prove nothing",
      remedy: "limit max, or give a tighter tolerance")
  }
}
