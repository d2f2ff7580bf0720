import Testing

/// One mistake in the GLSL of a kernel, which conformance must find.
struct PlantedDefect: Sendable, CustomTestStringConvertible {
  /// The mistakes that programmers make.
  enum Kind: String, Sendable, CaseIterable {
    case coefficient, channel, lastRow, rounding
  }

  let kind: Kind
  /// The kernel, called so that the mistake matters: `saturation=1.2`, or the settings of a conformance kernel, whole.
  let settings: String
  let find: String
  let replacement: String

  /// Plants `replacement` in the place of `find`, which the functions of the kernel contain.
  init(_ kind: Kind, _ settings: String, _ find: String, _ replacement: String) {
    self.kind = kind
    self.settings = settings
    self.find = find
    self.replacement = replacement
  }

  var testDescription: String { "\(kind) of \(settings): '\(find)' → '\(replacement)'" }

  /// Those of each family; what all point kernels share is planted by ``general``.
  static let all =
    tone + color + equalization + contrastLimited + histogram + normalizedHistogram + match + renderer
}
