package import SafelightImage
package import Testing

/// How a text of an error must read; a literal is the whole text.
package enum Wording: ExpressibleByStringInterpolation {
  case whole(String)
  case beginning(String)
  case ending(String)
  /// A beginning and an ending.
  case ends(String, String)
  case containing([String])
  /// Any text but an empty one.
  case something

  package init(stringLiteral text: String) { self = .whole(text) }

  package static func containing(_ parts: String...) -> Wording { .containing(parts) }

  fileprivate func fits(_ text: String) -> Bool {
    switch self {
    case .whole(let whole): text == whole
    case .beginning(let part): text.hasPrefix(part)
    case .ending(let part): text.hasSuffix(part)
    case .ends(let first, let last): text.hasPrefix(first) && text.hasSuffix(last)
    case .containing(let parts): parts.allSatisfy { text.contains($0) }
    case .something: !text.isEmpty
    }
  }
}

/// Expects that `body` throws a ``SafelightError`` of this kind and these words; what is nil may be any.
package func expectError<Success>(
  _ kind: SafelightError.Kind? = nil, what: Wording? = nil, why: Wording? = nil, remedy: Wording? = nil,
  at location: SourceLocation = #_sourceLocation, _ body: () throws -> Success
) {
  let error = #expect(throws: SafelightError.self, sourceLocation: location) { _ = try body() }
  guard let error else { return }
  if let kind { #expect(error.kind == kind, "\(error)", sourceLocation: location) }
  for (wording, text) in [(what, error.what), (why, error.why), (remedy, error.remedy ?? "")] {
    guard let wording else { continue }
    #expect(wording.fits(text), "not \(wording): \(error)", sourceLocation: location)
  }
}
