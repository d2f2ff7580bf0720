public import SafelightFrames
public import SafelightGPU
internal import SafelightImage
internal import Synchronization

/// The report of a run for programs: JSON with a line for every frame that was begun.
public final class RunReport: Sendable {
  private let version: String
  private let device: DeviceInfo
  private let filters: String
  private let recipe: String
  private let shard: String?
  private let verifier: String?
  private let pixels = Mutex<[Int: String]>([:])
  private let measured = Mutex<[Int: [MeasuredFrame]]>([:])

  /// Begins the report of a run by this `version` of a program over the part `shard` of its frames, each compared with
  /// what `verifier` makes.
  public init(
    version: String, device: Device, chain: FilterChain, recipe: FrameRecipe, shard: String?, verifier: String? = nil
  ) {
    self.version = version
    self.device = device.info
    filters = FilterSyntax.text(of: chain.calls)
    self.recipe = recipe.description
    self.shard = shard
    self.verifier = verifier
  }

  /// Adds the hash of a finished frame's pixels; may be called from any thread.
  public func frameMade(_ frame: Frame, pixels hash: String) {
    pixels.withLock { $0[frame.index] = hash }
  }

  /// Adds what filters measured of a frame; may be called from any thread.
  public func frameMeasured(_ frame: Frame, _ measured: [MeasuredFrame]) {
    self.measured.withLock { $0[frame.index] = measured }
  }

  /// Returns the report of a run that exits with `code`, with `warnings` of the whole run, ended by a line feed. Frames
  /// are in the order of the sequence; those never begun have no line.
  public func json(_ ledger: FrameLedger, warnings: [String] = [], code: Int32 = 0) -> String {
    let pixels = pixels.withLock { $0 }
    let frames = ledger.entries.filter { $0.status != .untouched }.map { line($0, pixels[$0.frame.index]) }
    return Self.json(
      Header(
        version: version, device: device.name, driver: device.driver, filters: filters, recipe: recipe, shard: shard,
        verifiedWith: verifier, warnings: warnings, summary: Summary(ledger, code: code)), frames)
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

    package init() {}

    package init(_ ledger: FrameLedger, code: Int32 = 0) {
      (done, skipped) = (ledger.count(.done), ledger.count(.skipped))
      (failed, untouched) = (ledger.count(.failed), ledger.count(.untouched))
      (interrupted, seconds, self.code) = (ledger.isInterrupted, ledger.seconds, code)
    }

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
      ("filters", text(header.filters)), ("recipe", text(header.recipe)), ("shard", text(header.shard)),
      ("verifiedWith", text(header.verifiedWith)), ("error", text(header.error)),
      ("warnings", JSONText.array(header.warnings.map(text))), ("frames", list), ("summary", counts),
    ]) + "\n"
  }

  /// Returns true if the file at `path` is a report.
  public static func isReport(_ path: String) throws -> Bool {
    let opening = Array("{\"version\":".utf8)
    return try readBeginning(path, count: opening.count) == opening
  }

  private func line(_ entry: FrameLedger.Entry, _ pixels: String?) -> String {
    let made = entry.status == .done ? pixels : nil
    let measured = entry.status == .done ? measured.withLock { $0[entry.frame.index] } : nil
    return JSONText.object(
      [
        ("index", "\(entry.frame.index)"), ("input", JSONText.string(entry.frame.path)),
        ("output", JSONText.string(entry.output)), ("status", JSONText.string(entry.status.rawValue)),
        ("pixels", JSONText.string(made)), ("error", JSONText.string(entry.error?.description)),
      ] + (measured.map { [("measured", Self.json($0))] } ?? []) + [
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
