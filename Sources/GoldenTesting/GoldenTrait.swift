import Glibc
public import SafelightGPU
public import SafelightGolden
public import SafelightImage
public import Testing

/// The settings of a test's or suite's comparisons, and the requirement that there is at least one.
public struct GoldenTrait: TestTrait, SuiteTrait, TestScoping {
  let tolerance: String?
  let folder: String?
  let comparisons: Int?

  /// True: the trait applies to the tests of a suite too, whose own settings take precedence.
  public var isRecursive: Bool { true }

  /// Counts the comparisons of the test, and fails a test that compares nothing, since it could not fail otherwise.
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
  /// Settings for the comparisons of a test, or of each test of a suite.
  ///
  /// - Parameters:
  ///   - tolerance: The tolerance; nil stands for the outer suite's, or `exact` without one. A golden is judged by its
  ///     own tolerance, and a different one here is an issue.
  ///   - folder: The golden folder, absolute or relative to the test's file; nil stands for the outer suite's, or
  ///     `Goldens` without one.
  ///   - comparisons: The exact number of comparisons in each case; nil requires at least one.
  public static func golden(_ tolerance: String? = nil, in folder: String? = nil, comparisons: Int? = nil) -> Self {
    GoldenTrait(tolerance: tolerance, folder: folder, comparisons: comparisons)
  }
}

/// The settings of the innermost ``GoldenTrait`` for the test's own task.
package struct GoldenSettings: Sendable {
  var tolerance: Tolerance?
  var folder: String?
  package var tally: ComparisonTally?
  @TaskLocal package static var current = GoldenSettings()

  /// Counts a comparison for the test and for the process.
  func count(_ status: ComparisonStatus, byVariant: Bool = false) {
    tally?.count(status, byVariant: byVariant)
    ComparisonTally.ofProcess.count(status, byVariant: byVariant)
  }
}

/// The requirement of a device with OpenGL ES.
///
/// Without one the test is cancelled, which Swift Testing counts as passed; the last line of the run therefore counts
/// it as skipped. With `SAFELIGHT_REQUIRE_GPU=1` the test fails instead; set it on machines that must have a device.
public struct GPURequirementTrait: TestTrait, SuiteTrait, TestScoping {
  let selector: DeviceSelector

  /// True: the trait applies to each test of a suite.
  public var isRecursive: Bool { true }

  /// Runs the test if the device opens.
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

  /// Returns the reason why the device does not open, or nil if it does.
  private static func absence(of selector: DeviceSelector) throws -> SafelightError? {
    do {
      let device = try Device.open(selector)
      return device.info.isCPU
        ? SafelightError(.environment, "the device", why: "only the Swift twins are available, without OpenGL ES") : nil
    } catch let error where error.kind == .environment {
      return error
    }
  }
}

extension Trait where Self == GPURequirementTrait {
  /// Requires a device: any that has OpenGL ES, or the kind that `selector` names, such as `.hardware`.
  public static func requiresGPU(_ selector: DeviceSelector = .auto) -> Self { GPURequirementTrait(selector: selector) }
}

/// A type that names a tolerance: ``Tolerance`` itself, or a string such as `"max<=1"`.
public protocol ToleranceConvertible: Sendable {
  /// Returns the tolerance.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` that points at the first invalid character.
  func asTolerance() throws(SafelightError) -> Tolerance
}

extension Tolerance: ToleranceConvertible {
  /// Returns the tolerance itself.
  public func asTolerance() -> Tolerance { self }
}

extension String: ToleranceConvertible {
  /// Returns the tolerance that the text describes.
  public func asTolerance() throws(SafelightError) -> Tolerance { try Tolerance(self) }
}

extension ToleranceConvertible {
  /// Returns the tolerance, or records an issue at `sourceLocation` and returns nil if the text is invalid.
  func tolerance(at sourceLocation: SourceLocation) -> Tolerance? {
    do throws(SafelightError) {
      return try asTolerance()
    } catch {
      Issue.record("\(error)", sourceLocation: sourceLocation)
      return nil
    }
  }
}
