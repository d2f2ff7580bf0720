internal import SafelightImage
internal import Testing

/// The test that expects something.
///
/// Comparisons belong to a test: elsewhere what they find would be lost, and the run would pass (`Test.current` is nil on threads and in
/// detached tasks).
struct ExpectationPlace {
  let test: Test

  /// - Throws: ``SafelightError`` of the kind `usage` outside a test.
  init(_ call: String) throws(SafelightError) {
    guard let test = Test.current else {
      throw SafelightError(
        .usage, call, why: "it was called outside a test of Swift Testing, where a difference would be lost",
        remedy: "call it from a @Test function, on the test's own task")
    }
    self.test = test
  }

  /// Whether the test runs once for each of several arguments.
  var isParameterized: Bool { Test.Case.current?.isParameterized ?? false }

  /// The test's function without its labels.
  var name: String { String(test.name.prefix { $0 != "(" }) }
}
