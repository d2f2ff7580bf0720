internal import Glibc
public import SafelightGPU
internal import SafelightGolden
internal import SafelightImage
public import Testing

/// What the comparisons of a test or suite go by, and that there are any.
public struct GoldenTrait: TestTrait, SuiteTrait, TestScoping {
  let tolerance: String?
  let folder: String?
  let comparisons: Int?

  /// Holds for the tests of a suite too; what they say themselves goes first.
  public var isRecursive: Bool { true }

  /// Counts what the test compares: a test that compares nothing fails, as it could not fail otherwise.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let outer = GoldenSettings.current
    let settings = GoldenSettings(
      tolerance: try tolerance.map { try Tolerance($0) } ?? outer.tolerance, folder: folder ?? outer.folder,
      tally: outer.tally ?? ComparisonTally())
    try await GoldenSettings.$current.withValue(settings) { try await function() }
    let compared = settings.tally?.compared ?? 0
    if let comparisons, compared != comparisons {
      Issue.record("\(compared) comparisons were made, \(comparisons) expected", sourceLocation: test.sourceLocation)
    } else if outer.tally == nil, compared == 0, settings.tally?.failed == 0 {
      Issue.record(
        "nothing was compared; a test with the trait .golden calls expectGolden, expectConforms or expectSequence",
        sourceLocation: test.sourceLocation)
    }
  }
}

extension Trait where Self == GoldenTrait {
  /// The comparisons of a test, or of each test of a suite.
  ///
  /// - Parameters:
  ///   - tolerance: What passes, as a sentence; nil is what an outer suite says, and `exact` without one. A golden is
  ///     judged by its own, and an issue tells where that is another.
  ///   - folder: Where the goldens lie, beside the file of the test unless absolute; nil is what an outer suite says, and `Goldens`
  ///     without one.
  ///   - comparisons: How many each case makes, no more and no fewer; nil is at least one.
  public static func golden(_ tolerance: String? = nil, in folder: String? = nil, comparisons: Int? = nil) -> Self {
    GoldenTrait(tolerance: tolerance, folder: folder, comparisons: comparisons)
  }
}

/// What ``GoldenTrait`` says, for the test's own task.
package struct GoldenSettings: Sendable {
  var tolerance: Tolerance?
  var folder: String?
  package var tally: ComparisonTally?

  @TaskLocal package static var current = GoldenSettings()

  /// Counts a comparison, for the test and for the process.
  func count(_ status: ComparisonStatus, byVariant: Bool = false) {
    tally?.count(status, byVariant: byVariant)
    ComparisonTally.ofProcess.count(status, byVariant: byVariant)
  }
}

/// A test that needs a device with OpenGL ES.
///
/// Where there is none the test is cancelled, which Swift Testing counts as passed: so it is counted, and said in the last line of the
/// run. With `SAFELIGHT_REQUIRE_GPU=1` it fails instead; set it where a device must be there.
public struct GPURequirementTrait: TestTrait, SuiteTrait, TestScoping {
  let selector: DeviceSelector

  /// Holds for each test of a suite.
  public var isRecursive: Bool { true }

  /// Runs the test where the device opens.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    if let why = try Self.absence(of: selector) {
      if unsafe getenv("SAFELIGHT_REQUIRE_GPU").map({ unsafe String(cString: $0) }) == "1" { throw why }
      GoldenSettings.current.count(.skipped)
      try Test.cancel("\(test.name) is skipped: \(why)")
    }
    try await function()
  }

  /// Why the device does not open; nil where it does.
  private static func absence(of selector: DeviceSelector) throws -> SafelightError? {
    do {
      let device = try Device.open(selector)
      return device.info.isCPU
        ? SafelightError(.environment, "the device", why: "the Swift twins alone are there, and no OpenGL ES") : nil
    } catch let error where error.kind == .environment {
      return error
    }
  }
}

extension Trait where Self == GPURequirementTrait {
  /// Needs a device: any that has OpenGL ES, or the kind that `selector` names, such as `.hardware`.
  public static func requiresGPU(_ selector: DeviceSelector = .auto) -> Self { GPURequirementTrait(selector: selector) }
}
