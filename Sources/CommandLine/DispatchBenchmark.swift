import Safelight

/// The cost of an empty dispatch on the CPU side, above that of its GL calls alone; medians over rounds in turn.
struct DispatchBenchmark: Encodable {
  let device: String
  let driver: String
  let dispatches: Int
  let rounds: Int
  /// Microseconds for each dispatch; null on the CPU executor, which makes no GL calls.
  let bare: Double?
  let recording: Double
  let replaying: Double
  /// What recording and replaying add to the bare calls.
  let added: Double
  /// Recording and replaying against the bare calls.
  let ratio: Double?

  init(device: Device, dispatches: Int, rounds: Int) throws {
    // The first round warms up.
    let costs = try (0...rounds).map { _ in try device.measureDispatch(count: dispatches) }.dropFirst()
    func median(_ value: (DispatchCost) -> Double) -> Double {
      costs.map(value).sorted()[costs.count / 2] * 1e6
    }
    self.device = device.name
    driver = device.info.driver
    self.dispatches = dispatches
    self.rounds = rounds
    let bare = costs.first?.bare == nil ? nil : median { $0.bare ?? 0 }
    self.bare = bare
    recording = median(\.recording)
    replaying = median(\.replaying)
    added = median(\.added)
    ratio = bare.flatMap { [recording, replaying] in $0 > 0 ? (recording + replaying) / $0 : nil }
  }

  var text: String {
    func line(_ name: String, _ microseconds: Double?) -> String {
      let figure = microseconds.map { "\($0.hundredths) µs" } ?? "none made"
      return name + String(repeating: " ", count: max(1, 24 - name.count)) + figure
    }
    return [
      "an empty dispatch, CPU time, median of \(rounds) rounds of \(dispatches)",
      line("bare GL calls", bare), line("recording", recording), line("replaying", replaying),
      line("above the bare calls", added),
      "ratio" + String(repeating: " ", count: 19) + (ratio?.hundredths ?? "none"),
    ].joined(separator: "\n") + "\n"
  }
}
