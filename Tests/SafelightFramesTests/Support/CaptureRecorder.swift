import Dispatch
import SafelightFrames
import SafelightImage
import Synchronization

/// Writes down what a capture tells it, and can be made to work on a frame until it is let go.
final class CaptureRecorder: FrameCaptureDelegate {
  enum Event: Equatable {
    case output(Int)
    case drop(Int, DropReason)
    case finish(String?)
  }

  private struct State {
    var events: [Event] = []
    var kept: [VideoFrame] = []
    var inside = 0
    var wasDisturbed = false
  }

  /// Calls that were made to it.
  let heard = Counter()
  private let state = Mutex(State())
  private let blocks: Bool
  private let keeps: Bool
  private let permits = DispatchSemaphore(value: 0)

  /// `blocks`: works on each frame until ``letGo()``. `keeps`: does not give frames back before ``forget()``.
  init(blocks: Bool = false, keeps: Bool = false) {
    self.blocks = blocks
    self.keeps = keeps
  }

  var events: [Event] { state.withLock(\.events) }
  /// True where two calls came at once.
  var wasDisturbed: Bool { state.withLock(\.wasDisturbed) }

  func letGo() { permits.signal() }

  func forget() {
    let kept = state.withLock { state in
      defer { state.kept = [] }
      return state.kept
    }
    withExtendedLifetime(kept) {}
  }

  func frameCapture(_ capture: FrameCapture, didOutput frame: VideoFrame) {
    enter(.output(frame.index))
    if keeps { state.withLock { $0.kept.append(frame) } }
    heard.increment()
    if blocks { permits.wait() }
    leave()
  }

  func frameCapture(_ capture: FrameCapture, didDrop frame: DroppedFrame) {
    enter(.drop(frame.index, frame.reason))
    heard.increment()
    leave()
  }

  func frameCapture(_ capture: FrameCapture, didFinish error: SafelightError?) {
    enter(.finish(error?.why))
    heard.increment()
    leave()
  }

  private func enter(_ event: Event) {
    state.withLock { state in
      state.events.append(event)
      state.inside += 1
      if state.inside > 1 { state.wasDisturbed = true }
    }
  }

  private func leave() { state.withLock { $0.inside -= 1 } }
}
