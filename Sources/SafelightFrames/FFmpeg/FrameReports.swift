import SafelightImage
import Synchronization

/// The reports of ffmpeg's filter `showinfo` (libavfilter/vf_showinfo.c) about each frame that ffmpeg decodes.
///
/// The pixel format, the matrix, the range and the shape of pixels may change within a film, and the raw video that
/// ffmpeg sends has no place to say so.
final class FrameReports: Sendable {
  /// ffmpeg's options for messages that ``take(_:)`` understands.
  static let arguments = ["-nostats", "-loglevel", "repeat+level+info"]
  /// The filter that reports each frame and passes it unchanged, without sums over its samples.
  static let filter = "showinfo=checksum=0"

  private struct Properties {
    var pixels = ""
    var color = ColorDescription.unspecified
    var aspect = ""
  }

  private struct State {
    /// The frame that is being reported, on two lines.
    var current = Properties()
    var first: Properties?
    var count = 0
    var isOver = false
    /// The last message is an error; nil before the first one with a level.
    var isInError: Bool?
    /// The number of frames that were reported before the first error.
    var errorIndex: Int?
    var change: (index: Int, why: String)?
    var shapeChange: String?
    var waiting: (index: Int, continuation: CheckedContinuation<Void, Never>)?
  }

  private let state = Mutex(State())
  private let assumed: ColorDescription

  /// Makes an empty list; `assumed` is the meaning of frames that do not state theirs.
  init(assuming assumed: ColorDescription) { self.assumed = assumed }

  /// Takes a line of ffmpeg's messages. Returns what it says of an error; nil for all else.
  func take(_ line: String) -> String? {
    state.withLock { state in
      let parts = Self.parts(of: line)
      if let parts { state.isInError = ["panic", "fatal", "error"].contains(parts.level) }
      if isError(line, hasLevel: parts != nil, state) {
        state.errorIndex = state.errorIndex ?? state.count
        return parts?.text ?? line
      }
      if let parts, parts.level == "info", parts.text.hasPrefix("[Parsed_showinfo_0 @") { read(parts.text, &state) }
      return nil
    }
  }

  /// Returns true if a line is one of an error, or by a program in ffmpeg's place, whose lines have no level.
  ///
  /// A line without a level may also go on with the message before: with the rest of a file's name that holds a line
  /// end, which ffmpeg prints before the first frame, or with tags, which begin with spaces.
  private func isError(_ line: String, hasLevel: Bool, _ state: State) -> Bool {
    guard !hasLevel, state.isInError != true else { return state.isInError == true }
    return state.isInError == nil ? !line.isEmpty : state.count > 0 && !line.isEmpty && !line.hasPrefix(" ")
  }

  /// The index of the first frame that was reported after an error, so that the frame may be wrong; nil without one.
  var errorIndex: Int? { state.withLock(\.errorIndex) }

  /// Ends all waiting: ffmpeg says no more.
  func end() {
    state.withLock { state in
      state.isOver = true
      resume(&state)
    }
  }

  /// Waits until the frame at `index` was reported. Returns what has changed since the first frame if that must not be:
  /// a sentence about the frame where it did.
  func change(at index: Int) async -> String? {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.waiting = (index, continuation)
        resume(&state)
      }
    }
    return state.withLock { state in state.change.flatMap { $0.index <= index ? $0.why : nil } }
  }

  /// A sentence about the first frame whose pixels have another shape than those of the first; nil if there is none.
  var shapeChange: String? { state.withLock(\.shapeChange) }

  private func resume(_ state: inout State) {
    guard let (index, continuation) = state.waiting, state.isOver || state.count > index else { return }
    state.waiting = nil
    continuation.resume()
  }

  /// Reads one of the two lines about a frame: `n: 0 pts: … fmt:yuv420p sar:1/1 s:64x48 …`, and at last
  /// `color_range:tv color_space:bt709 …`.
  private func read(_ text: String, _ state: inout State) {
    let words = text.split(separator: " ")
    func value(_ key: String) -> Substring? {
      words.first { $0.hasPrefix(key) }.map { $0.dropFirst(key.utf8.count) }
    }
    if let pixels = value("fmt:"), let aspect = value("sar:") {
      // The letter j stands for the full range.
      state.current.pixels = String(pixels).replacing("yuvj", with: "yuv")
      // Pixels of an unknown shape are shown as squares.
      state.current.aspect = aspect.hasPrefix("0/") ? "1:1" : String(aspect).replacing("/", with: ":")
    } else if let range = value("color_range:"), let matrix = value("color_space:") {
      state.current.color = ColorDescription(
        matrix: FFmpegColor.matrices[Self.known(matrix)],
        range: range == "pc" ? .full : range == "tv" ? .limited : .unspecified)
      add(state.current, &state)
    }
  }

  private static func known(_ word: Substring) -> String? {
    ["unknown", "reserved", "unspecified"].contains(word) ? nil : String(word)
  }

  private func add(_ frame: Properties, _ state: inout State) {
    defer {
      state.count += 1
      resume(&state)
    }
    guard let first = state.first else { return state.first = frame }
    let place = "frame \(state.count + 1)"
    if state.shapeChange == nil, frame.aspect != first.aspect {
      state.shapeChange =
        "from \(place) on its pixels are \(frame.aspect) instead of \(first.aspect), which is left out"
    }
    guard state.change == nil else { return }
    let (before, after) = (first.color.filled(by: assumed), frame.color.filled(by: first.color.filled(by: assumed)))
    if frame.pixels != first.pixels {
      state.change = (state.count, "\(place) is \(frame.pixels), but the film began with \(first.pixels)")
    } else if (before.matrix, before.range) != (after.matrix, after.range) {
      func words(_ color: ColorDescription) -> String { "\(color.matrix) \(color.range)" }
      state.change = (state.count, "\(place) is \(words(after)), but the film began with \(words(before))")
    }
  }

  /// Returns the level in a line such as `[h264 @ 0x55…] [error] damaged`, and the line without its level; nil for a
  /// line without one.
  private static func parts(of line: String) -> (level: Substring, text: String)? {
    var rest = line[...]
    while rest.first == "[", let end = rest.firstIndex(of: "]") {
      let word = rest.dropFirst()[..<end]
      let after = rest[rest.index(after: end)...]
      if levels.contains(word) { return (word, String(line[..<rest.startIndex] + after.drop { $0 == " " })) }
      rest = after.drop { $0 == " " }
    }
    return nil
  }

  private static let levels: Set<Substring> = [
    "quiet", "panic", "fatal", "error", "warning", "info", "verbose", "debug", "trace",
  ]
}
