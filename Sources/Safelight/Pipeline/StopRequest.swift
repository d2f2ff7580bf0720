internal import Synchronization

/// Asks a run to take no new frames and finish those on the way.
public final class StopRequest: Sendable {
  private let flag = Atomic<Bool>(false)

  /// Makes a request that nobody has made yet.
  public init() {}

  /// True once ``make()`` was called.
  public var isMade: Bool { flag.load(ordering: .acquiring) }

  /// Asks; may be called from any thread, and again.
  public func make() { flag.store(true, ordering: .releasing) }
}
