internal import SafelightFrames
internal import SafelightGPU
public import SafelightGolden
public import SafelightImage
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
///   - tolerance: What passes; nil is what the trait says, then the golden itself.
/// - Throws: ``SafelightError`` outside a test, and where the golden folder cannot be read.
@discardableResult
public func expectGolden<Made: Side>(
  _ output: Output<Made>, _ name: String? = nil, case argument: (any CustomStringConvertible & Sendable)? = nil,
  tolerance: Tolerance? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws -> GoldenOutcome {
  let place = try ExpectationPlace("expectGolden")
  let golden = try place.goldenName(name, argument)
  return try GoldenExpectation([(golden, output.image)], by: output.device, sourceLocation)
    .judge(output.image, golden, tolerance: tolerance)
}

/// The same for a picture that no device made.
@discardableResult
public func expectGolden(
  _ image: Image, _ name: String? = nil, case argument: (any CustomStringConvertible & Sendable)? = nil,
  tolerance: Tolerance? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws -> GoldenOutcome {
  let place = try ExpectationPlace("expectGolden")
  let golden = try place.goldenName(name, argument)
  return try GoldenExpectation([(golden, image)], by: nil, sourceLocation).judge(image, golden, tolerance: tolerance)
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

  /// Writes `candidates`, by the names of goldens, where they are wanted, also when there is no golden yet; then opens the golden folder.
  /// `device` is what made the pictures.
  init(_ candidates: [(name: String, image: Image)], by device: DeviceInfo?, _ sourceLocation: SourceLocation) throws {
    self.sourceLocation = sourceLocation
    self.device = device
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
  func judge(_ image: Image, _ name: String, tolerance: Tolerance?) throws -> GoldenOutcome {
    let outcome = try compared(image, name, tolerance: tolerance)
    if let error = outcome.error {
      Issue.record("\(text(name)): \(error)", sourceLocation: sourceLocation)
      try attach(outcome, image)
    }
    for note in outcome.notes {
      Issue.record("\(text(name)): \(note)", severity: .warning, sourceLocation: sourceLocation)
    }
    return outcome
  }

  /// The same without an issue, for callers that say more at once.
  func compared(_ image: Image, _ name: String, tolerance: Tolerance?) throws -> GoldenOutcome {
    let tolerance = tolerance ?? GoldenSettings.current.tolerance
    let variant = variant(of: name)
    try TestCanary.ofProcess.check(folder, name, variant, tolerance, against: image)
    let outcome = folder.verify(image, named: name, variant: variant, tolerance: tolerance)
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
