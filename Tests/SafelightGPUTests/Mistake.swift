import Testing

/// A programmer's mistake, and words of the message with which it stops the program.
struct Mistake: Sendable, CustomTestStringConvertible {
  let testDescription: String
  private let words: [String]
  private let body: @Sendable () async throws -> Void

  init(_ name: String, says words: String..., body: @escaping @Sendable () async throws -> Void) {
    (testDescription, self.words, self.body) = (name, words, body)
  }

  /// By name, as the test of an exit can hand no closure to its process.
  private static let all: [String: Mistake] = {
    let tables = [
      CommandPreconditionTests.mistakes, CommandBufferPreconditionTests.mistakes,
      SynchronizationPreconditionTests.mistakes, LinearTexturePreconditionTests.mistakes,
      CommandBufferPreconditionTests.lengths, RenderPreconditionTests.mistakes, DepthPreconditionTests.mistakes,
      PresentationPreconditionTests.mistakes,
    ]
    return Dictionary(uniqueKeysWithValues: tables.joined().map { ($0.testDescription, $0) })
  }()

  /// Makes the mistake in a process of its own, and expects that the process stops with these words.
  func expectStop(at location: SourceLocation = #_sourceLocation) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent], sourceLocation: location
    ) { [name = testDescription as String] in
      try await #require(Mistake.all[name]).body()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for word in words { #expect(text.contains(word), "stopped with: \(text)", sourceLocation: location) }
  }
}
