import Safelight

/// What `safelight bench` found out.
struct BenchReport: Encodable {
  let device: String
  let driver: String
  let size: [Int]
  var kernels: [KernelBenchmark.Row] = []
  var leftOut: [LeftOut] = []
  var stages: [StageBenchmark.Row] = []

  /// A kernel that does not take the frame.
  struct LeftOut: Encodable {
    let kernel: String
    let depth: Int
    let why: String
  }

  /// Two tables.
  var text: String {
    var lines: [String] = []
    if !kernels.isEmpty {
      lines += [
        "kernel                                                      depth  device MP/s  of a copy   twin MP/s  of a copy"
      ]
      lines += kernels.map { row in
        row.kernel.padded(to: -59) + "\(row.depth)".padded(to: 6) + speed(row.device) + speed(row.twin)
      }
    }
    lines += leftOut.map { "left out: \($0.kernel), \($0.depth) bits: \($0.why)" }
    if !stages.isEmpty {
      if !lines.isEmpty { lines.append("") }
      lines.append(
        "equalization, stage          depth  device ms     p95   CPU twin ms     p95   device / twin")
      lines += stages.map { row in
        row.stage.padded(to: -28) + "\(row.depth)".padded(to: 6) + row.device.hundredths.padded(to: 11)
          + row.deviceP95.hundredths.padded(to: 8) + row.twin.hundredths.padded(to: 14)
          + row.twinP95.hundredths.padded(to: 8) + (row.device / row.twin).hundredths.padded(to: 16)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func speed(_ speed: KernelBenchmark.Speed) -> String {
    "\(Int(speed.megapixelsPerSecond.rounded()))".padded(to: 13)
      + "\(Int((speed.partOfCopy * 100).rounded())) %".padded(to: 11)
  }
}
