package import SafelightImage
import Synchronization

/// Memory of frames that are gone, kept for those to come: after the first few, a source allocates nothing for a frame.
///
/// It keeps a few sets of planes at most; more are freed.
package final class FrameMemory: Sendable {
  private struct State {
    var free: [[[UInt8]]] = []
    var allocations = 0
  }

  private let byteCounts: [Int]
  private let limit: Int
  private let state = Mutex(State())

  /// Keeps up to `limit` sets of planes of these lengths.
  package init(byteCounts: [Int], limit: Int = 8) {
    self.byteCounts = byteCounts
    self.limit = limit
  }

  /// How often there was nothing to use again.
  package var allocations: Int { state.withLock(\.allocations) }

  /// Empty planes with room for their bytes.
  package func take() -> [[UInt8]] {
    let kept = state.withLock { state in
      if state.free.isEmpty { state.allocations += 1 }
      return state.free.popLast()
    }
    guard var planes = kept else {
      return byteCounts.map { count in
        var plane: [UInt8] = []
        plane.reserveCapacity(count)
        return plane
      }
    }
    // A plane that somebody copied out of its frame is still theirs: clearing it allocates another.
    for index in planes.indices { planes[index].removeAll(keepingCapacity: true) }
    return planes
  }

  /// The lease of a frame made of `planes`, which come back with it.
  package func lease(_ planes: [[UInt8]]) -> FrameLease {
    FrameLease { [self] in
      state.withLock { state in
        if state.free.count < limit { state.free.append(planes) }
      }
    }
  }
}
