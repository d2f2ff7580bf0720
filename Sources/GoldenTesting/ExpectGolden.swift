import Glibc
import SafelightFrames
import SafelightGPU
public import SafelightGolden
public import SafelightImage
public import Testing

/// Expects that `output` is what was approved as the golden `name`.
///
/// The golden lies in the folder that the trait ``Testing/Trait/golden(_:in:comparisons:)`` names, or in `Goldens`
/// beside the test's file. Nothing is ever written there. If pixels differ, the issue says where and by how much and
/// which tolerance would pass, and the pictures are attached. If the golden has a variant for the device's driver, that
/// variant is compared, and the issue says so; the Swift twins always use the default. With
/// `SAFELIGHT_CANDIDATES=FOLDER` every picture is also written below that folder, for `safelight golden record` and
/// `approve`.
///
/// - Parameters:
///   - name: The golden's name; nil stands for the test's.
///   - argument: The argument of a parameterized test, appended to the name to give each case a golden of its own.
///     Required in such a test unless `name` is given.
///   - tolerance: The tolerance, such as `"max<=1"`, for readers of the call; nil stands for the trait's. Comparisons
///     use the tolerance in `golden.json`, as `safelight golden verify` does: a different one here is an issue, and so
///     is one that cannot be parsed.
/// - Throws: ``SafelightError`` outside a test, and if the golden folder cannot be read.
@discardableResult
public func expectGolden<Made: Side>(
  _ output: Output<Made>, _ name: String? = nil, case argument: (any CustomStringConvertible & Sendable)? = nil,
  tolerance: (any ToleranceConvertible)? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws -> GoldenOutcome {
  let place = try ExpectationContext("expectGolden")
  let golden = try place.goldenName(name, argument)
  return try GoldenExpectation([(golden, output.image)], by: output.device, tolerance, sourceLocation)
    .judge(output.image, golden)
}

/// Expects that a picture that no device made is what was approved as the golden `name`.
@discardableResult
public func expectGolden(
  _ image: Image, _ name: String? = nil, case argument: (any CustomStringConvertible & Sendable)? = nil,
  tolerance: (any ToleranceConvertible)? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws -> GoldenOutcome {
  let place = try ExpectationContext("expectGolden")
  let golden = try place.goldenName(name, argument)
  return try GoldenExpectation([(golden, image)], by: nil, tolerance, sourceLocation).judge(image, golden)
}

extension ExpectationContext {
  fileprivate func goldenName(
    _ name: String?, _ argument: (any CustomStringConvertible)?
  ) throws(SafelightError) -> String {
    try ensure(
      name != nil || argument != nil || !isParameterized, .usage, "expectGolden in \(self.name)",
      why: "its cases would all be compared with one golden",
      remedy: "give each case its own golden: expectGolden(picture, case: argument)")
    return [name ?? self.name, argument?.description].compactMap(\.self).joined(separator: "-")
  }
}

/// Comparisons with goldens for one call of an expectation.
struct GoldenExpectation {
  let folder: GoldenFolder
  let sourceLocation: SourceLocation
  private let device: DeviceInfo?
  /// The tolerance that the call or its trait names; nil if neither does.
  private let tolerance: Tolerance?

  /// Writes `candidates`, by golden name, if the process wants candidates, even without a golden yet; then opens the
  /// golden folder. `device` made the pictures.
  init(
    _ candidates: [(name: String, image: Image)], by device: DeviceInfo?, _ tolerance: (any ToleranceConvertible)?,
    _ sourceLocation: SourceLocation
  ) throws {
    self.sourceLocation = sourceLocation
    self.device = device
    self.tolerance = tolerance?.tolerance(at: sourceLocation) ?? GoldenSettings.current.tolerance
    let goldens = GoldenSettings.current.folder ?? "Goldens"
    let path = goldens.hasPrefix("/") ? goldens : PathParts(sourceLocation.filePath).sibling(goldens)
    for (name, image) in candidates { try CandidateOutput.ofProcess?.write(image, named: name, of: path) }
    folder = try GoldenFolder(path)
  }

  /// Sends the canary, compares `image` with the golden `name`, and records an issue if it does not pass.
  func judge(_ image: Image, _ name: String) throws -> GoldenOutcome {
    let outcome = try compared(image, name)
    if let error = outcome.error {
      Issue.record("\(text(name)): \(error)", sourceLocation: sourceLocation)
      try attach(outcome.name, image, outcome.verdict?.difference, at: sourceLocation)
    }
    recordDisagreement([outcome])
    for note in outcome.notes {
      Issue.record("\(text(name)): \(note)", severity: .warning, sourceLocation: sourceLocation)
    }
    return outcome
  }

  /// Records an issue if the test states another tolerance than a golden of `outcomes`, which was judged by its own.
  func recordDisagreement(_ outcomes: [GoldenOutcome]) {
    guard let tolerance else { return }
    let golden = outcomes.lazy.compactMap(\.golden).first { Set($0.tolerance.terms) != Set(tolerance.terms) }
    guard let golden else { return }
    let error = SafelightError(
      .usage, text(golden.name),
      why: "the test says “\(tolerance)”, but golden.json says “\(golden.tolerance)”, and golden.json decides",
      remedy: "leave the tolerance out of the test, or give it to the golden: "
        + "safelight golden approve \(folder.path) PICTURES \(golden.name) --tolerance '\(tolerance)' --reason WHY")
    Issue.record("\(error)", sourceLocation: sourceLocation)
  }

  /// Compares without recording an issue, for callers that report several outcomes at once.
  func compared(_ image: Image, _ name: String) throws -> GoldenOutcome {
    let variant = variant(of: name)
    // Read once for both the canary and the comparison; the comparison reports what is wrong with a golden.
    let golden = try? folder.golden(named: name, variant: variant)
    let picture = Result { try golden?.picture() }
    if let golden, let shown = try? picture.get() ?? golden.standIn(image) {
      try TestMutationTrial.ofProcess.check(shown, of: golden, in: folder)
    }
    let outcome = folder.verify(image, named: name, variant: variant) { _ in try picture.get() }
    GoldenSettings.current.count(outcome.status, byVariant: outcome.golden?.variant != nil)
    return outcome
  }

  /// The golden's variant for the device's driver, or nil for the default.
  func variant(of name: String) -> String? { folder.variant(of: name, calledBy: device?.variantNames ?? []) }

  func text(_ name: String) -> String { device.map { "golden \(name) (\($0.name))" } ?? "golden \(name)" }
}

/// The folder that receives pictures that may become goldens, by `SAFELIGHT_CANDIDATES`.
package struct CandidateOutput {
  let folder: String

  package init(folder: String) { self.folder = folder }

  static var ofProcess: CandidateOutput? {
    unsafe getenv("SAFELIGHT_CANDIDATES").map { CandidateOutput(folder: unsafe String(cString: $0)) }
  }

  /// Writes the candidate for the golden `name`, into the same place below the folder as `goldens` has in its package.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if that place is the golden folder itself.
  package func write(_ image: Image, named name: String, of goldens: String) throws {
    let place = ([folder] + Self.partsInPackage(goldens)).joined(separator: "/")
    try ensure(
      !isOneFile(place, goldens), .usage, "SAFELIGHT_CANDIDATES=\(folder)",
      why: "the candidates would be written into the goldens, \(goldens)",
      remedy: "name a folder outside the package")
    let file = "\(place)/\(name).png"
    try Folder.make(PathParts(file).folder)
    try PNGFile(image: image.samplesAlone).write(to: file)
  }

  /// Returns the parts of the path below the folder with Package.swift, or below the root outside of a package.
  private static func partsInPackage(_ path: String) -> [String] {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    let package = parts.indices.last { fileExists("/" + parts[..<$0].joined(separator: "/") + "/Package.swift") }
    return parts[(package ?? 0)...].map(String.init)
  }
}
