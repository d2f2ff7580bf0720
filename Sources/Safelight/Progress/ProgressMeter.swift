/// The progress of a run as text; a pure value that neither reads a clock nor writes anything.
public struct ProgressMeter: Hashable, Sendable {
  /// The number of frames finished, done or failed; at least 0. Skipped frames count neither here nor in ``total``.
  public let done: Int
  /// The number of all frames, at least 0; nil if unknown, as for a stream.
  public let total: Int?
  /// Seconds since the start, at least 0.
  public let elapsed: Double

  /// Makes a reading; negative figures and an `elapsed` that is not a number count as 0.
  public init(done: Int, total: Int?, elapsed: Double) {
    self.done = max(0, done)
    self.total = total.map { max(0, $0) }
    self.elapsed = elapsed.isFinite ? max(0, elapsed) : 0
  }

  /// True if every frame is finished.
  public var isFinished: Bool { total.map { done >= $0 } ?? false }

  /// The percentage, rounded down, so that 100 means finished; nil without a total.
  public var percent: Int? {
    total.map { total in isFinished ? 100 : Self.part(of: 100, done, total) }
  }

  /// The frames a second since the start; nil until both a frame and some time have passed.
  public var rate: Double? { done > 0 && elapsed > 0 ? Double(done) / elapsed : nil }

  /// The whole seconds to the end at the rate so far, rounded up; nil without a rate or a total.
  public var secondsLeft: Int? {
    guard let total, let rate else { return nil }
    return DurationText.seconds((Double(max(0, total - done)) / rate).rounded(.up))
  }

  /// Returns a line for a terminal of at most `width` columns: `12/24 ▕████▌    ▏  50 %  18.3 frames/s  0:01 left`.
  ///
  /// If there is no room, the bar is left out first and the count last. Without a total there is no bar.
  public func bar(width: Int) -> String {
    guard width > 0 else { return "" }
    guard let total, let percent else { return fitting([[count, rateText, clock], [count, clock], [count]], width) }
    guard total > 0 else { return String("no frames".prefix(width)) }
    let digits = String(total).count
    let head = padded(String(done), to: digits) + "/\(total)"
    let share = padded(String(percent), to: 3) + " %"
    let tail = [share, rateText, ending].compactMap { $0 }.joined(separator: "  ")
    let cells = width - head.count - tail.count - 4
    if cells >= Self.fewestCells { return "\(head) ▕\(filled(cells))▏ \(tail)" }
    return fitting([[head, share, rateText, ending], [head, share, ending], [head, share], [head]], width)
  }

  /// The line for a log: `12 of 24 frames, 50 %, 18.3 frames/s, 0:01 left`.
  public var plain: String { line(endingIn: ending) }

  /// The line for a run that has ended, finished or not: `4 of 9 frames, 44 %, 18.3 frames/s, in 0.2 s`.
  public var ended: String { line(endingIn: duration) }

  /// Returns a line for a log. It ends with `end` if the number of frames is known, otherwise with the time so far.
  private func line(endingIn end: String) -> String {
    guard total != 0 else { return "no frames" }
    let known = total.map { ["\(done) of \($0) \(noun($0))", percent.map { "\($0) %" }, rateText, end] }
    return (known ?? [count, rateText, clock]).compactMap(\.self).joined(separator: ", ")
  }

  /// A bar of fewer cells shows no more than the percentage.
  private static let fewestCells = 8

  private var count: String { "\(done) \(noun(done))" }

  private var clock: String { DurationText.clock(DurationText.seconds(elapsed)) }

  private var rateText: String? {
    rate.map { DurationText.decimal($0, places: $0 < 99.95 ? 1 : 0) + " frames/s" }
  }

  private var duration: String { "in \(elapsed < 59.95 ? DurationText.decimal(elapsed, places: 1) + " s" : clock)" }

  /// The time left, or the time that the whole run took.
  private var ending: String {
    if isFinished { return duration }
    return secondsLeft.map { DurationText.clock($0) + " left" } ?? "-:-- left"
  }

  /// Returns `whole` × `done` ÷ `total`, rounded down; in integers, so that 29 of 100 are 29 % and not 28.999….
  private static func part(of whole: Int, _ done: Int, _ total: Int) -> Int {
    Int(Int128(whole) * Int128(done) / Int128(total))
  }

  private func noun(_ number: Int) -> String { number == 1 ? "frame" : "frames" }

  /// Returns `cells` columns, filled from the left to an eighth of a column.
  private func filled(_ cells: Int) -> String {
    guard let total, total > 0 else { return String(repeating: " ", count: cells) }
    let eighths = Self.part(of: cells * 8, min(done, total), total)
    let part = eighths % 8 == 0 ? "" : String(Array("▏▎▍▌▋▊▉")[eighths % 8 - 1])
    let bar = String(repeating: "█", count: eighths / 8) + part
    return bar + String(repeating: " ", count: cells - bar.count)
  }

  /// Returns the first line of `lines` that fits, or the beginning of the last.
  private func fitting(_ lines: [[String?]], _ width: Int) -> String {
    let texts = lines.map { $0.compactMap { $0 }.joined(separator: "  ") }
    return texts.first { $0.count <= width } ?? String((texts.last ?? "").prefix(width))
  }

  private func padded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

/// An event of `--progress json`: one object a line.
public enum ProgressEvent: Hashable, Sendable {
  /// The frame at `index`, from 0, read from `file`, is finished after `milliseconds`: done or skipped.
  case frame(index: Int, file: String, milliseconds: Int, status: FrameLedger.Status = .done)
  /// The frame at `index`, read from `file`, could not be finished.
  case failure(index: Int, file: String, error: String)
  /// Any other text for a person, such as the device in use.
  case message(String)
  /// The run is over: the number of frames by their status, and the seconds it took, at least 0.
  case summary(done: Int, skipped: Int, failed: Int, seconds: Double)

  /// The event as JSON without a line feed, such as
  /// `{"event":"frame","index":17,"file":"a.png","milliseconds":41,"status":"done"}`.
  ///
  /// Seconds are rounded to thousandths.
  public var json: String {
    switch self {
    case .frame(let index, let file, let milliseconds, let status):
      JSONText.object([
        ("event", "\"frame\""), ("index", String(index)), ("file", JSONText.string(file)),
        ("milliseconds", String(milliseconds)), ("status", JSONText.string(status.rawValue)),
      ])
    case .failure(let index, let file, let error):
      JSONText.object([
        ("event", "\"error\""), ("index", String(index)), ("file", JSONText.string(file)),
        ("error", JSONText.string(error)),
      ])
    case .message(let text): JSONText.object([("event", "\"message\""), ("text", JSONText.string(text))])
    case .summary(let done, let skipped, let failed, let seconds):
      JSONText.object([
        ("event", "\"summary\""), ("done", String(done)), ("skipped", String(skipped)), ("failed", String(failed)),
        ("seconds", Self.shortest(seconds)),
      ])
    }
  }

  /// Returns thousandths without trailing zeros: `1.9`, `12`, `0.041`.
  private static func shortest(_ seconds: Double) -> String {
    var text = DurationText.decimal(seconds.isFinite ? seconds : 0, places: 3)
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }
}

/// Times and rates as text, independent of the locale.
package enum DurationText {
  /// Returns `seconds` as `m:ss`, from an hour on as `h:mm:ss`.
  package static func clock(_ seconds: Int) -> String {
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    let minutes = seconds / 60
    return minutes < 60
      ? "\(minutes):\(two(seconds % 60))" : "\(minutes / 60):\(two(minutes % 60)):\(two(seconds % 60))"
  }

  /// Returns the whole seconds of `time`, at most a thousand hours.
  static func seconds(_ time: Double) -> Int {
    Int(min(max(0, time), 3_599_999))
  }

  /// Returns `number`, at least 0, with exactly `places` decimals, rounded to the nearest.
  package static func decimal(_ number: Double, places: Int) -> String {
    let power = (0..<places).reduce(1) { power, _ in power * 10 }
    let units = Int(min(max(0, number) * Double(power), 1e18).rounded())
    guard places > 0 else { return String(units) }
    let decimals = String(units % power)
    return "\(units / power)." + String(repeating: "0", count: places - decimals.count) + decimals
  }
}
