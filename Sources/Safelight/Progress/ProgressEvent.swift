/// What `--progress json` says: one object a line.
public enum ProgressEvent: Hashable, Sendable {
  /// The frame at `index`, from 0, read from `file`, is finished after `milliseconds`: done or skipped.
  case frame(index: Int, file: String, milliseconds: Int, status: FrameLedger.Status = .done)
  /// The frame at `index`, read from `file`, could not be finished.
  case failure(index: Int, file: String, error: String)
  /// Anything else that a person would read, such as the device in use.
  case message(String)
  /// The run is over: frames by their end, and how long it took, at least 0.
  case summary(done: Int, skipped: Int, failed: Int, seconds: Double)

  /// The event as JSON without a line feed, such as `{"event":"frame","index":17,"file":"a.png","milliseconds":41,"status":"done"}`.
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

  /// Thousandths without the zeros at the end: `1.9`, `12`, `0.041`.
  private static func shortest(_ seconds: Double) -> String {
    var text = DurationText.decimal(seconds.isFinite ? seconds : 0, places: 3)
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }
}
