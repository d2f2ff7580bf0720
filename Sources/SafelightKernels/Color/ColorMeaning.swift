package import SafelightImage

/// What samples mean after a stage, from what they meant before it; throws where the stage is not defined for that,
/// naming both.
package typealias ColorMeaning = @Sendable (ColorDescription) throws(SafelightError) -> ColorDescription

extension ColorDescription {
  /// The same, for stages in which sample 0 is no light and the largest all there is; throws where samples have the
  /// limited range.
  package func ofFullRange(for filter: String) throws(SafelightError) -> ColorDescription {
    guard range != .limited else { throw mismatch(filter, made: "full range") }
    return self
  }

  /// The error of a stage that was made for something else.
  package func mismatch(_ filter: String, made: String) -> SafelightError {
    SafelightError(
      .unsupported, "filter '\(filter)'", why: "the picture is tagged \(self), but the filter was made for \(made)",
      remedy: "leave the filter out, or correct the tags of the file")
  }
}
