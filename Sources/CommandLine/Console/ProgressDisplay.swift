import ArgumentParser
import Safelight
import Synchronization

enum ProgressStyle: String, ExpressibleByArgument, CaseIterable {
  case auto, bar, plain, json, none
}

/// Shows the progress of a run on standard error.
final class ProgressDisplay: Sendable {
  /// Never `auto`, which is a bar on a terminal and plain lines elsewhere.
  private let style: ProgressStyle
  private let start = ContinuousClock().now
  private let state: Mutex<(total: Int?, done: Int, skipped: Int, shownAt: Double)>

  /// Begins to count `total` frames, nil if the number is unknown. If `isQuiet`, only programs are told.
  init(_ style: ProgressStyle, isQuiet: Bool = false, total: Int?) {
    let shown: ProgressStyle = isQuiet && style != .json ? .none : style
    self.style = shown == .auto ? (Console.isTerminal ? .bar : .plain) : shown
    state = Mutex((total, 0, 0, 0))
  }

  func expect(_ count: Int) { state.withLock { $0.total = ($0.total ?? 0) + count } }

  /// True if every frame gets a line for programs, even one that failed.
  var speaksJSON: Bool { style == .json }

  func frameEnded(_ entry: FrameLedger.Entry) {
    if speaksJSON {
      let (index, file) = (entry.frame.index, entry.frame.path)
      let milliseconds = Int((entry.seconds * 1000).rounded())
      let event =
        entry.error.map { ProgressEvent.failure(index: index, file: file, error: $0.description) }
        ?? .frame(index: index, file: file, milliseconds: milliseconds, status: entry.status)
      Console.event(event.json)
    }
    // Frames without an output, which only serve as history for others, are not part of the total.
    if entry.output != nil { advance(isSkipped: entry.status == .skipped) }
  }

  /// Shows that a frame has ended in another process, which wrote `line` for programs.
  func frameEnded(_ line: String, isSkipped: Bool) {
    if speaksJSON { Console.event(line) }
    advance(isSkipped: isSkipped)
  }

  /// Shows that the samples of a frame were counted.
  func frameCounted(_ frame: Frame, since start: ContinuousClock.Instant) {
    if speaksJSON {
      let milliseconds = Int(((ContinuousClock().now - start) / .milliseconds(1)).rounded())
      Console.event(ProgressEvent.frame(index: frame.index, file: frame.path, milliseconds: milliseconds).json)
    }
    advance()
    sumUp(state.withLock { $0.done })
  }

  /// Prepares the last line for programs, in case nothing follows.
  private func sumUp(_ count: Int) {
    guard style == .json else { return }
    Console.prepareToClose(with: .summary(done: count, skipped: 0, failed: 0, seconds: elapsed))
  }

  /// Ends the display after the samples of `count` frames were counted.
  func countingEnded(_ count: Int) {
    Console.endBar()
    sumUp(count)
  }

  /// Counts one more frame as done. A bar is redrawn every 0.1 s at most, a log gets a line every 5 s at most.
  func advance(isSkipped: Bool = false) {
    let elapsed = elapsed
    let meter = state.withLock { state -> ProgressMeter? in
      state.done += 1
      if isSkipped { state.skipped += 1 }
      let interval = style == .bar ? 0.1 : 5
      // A bar shows the last frame at once; a log leaves it to the line at the end.
      guard state.done == state.total ? style == .bar : elapsed - state.shownAt >= interval else { return nil }
      state.shownAt = elapsed
      // As in the last line, skipped frames do not count: they say nothing about the progress of the work.
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

  /// Reports how the run ended. Nothing is kept of an interrupted film.
  func runEnded(_ ledger: FrameLedger, toFilm: Bool = false) {
    runEnded(RunReport.Summary(ledger), wanted: ledger.wantedCount, isWhole: ledger.errors.isEmpty, toFilm: toFilm)
  }

  /// Reports how a run over `wanted` frames, not counting those that were kept, ended; `isWhole` if nothing failed.
  func runEnded(_ run: RunReport.Summary, wanted: Int, isWhole: Bool, toFilm: Bool = false) {
    Console.endBar()
    switch style {
    case .json:
      Console.prepareToClose(
        with: .summary(done: run.done, skipped: run.skipped, failed: run.failed, seconds: run.seconds))
    case .none: break
    case .auto, .bar, .plain:
      if run.done + run.failed + run.untouched == 0 && !run.interrupted {
        let why = run.skipped == 0 ? "no frames" : "every output exists, \(run.skipped) skipped"
        return Console.line("safelight: nothing to do: \(why)")
      }
      // The full length of a film that broke off is unknown.
      let total = isWhole && !run.interrupted || state.withLock({ $0.total != nil }) ? wanted : nil
      var parts = [ProgressMeter(done: run.done, total: total, elapsed: run.seconds).ended]
      if run.skipped > 0 { parts.append("\(run.skipped) skipped") }
      if run.failed > 0 { parts.append("\(run.failed) failed") }
      if run.untouched > 0 { parts.append("\(run.untouched) not begun") }
      if run.interrupted {
        parts.append(
          toFilm
            ? "interrupted: nothing of the film is kept"
            : "interrupted: run again, with --existing skip to go on where it stopped")
      }
      Console.line("safelight: " + parts.joined(separator: "; "))
    }
  }

  private var elapsed: Double { (ContinuousClock().now - start) / .seconds(1) }
}
