internal import Glibc
public import SafelightGPU
internal import SafelightGolden
internal import SafelightImage
public import Testing

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
