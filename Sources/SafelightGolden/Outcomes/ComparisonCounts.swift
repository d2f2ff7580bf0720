/// How many comparisons ended how.
public struct ComparisonCounts: Hashable, Sendable, CustomStringConvertible {
  private var counts: [ComparisonStatus: Int] = [:]

  /// Counts `statuses`.
  public init(_ statuses: some Sequence<ComparisonStatus> = EmptyCollection()) {
    for status in statuses { add(status) }
  }

  /// Counts one more.
  public mutating func add(_ status: ComparisonStatus) { counts[status, default: 0] += 1 }

  /// How many ended so.
  public subscript(_ status: ComparisonStatus) -> Int { counts[status] ?? 0 }

  /// How many pictures were compared with another.
  public var compared: Int { counts.reduce(0) { $0 + ($1.key.isCompared ? $1.value : 0) } }

  /// For people, how every line that counts begins: `40 compared: 31 exact, 6 within, 3 differ`.
  public var description: String {
    "\(compared) compared: " + [.exact, .within, .differs].map(text).joined(separator: ", ")
  }

  /// `2 missing`.
  public func text(_ status: ComparisonStatus) -> String { "\(self[status]) \(status.words)" }

  /// ``text(_:)`` of those of `statuses` that there are.
  public func texts(_ statuses: [ComparisonStatus]) -> [String] { statuses.filter { self[$0] > 0 }.map(text) }
}
