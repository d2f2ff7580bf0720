public import SafelightFrames
public import SafelightGPU
internal import SafelightImage
internal import Synchronization

/// The report of a run for programs: JSON with a line for every frame that was begun.
public final class RunReport: Sendable {
  private let header: Header
  private let frames = Mutex<(pixels: [Int: String], measured: [Int: [MeasuredFrame]])>(([:], [:]))

  /// Begins the report of a run by this `version` of a program over the part `shard` of its frames, each compared with
  /// what `verifier` makes, and made upright before the filters if `turnsUpright`.
  public init(
    version: String, device: Device, chain: FilterChain, recipe: FrameRecipe, shard: String?, verifier: String? = nil,
    turnsUpright: Bool = false
  ) {
    header = Header(
      version: version, device: device.info.name, driver: device.info.driver,
      filters: FilterSyntax.text(of: chain.calls), recipe: recipe.description, autoOrient: turnsUpright, shard: shard,
      verifiedWith: verifier)
  }

  /// Adds the hash of a finished frame's pixels; may be called from any thread.
  public func frameMade(_ frame: Frame, pixels hash: String) {
    frames.withLock { $0.pixels[frame.index] = hash }
  }

  /// Adds what filters measured of a frame; may be called from any thread.
  public func frameMeasured(_ frame: Frame, _ measured: [MeasuredFrame]) {
    frames.withLock { $0.measured[frame.index] = measured }
  }

  /// Returns the report of a run that exits with `code`, with `warnings` of the whole run, ended by a line feed. Frames
  /// are in the order of the sequence; those never begun have no line.
  public func json(_ ledger: FrameLedger, warnings: [String] = [], code: Int32 = 0) -> String {
    let (pixels, measured) = frames.withLock { $0 }
    var header = header
    (header.warnings, header.summary) = (warnings, Summary(ledger, code: code))
    return Self.json(
      header,
      ledger.entries.filter { $0.status != .untouched }.map { entry in
        let isDone = entry.status == .done
        let index = entry.frame.index
        return Self.line(entry, isDone ? pixels[index] : nil, isDone ? measured[index] : nil)
      })
  }

  /// Returns the report of a run with `filters` that began no frame: because of `error`, for which it exits with
  /// `code`, or because there was nothing to do if `error` is nil. Unknown values are null.
  public static func json(
    version: String, filters: String, shard: String?, error: String?, isInterrupted: Bool = false, code: Int32 = 0
  ) -> String {
    var header = Header(version: version, filters: filters, shard: shard, error: error)
    (header.summary.interrupted, header.summary.code) = (isInterrupted, code)
    return json(header, [])
  }

  /// All that a report says of the whole run.
  struct Header: Decodable {
    var version: String
    var device: String?
    var driver: String?
    var filters: String
    var recipe: String?
    var autoOrient: Bool?
    var shard: String?
    var verifiedWith: String?
    var error: String?
    var warnings: [String] = []
    var summary = Summary()
  }

  /// The last line of a report: the number of frames by their status, and how the run ended.
  package struct Summary: Decodable, Sendable {
    package var done = 0
    package var skipped = 0
    package var failed = 0
    package var untouched = 0
    package var interrupted = false
    package var seconds = 0.0
    package var code: Int32 = 0

    /// Adds the numbers of another part.
    mutating func add(_ other: Summary) {
      done += other.done
      skipped += other.skipped
      failed += other.failed
      untouched += other.untouched
      interrupted = interrupted || other.interrupted
      seconds += other.seconds
    }
  }

  static func json(_ header: Header, _ frames: [String]) -> String {
    func text(_ value: String?) -> String { JSONText.string(value) }
    let summary = header.summary
    let counts = JSONText.object([
      ("done", "\(summary.done)"), ("skipped", "\(summary.skipped)"), ("failed", "\(summary.failed)"),
      ("untouched", "\(summary.untouched)"), ("interrupted", "\(summary.interrupted)"),
      ("seconds", DurationText.decimal(summary.seconds, places: 3)), ("code", "\(summary.code)"),
    ])
    let list = frames.isEmpty ? "[]" : "[\n" + frames.joined(separator: ",\n") + "\n]"
    return JSONText.object([
      ("version", text(header.version)), ("device", text(header.device)), ("driver", text(header.driver)),
      ("filters", text(header.filters)), ("recipe", text(header.recipe)),
      ("autoOrient", header.autoOrient.map { "\($0)" } ?? "null"), ("shard", text(header.shard)),
      ("verifiedWith", text(header.verifiedWith)), ("error", text(header.error)),
      ("warnings", JSONText.array(header.warnings.map(text))), ("frames", list), ("summary", counts),
    ]) + "\n"
  }

  /// Returns true if the file at `path` is a report.
  public static func isReport(_ path: String) throws -> Bool {
    let opening = Array("{\"version\":".utf8)
    return try readBeginning(path, count: opening.count) == opening
  }

  private static func line(_ entry: FrameLedger.Entry, _ pixels: String?, _ measured: [MeasuredFrame]?) -> String {
    JSONText.object(
      [
        ("index", "\(entry.frame.index)"), ("input", JSONText.string(entry.frame.path)),
        ("output", JSONText.string(entry.output)), ("status", JSONText.string(entry.status.rawValue)),
        ("pixels", JSONText.string(pixels)), ("error", JSONText.string(entry.error?.description)),
      ] + (measured.map { [("measured", json($0))] } ?? []) + [
        ("warnings", JSONText.array(entry.warnings.map { JSONText.string($0) })),
        ("milliseconds", DurationText.decimal(entry.seconds * 1000, places: 3)),
      ])
  }

  /// Returns what filters measured, by filter; of two filters of one name, the later has a number after its name.
  private static func json(_ measured: [MeasuredFrame]) -> String {
    var counts: [String: Int] = [:]
    return JSONText.object(
      measured.map { one in
        let count = counts[one.name, default: 0] + 1
        counts[one.name] = count
        return (
          count == 1 ? one.name : "\(one.name) \(count)",
          JSONText.object(one.values.map { ($0.name, "\($0.value)") })
        )
      })
  }
}

extension RunReport.Summary {
  package init(_ ledger: FrameLedger, code: Int32 = 0) {
    self.init(
      done: ledger.count(.done), skipped: ledger.count(.skipped), failed: ledger.count(.failed),
      untouched: ledger.count(.untouched), interrupted: ledger.isInterrupted, seconds: ledger.seconds, code: code)
  }
}
