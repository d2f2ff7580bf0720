import Safelight

/// What became of one capture.
struct ReplayReport: Encodable {
  let path: String
  let label: String
  /// The device that it was captured on.
  let captured: String
  /// Why the command buffer failed then.
  let failure: String?
  let differs: Bool
  /// Whether the replay failed as the command buffer did then.
  let failsAgain: Bool
  /// Why nothing can be said; nil where outputs were compared, or a failure came again.
  let unjudged: String?
  /// What could not be captured.
  let notes: [String]
  let outputs: [Row]

  /// One output.
  struct Row: Encodable {
    let name: String
    /// Samples, words or bytes compared.
    let count: Int
    let differing: Int
    let largest: Double

    init(_ output: CaptureReplay.Output) {
      let difference = output.difference
      name = output.name
      count = difference?.count ?? CaptureDifference.count(output.actual, pixelFormat: output.pixelFormat)
      differing = difference?.differing ?? 0
      largest = difference?.largest ?? 0
    }
  }

  init(path: String, capture: Capture, outputs: [CaptureReplay.Output], failsAgain: Bool = false) {
    self.path = path
    label = capture.label
    captured = capture.deviceName
    failure = capture.failure
    self.outputs = outputs.map(Row.init)
    differs = self.outputs.contains { $0.differing > 0 }
    self.failsAgain = failsAgain
    notes = capture.manifest.notes
    unjudged =
      if !outputs.isEmpty || failsAgain {
        nil
      } else if capture.failure != nil {
        "it failed when it was captured, and does not fail here"
      } else {
        "it left nothing behind that could be compared"
      }
  }

  /// A table for people.
  var text: String {
    var lines = ["\(path): '\(label)' captured on \(captured)"]
    if let failure { lines.append("  it failed then: \(failure)") }
    let width = outputs.map(\.name.count).max() ?? 0
    for row in outputs {
      let name = row.name + String(repeating: " ", count: width - row.name.count)
      lines.append(
        row.differing == 0
          ? "  \(name)  equal, \(row.count) samples"
          : "  \(name)  DIFFERS in \(row.differing) of \(row.count) samples, by up to \(row.largest)")
    }
    lines += notes.map { "  note: \($0)" }
    if failsAgain { lines.append("  it fails here for the same reason") }
    if let unjudged { lines.append("  nothing was compared: \(unjudged)") }
    return lines.joined(separator: "\n") + "\n"
  }
}
