import ArgumentParser
import Safelight
import Synchronization

/// How progress is shown.
enum ProgressStyle: String, ExpressibleByArgument, CaseIterable {
  case auto
  case bar
  case plain
  case json
  case none

  /// `auto` is a bar for a person and plain lines for a log.
  var resolved: ProgressStyle { self == .auto ? Console.isTerminal ? .bar : .plain : self }
}

/// Shows how far a run is, on standard error.
final class ProgressDisplay: Sendable {
  private let style: ProgressStyle
  private let start = ContinuousClock().now
  private let state: Mutex<(total: Int?, done: Int, skipped: Int, shownAt: Double)>

  /// Begins to count `total` frames; nil where nobody knows.
  init(_ style: ProgressStyle, total: Int?) {
    self.style = style.resolved
    state = Mutex((total, 0, 0, 0))
    if self.style == .json { Console.speakJSON() }
  }

  /// So many frames more have come.
  func expect(_ count: Int) { state.withLock { $0.total = ($0.total ?? 0) + count } }

  /// True where every frame has a line for programs, also one that failed.
  var speaksJSON: Bool { style == .json }

  /// A frame has ended.
  func frameEnded(_ entry: FrameLedger.Entry) {
    if speaksJSON {
      let (index, file) = (entry.frame.index, entry.frame.path)
      let milliseconds = Int((entry.seconds * 1000).rounded())
      Console.event(
        entry.error.map { .failure(index: index, file: file, error: $0.description) }
          ?? .frame(index: index, file: file, milliseconds: milliseconds, status: entry.status))
    }
    // Frames that were only to be remembered are not among the total.
    if entry.output != nil { advance(isSkipped: entry.status == .skipped) }
  }

  /// The samples of a frame were counted.
  func frameCounted(_ frame: Frame, since start: ContinuousClock.Instant) {
    if style == .json {
      let milliseconds = (ContinuousClock().now - start) / .milliseconds(1)
      Console.event(.frame(index: frame.index, file: frame.path, milliseconds: Int(milliseconds.rounded())))
    }
    advance()
    sumUp(state.withLock { $0.done })
  }

  /// The last line for programs, should nothing more come.
  private func sumUp(_ count: Int) {
    guard style == .json else { return }
    Console.prepareToClose(with: .summary(done: count, skipped: 0, failed: 0, seconds: elapsed))
  }

  /// All samples were counted.
  func countingEnded(_ count: Int) {
    Console.endBar()
    sumUp(count)
  }

  /// One more is done; the display is brought up to date a few times a second, a log every few seconds.
  func advance(isSkipped: Bool = false) {
    let elapsed = elapsed
    let meter = state.withLock { state -> ProgressMeter? in
      state.done += 1
      if isSkipped { state.skipped += 1 }
      let interval = style == .bar ? 0.1 : 5
      // Of the last frame a bar tells at once, and a log with the line at the end.
      guard state.done == state.total ? style == .bar : elapsed - state.shownAt >= interval else { return nil }
      state.shownAt = elapsed
      // Like the last line: skipped frames say nothing of how far the work is.
      return ProgressMeter(
        done: state.done - state.skipped, total: state.total.map { $0 - state.skipped }, elapsed: elapsed)
    }
    guard let meter else { return }
    switch style {
    case .bar: Console.bar(meter.bar(width: Console.width - 1))
    case .plain: Console.line("safelight: \(meter.plain)")
    case .auto, .json, .none: break
    }
  }

  /// The run is over; of a film that was interrupted nothing is kept.
  func runEnded(_ ledger: FrameLedger, toFilm: Bool = false) {
    Console.endBar()
    let (done, skipped, failed) = (ledger.count(.done), ledger.count(.skipped), ledger.count(.failed))
    switch style {
    case .json:
      Console.prepareToClose(with: .summary(done: done, skipped: skipped, failed: failed, seconds: ledger.seconds))
    case .none: break
    case .auto, .bar, .plain:
      if skipped == ledger.entries.count && !ledger.isInterrupted {
        let why = skipped == 0 ? "no frames" : "every output is there, \(skipped) skipped"
        return Console.line("safelight: nothing to do: \(why)")
      }
      // Nobody knows how long a film would have been that broke off.
      let isWhole = ledger.errors.isEmpty && !ledger.isInterrupted
      let total = isWhole || state.withLock({ $0.total != nil }) ? ledger.wantedCount : nil
      var parts = [ProgressMeter(done: done, total: total, elapsed: ledger.seconds).ended]
      if skipped > 0 { parts.append("\(skipped) skipped") }
      if failed > 0 { parts.append("\(failed) failed") }
      if ledger.count(.untouched) > 0 { parts.append("\(ledger.count(.untouched)) not begun") }
      if ledger.isInterrupted {
        parts.append(
          toFilm
            ? "interrupted: nothing of the film is kept"
            : "interrupted: run again, with --existing skip to go on where it stopped")
      }
      Console.line("safelight: " + parts.joined(separator: "; "))
    }
  }

  private var elapsed: Double {
    (ContinuousClock().now - start) / .seconds(1)
  }
}
