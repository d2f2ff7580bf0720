import ArgumentParser
import Safelight

/// `safelight bench`.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "How fast filters are on this device, against a copy and against the CPU twin.",
    discussion: """
      Every filter of the catalogue, called as its conformance is proved: megapixels a second for one frame that lies on the \
      device, and what part that is of the bandwidth of a plain copy there; the same on the Swift twins. Then the stages of \
      equalization, from upload to readback. A filter that needs a file, such as match, is measured when called with one. Device and twins take turns, so that a machine whose speed drifts gives honest \
      ratios. Medians; llvmpipe is no measure of a GPU.

      Examples:
        safelight bench
        safelight bench saturation 'clahe=clip=2:channels=luma' --device hardware --size 8192x4320
      """)

  @Argument(
    help:
      "Filters by name (safelight filters lists them), or calls such as saturation=2. (default: all, and the stages)")
  var filters: [String] = []

  @Option(help: "Width and height of the frame.")
  var size: String = "1920x1080"

  @Option(help: "Rounds that count; one more warms up.")
  var rounds: Int = 7

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
    let size = Size(parts[0], parts[1])
    let report = BenchReport(
      device: device.name, driver: device.info.driver, size: parts, filters: try filterRows(device, size),
      stages: filters.isEmpty ? try StageBenchmark(device: device, size: size).rows(rounds: rounds) : [])
    try deliver(format == .json ? json(report) : report.text)
  }

  private func filterRows(_ device: Device, _ size: Size) throws -> [FilterBenchmark.Row] {
    let names = filters.isEmpty ? FilterBenchmark.named : filters
    if filters.isEmpty {
      for name in FilterBenchmark.unnamed {
        Console.line("safelight: bench leaves \(name) out, which needs a file: safelight bench \(name)=FILE")
      }
    }
    let calls = try names.flatMap(FilterBenchmark.filters)
    let bench = try FilterBenchmark(device: device, size: size)
    var rows: [FilterBenchmark.Row] = []
    for (number, call) in calls.enumerated() {
      if Console.isTerminal { Console.bar("\(number + 1)/\(calls.count)  \(call)") }
      rows += try SampleDepth.allCases.compactMap { try bench.row(call, depth: $0, rounds: rounds) }
    }
    if Console.isTerminal { Console.bar("") }
    return rows
  }
}
