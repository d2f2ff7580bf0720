import SafelightImage
import Testing

/// Runs `operation`, which must throw a ``SafelightError`` of `kind` whose message holds `texts`; returns it.
@discardableResult
func expectError(
  _ kind: SafelightError.Kind, mentioning texts: String..., sourceLocation: SourceLocation = #_sourceLocation,
  _ operation: () throws -> Void
) -> SafelightError? {
  let error = #expect(throws: SafelightError.self, sourceLocation: sourceLocation) { try operation() }
  guard let error else { return nil }
  #expect(error.kind == kind, "\(error)", sourceLocation: sourceLocation)
  for text in texts {
    #expect(error.description.contains(text), "\(error)", sourceLocation: sourceLocation)
  }
  return error
}

/// The same for an operation that waits.
@discardableResult
func expectError(
  _ kind: SafelightError.Kind, mentioning texts: String..., sourceLocation: SourceLocation = #_sourceLocation,
  _ operation: () async throws -> Void
) async -> SafelightError? {
  let error = await #expect(throws: SafelightError.self, sourceLocation: sourceLocation) { try await operation() }
  guard let error else { return nil }
  #expect(error.kind == kind, "\(error)", sourceLocation: sourceLocation)
  for text in texts {
    #expect(error.description.contains(text), "\(error)", sourceLocation: sourceLocation)
  }
  return error
}
