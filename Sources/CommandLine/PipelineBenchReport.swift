import Safelight

/// What `safelight bench --pipeline` found out.
struct PipelineBenchReport: Encodable {
  let device: String
  let driver: String
  let filters: String
  /// Frames that took turns.
  let frames: Int
  let summary: PipelineBenchmark.Summary

  /// A table and what follows from it.
  var text: String {
    var lines = ["stage     where          ms     p95   frames/s alone"]
    lines += summary.stages.map { row in
      row.stage.rawValue.padded(to: -10) + (row.stage.isCodec ? "codec" : "device").padded(to: -8)
        + row.median.hundredths.padded(to: 9) + row.p95.hundredths.padded(to: 8)
        + "\(Int(row.framesPerSecond.rounded()))".padded(to: 17)
    }
    lines += [
      "",
      "\(summary.jobs) jobs sustain \(summary.codecFramesPerSecond.hundredths) frames/s, "
        + "the device \(summary.deviceFramesPerSecond.hundredths); the limit is \(summary.limit.rawValue)",
    ]
    return lines.joined(separator: "\n") + "\n"
  }
}
