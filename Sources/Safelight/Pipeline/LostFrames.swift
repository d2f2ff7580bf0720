internal import SafelightFrames
internal import Synchronization

/// Frames that left nothing behind for those that depend on them.
final class LostFrames: Sendable {
  /// How many frames before its own a result depends on.
  let history: Int

  private struct State {
    /// The last frame whose commands were recorded.
    var last = 0
    var losses: [(affected: Range<Int>, why: String)] = []
  }

  private let state = Mutex(State())

  init(history: Int) { self.history = history }

  /// To be called before the commands of a frame are recorded.
  func begin(_ frame: Frame) { state.withLock { $0.last = frame.index } }

  /// To be called when the filters have been reset. Frames that were recorded until then go without this one, and those
  /// behind them without them.
  func add(_ frame: Frame, _ error: any Error) {
    guard history > 0 else { return }
    state.withLock { state in
      let next = frame.index + 1
      state.losses.append((next..<max(next, state.last + 1) + history, "\(error)"))
    }
  }

  /// What the result of `frame` lacks.
  func warnings(for frame: Frame) -> [String] {
    state.withLock { state in
      state.losses.filter { $0.affected.contains(frame.index) }.map {
        "a frame before it, on which it depends, is left out: \($0.why)"
      }
    }
  }
}
