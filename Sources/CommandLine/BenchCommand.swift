import ArgumentParser
import Safelight

/// `safelight bench`.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "How long the stages take on this device, against the CPU twin.",
    discussion: """
      Histogram, transform and look-up of one frame, from upload to readback, on the device and on the Swift twins of one \
      thread, in turn, so that a machine whose speed drifts gives honest ratios. Medians; llvmpipe is no measure of a GPU.
      """)

  @Option(help: "Width and height of the frame.")
  var size: String = "1920x1080"

  @Option(help: "Rounds that count; one more warms up.")
  var rounds: Int = 15

  @Flag(help: "The cost of an empty dispatch on the CPU side instead, against its GL calls alone.")
  var dispatch = false

  @Option(help: "text or json.")
  var format: ListingFormat = .text

  @OptionGroup(title: "Device options")
  var device: DeviceArguments

  func run() async throws {
    let parts = size.split(separator: "x").compactMap { Int($0) }
    guard parts.count == 2, parts[0] > 0, parts[1] > 0, rounds > 0 else {
      throw SafelightError(
        .usage, "bench", why: "size \(size), \(rounds) rounds", remedy: "use --size 1920x1080 and at least one round")
    }
    let device = try device.open()
    if dispatch {
      let cost = try DispatchBenchmark(device: device, dispatches: 1000, rounds: rounds)
      return try deliver(format == .json ? json(cost) : cost.text)
    }
    let bench = try StageBenchmark(device: device, size: Size(parts[0], parts[1]))
    let rows = try bench.rows(rounds: rounds)
    switch format {
    case .json: try deliver(json(Report(device: device.name, driver: device.info.driver, size: parts, rows: rows)))
    case .text: try deliver(Self.text(rows))
    }
  }

  private struct Report: Encodable {
    let device: String
    let driver: String
    let size: [Int]
    let rows: [StageBenchmark.Row]
  }

  private static func text(_ rows: [StageBenchmark.Row]) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    let header = "depth  stage                        device ms   p95   CPU twin ms   p95   device / twin"
    let lines = rows.map { row in
      let stage = row.stage + String(repeating: " ", count: max(0, 28 - row.stage.count))
      return
        "\(padded("\(row.depth)", 5))  \(stage) \(padded(row.device.hundredths, 9)) \(padded(row.deviceP95.hundredths, 5)) "
        + "\(padded(row.twin.hundredths, 12)) \(padded(row.twinP95.hundredths, 6)) \(padded((row.device / row.twin).hundredths, 15))"
    }
    return ([header] + lines).joined(separator: "\n") + "\n"
  }
}
