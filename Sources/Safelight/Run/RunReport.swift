public import SafelightFrames
public import SafelightGPU
internal import SafelightImage
internal import Synchronization

/// What a run has done, for programs: JSON with a line for every frame that it came to.
public final class RunReport: Sendable {
  private let version: String
  private let device: DeviceInfo
  private let filters: String
  private let recipe: String
  private let shard: String?
  private let verifier: String?
  private let pixels = Mutex<[Int: String]>([:])
  private let measured = Mutex<[Int: [MeasuredFrame]]>([:])

  /// Begins a report of a run of this `version` of a program over the part `shard` of its frames, each compared with what `verifier` makes of it.
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

  /// Takes the hash of a finished frame's pixels; may be called from any thread.
  public func frameMade(_ frame: Frame, pixels hash: String) {
    pixels.withLock { $0[frame.index] = hash }
  }

  /// Takes what filters measured of a frame; may be called from any thread.
  public func frameMeasured(_ frame: Frame, _ measured: [MeasuredFrame]) {
    self.measured.withLock { $0[frame.index] = measured }
  }

  /// The report, with `warnings` of the whole run and a new line at its end. Frames are in the order of the sequence; those never begun have
  /// no line.
  public func json(_ ledger: FrameLedger, warnings: [String] = []) -> String {
    let pixels = pixels.withLock { $0 }
    let frames = ledger.entries.filter { $0.status != .untouched }.map { line($0, pixels[$0.frame.index]) }
    return Self.json(
      version, device, filters, recipe: recipe, shard, error: nil, verifier: verifier, warnings: warnings, frames,
      ledger)
  }

  /// The report of a run with `filters` that came to no frame: because of `error`, or nil where nothing was to do. What is not known is null.
  public static func json(
    version: String, filters: String, shard: String?, error: String?, isInterrupted: Bool = false
  ) -> String {
    var ledger = FrameLedger()
    ledger.isInterrupted = isInterrupted
    return json(version, nil, filters, recipe: nil, shard, error: error, [], ledger)
  }

  private static func json(
    _ version: String, _ device: DeviceInfo?, _ filters: String, recipe: String?, _ shard: String?, error: String?,
    verifier: String? = nil, warnings: [String] = [], _ frames: [String], _ ledger: FrameLedger
  ) -> String {
    func text(_ value: String?) -> String { value.map(JSONText.string) ?? "null" }
    let summary = [
      ("done", "\(ledger.count(.done))"), ("skipped", "\(ledger.count(.skipped))"),
      ("failed", "\(ledger.count(.failed))"), ("untouched", "\(ledger.count(.untouched))"),
      ("interrupted", "\(ledger.isInterrupted)"), ("seconds", DurationText.decimal(ledger.seconds, places: 3)),
    ]
    return JSONText.object([
      ("version", text(version)), ("device", text(device?.name)), ("driver", text(device?.driver)),
      ("filters", text(filters)), ("recipe", text(recipe)), ("shard", text(shard)), ("verifiedWith", text(verifier)),
      ("error", text(error)),
      ("warnings", JSONText.array(warnings.map(JSONText.string))),
      ("frames", frames.isEmpty ? "[]" : "[\n" + frames.joined(separator: ",\n") + "\n]"),
      ("summary", JSONText.object(summary)),
    ]) + "\n"
  }

  /// True where the file at `path` is a report.
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
        ("output", entry.output.map(JSONText.string) ?? "null"), ("status", JSONText.string(entry.status.rawValue)),
        ("pixels", made.map(JSONText.string) ?? "null"),
        ("error", entry.error.map { JSONText.string($0.description) } ?? "null"),
      ] + (measured.map { [("measured", Self.json($0))] } ?? []) + [
        ("warnings", JSONText.array(entry.warnings.map(JSONText.string))),
        ("milliseconds", DurationText.decimal(entry.seconds * 1000, places: 3)),
      ])
  }

  /// What filters measured, by filter; of two of one name the later has a number behind it.
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
