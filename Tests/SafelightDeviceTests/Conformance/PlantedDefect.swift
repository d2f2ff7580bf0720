import Testing

/// One mistake in the GLSL of a filter's functions, which conformance must find.
struct PlantedDefect: Sendable, CustomTestStringConvertible {
  /// The mistakes that programmers make.
  enum Kind: String, Sendable, CaseIterable {
    case coefficient, channel, lastRow, rounding
  }

  let kind: Kind
  /// The filter, called so that the mistake matters.
  let filter: String
  let find: String
  let replacement: String

  /// Plants `replacement` in the place of `find`, which the functions of `filter` contain.
  init(_ kind: Kind, _ filter: String, _ find: String, _ replacement: String) {
    self.kind = kind
    self.filter = filter
    self.find = find
    self.replacement = replacement
  }

  var testDescription: String { "\(filter): '\(find)' → '\(replacement)'" }

  static let all = color + tone
}
