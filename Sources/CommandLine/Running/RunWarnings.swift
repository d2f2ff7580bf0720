import Safelight
import Synchronization

/// The warnings of a run and the failures of its frames: the first of each kind is printed at once, the others at the
/// end as one line with their count.
final class RunWarnings: Sendable {
  private struct State {
    var ofRun: [String] = []
    /// The kinds in the order in which they came, with the file that each was said of and the number of others.
    var kinds: [(why: String, first: String, others: Int)] = []
    /// The place of each in `kinds`.
    var places: [String: Int] = [:]
    /// The warnings of frames that were printed before their frames ended.
    var early: Set<String> = []
    var isEnded = false
  }

  private let isQuiet: Bool
  private let state = Mutex(State())

  /// Prints no warnings if `isQuiet`; failures are printed in any case.
  init(isQuiet: Bool) { self.isQuiet = isQuiet }

  /// The warnings of the run as a whole, for its report.
  var ofRun: [String] { state.withLock { $0.ofRun } }

  /// Warns of something that concerns the whole run or a whole film.
  func add(_ text: String) {
    state.withLock { $0.ofRun.append(text) }
    if !isQuiet { Console.line("safelight: \(text)") }
  }

  /// Warns of something that may concern many files: the first gets a line, and all others together one at the end.
  func add(_ why: String, of name: String) {
    state.withLock { $0.ofRun.append("\(name): \(why)") }
    if !isQuiet && isFirst(why, of: name) { Console.line("safelight: \(name): \(why)") }
  }

  /// Warns of files among the frames that are not taken.
  func add(leftOutOf list: FrameList, hasRecursion: Bool) {
    let remedy = hasRecursion ? "name the folder with --recursive to take them" : "name them to take them"
    for path in list.passedOver { add("\(path) is a pipe, socket or device; it is passed over") }
    if let text = OtherPictures.text(list.otherKinds) { add(text) }
    if let text = list.innerFolders.counted("holds", "hold") { add("\(text) PNG files too; \(remedy)") }
  }

  /// Warns if `selection` extends beyond `last`, from 1, the last frame that was taken of `name`; nil if none was.
  func add(endOf selection: FrameSelection?, at last: Int?, of name: String) {
    guard let last, let text = selection?.warning(endingAt: last, of: name) else { return }
    add(text)
  }

  /// Prints the warnings of a frame and, if `tellsFailures`, why it failed.
  func frameEnded(_ entry: FrameLedger.Entry, tellsFailures: Bool) {
    let name = entry.frame.path
    warn(entry.warnings, of: name)
    guard tellsFailures, let error = entry.error else { return }
    // The file stands for the others, and not the filter that is at fault in all of them.
    let isOfFile = error.what.hasPrefix("\(name): ")
    let why = isOfFile ? "\(error.what.dropFirst(name.count + 2)): \(error.why)" : error.why
    if isFirst(why, of: isOfFile ? name : error.what) { complain(error) }
  }

  /// Prints the same for a frame that another process made.
  func frameEnded(_ frame: PartReport.Frame, tellsFailures: Bool) {
    warn(frame.warnings, of: frame.input)
    guard tellsFailures, let error = frame.error else { return }
    let why = error.hasPrefix("\(frame.input): ") ? String(error.dropFirst(frame.input.count + 2)) : error
    if isFirst(why, of: frame.input) { Console.line("safelight: \(error)") }
  }

  /// Prints a warning of a frame before the frame ends, which has it among its warnings.
  func warn(early warning: String, of name: String) {
    warn([warning], of: name)
    state.withLock { _ = $0.early.insert("\(name): \(warning)") }
  }

  private func warn(_ warnings: [String], of name: String) {
    guard !isQuiet else { return }
    for warning in warnings where !isPrinted(warning, of: name) && isFirst(warning, of: name) {
      Console.line("safelight: \(name): \(warning)")
    }
  }

  private func isPrinted(_ warning: String, of name: String) -> Bool {
    state.withLock { $0.early.remove("\(name): \(warning)") != nil }
  }

  private func isFirst(_ why: String, of name: String) -> Bool {
    state.withLock { state in
      if let place = state.places[why] {
        state.kinds[place].others += 1
        return false
      }
      state.places[why] = state.kinds.count
      state.kinds.append((why, name, 0))
      return true
    }
  }

  /// True once the end of the run has been reported.
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Reports how many were like those that were reported.
  func end() {
    let kinds = state.withLock { state in
      state.isEnded = true
      return state.kinds
    }
    for (why, first, others) in kinds where others > 0 {
      Console.line("safelight: \(first) and \(others) more: \(why)")
    }
  }
}

extension [FrameList.Gap] {
  /// `in/f4.png is missing between the frames`, `4 frames are missing between the others: in/f4.png, … and 1 more`.
  var text: String {
    if count == 1 { return "\(self[0].path) is missing between the frames" }
    let named = prefix(3).map(\.path)
    let rest = count > named.count ? " and \(count - named.count) more" : ""
    return "\(count) frames are missing between the others: \(named.joined(separator: ", "))\(rest)"
  }
}

/// Pictures and films beside PNG files, which a command for PNG files leaves out. It reports them, so that they are not
/// believed to have been processed.
enum OtherPictures {
  /// Reports the files in `folder` that are left out.
  static func tell(in folder: String, isRecursive: Bool) {
    // The command itself reports a folder that it cannot read or that holds no PNG.
    guard let list = try? FrameList([folder], isRecursive: isRecursive), let text = text(list.otherKinds) else {
      return
    }
    Console.line("safelight: \(text)")
  }

  /// `in/a.jpg and 3 more are not PNG files and are left out`; nil for no paths.
  static func text(_ paths: [String]) -> String? {
    paths.counted("is not a PNG file and is", "are not PNG files and are").map { "\($0) left out" }
  }
}

extension [String] {
  /// `a is` of one name, `a and 3 more are` of four, with the words given; nil of none.
  func counted(_ one: String, _ many: String) -> String? {
    first.map { count == 1 ? "\($0) \(one)" : "\($0) and \(count - 1) more \(many)" }
  }
}
