import ArgumentParser
import Safelight

struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure how fast kernels are on this device, compared with a copy and with the CPU twin.",
    discussion: """
      Measures every kernel with the settings of its conformance proof, filters in the form that suits the device: \
      megapixels a second for one frame in the device's memory, and the share of the speed of a plain copy there; then \
      the same on the Swift twins. A kernel that does not take the frame is listed with the reason. The stages of \
      equalization follow, from upload to readback. Device and twins take turns, so that the ratios are honest even if \
      the machine's speed drifts. All figures are medians; llvmpipe is no measure of a GPU.

      Examples:
        safelight bench
        safelight bench histogram renderer
        safelight bench saturation 'clahe=clip=2:channels=luma' --device hardware --size 8192x4320
        safelight bench --pipeline --input frames/
      """)

  @Argument(
    help:
      "Kernels by name (safelight filters lists most), or calls such as saturation=2. (default: all, and the stages)",
    completion: .list(FilterCatalogue.descriptions.map(\.name)))
  var kernels: [String] = []

  @Option(help: "Width and height of the frame: 134217728 pixels at most.") var size: String = "1920x1080"
  @Option(help: "Rounds that count, 1 to 100000; one more warms up.") var rounds: Int = 7

  @Flag(help: "Measure the CPU cost of an empty dispatch instead, compared with its GL calls alone.")
  var dispatch = false

  @Option(help: "text or json.") var format: ListingFormat = .text
  @OptionGroup(title: "Pipeline options") var stages: PipelineBenchArguments
  @OptionGroup(title: "Device options") var device: DeviceArguments

  func validate() throws {
    try OptionRange.rounds.check(rounds)
    if !kernels.isEmpty && (stages.pipeline || dispatch) {
      throw ValidationError(
        "\(kernels[0]): --pipeline and --dispatch measure no kernels; leave out the kernels, or the option")
    }
    if stages.pipeline && dispatch {
      throw ValidationError("--pipeline and --dispatch cannot be given together; leave one out")
    }
  }

  func run() async throws {
    let size = try frameSize
    let signals = SignalWatch(saying: SignalWatch.noResult)
    defer { withExtendedLifetime(signals) {} }
    let chosen = try kernels.isEmpty ? BenchmarkKernel.all : kernels.flatMap(BenchmarkKernel.kernels)
    let device = try device.open()
    if !stages.pipeline { signals.endAtOnce() }
    if dispatch {
      let cost = try DispatchBenchmark(device: device, dispatches: 1000, rounds: rounds)
      return try deliver(format == .json ? json(cost) : cost.text)
    }
    if stages.pipeline {
      let report = try await stages.report(device, size: size, rounds: rounds, signals)
      return try deliver(format == .json ? json(report) : report.text)
    }
    var report = BenchReport(device: device.name, driver: device.info.driver, size: [size.width, size.height])
    try measure(chosen, device, size, &report)
    if kernels.isEmpty { report.stages = try StageBenchmark(device: device, size: size).rows(rounds: rounds) }
    try deliver(format == .json ? json(report) : report.text)
  }

  /// The most pixels that a frame can have: 1 GiB in 16 bits, of which the machine holds several.
  private static let maximumArea = 16384 * 8192

  private var frameSize: Size {
    get throws {
      func refused(_ why: String) -> SafelightError {
        SafelightError(
          .usage, "bench --size \(size)", why: why,
          remedy: "use --size 1920x1080, or any two numbers whose product is at most \(Self.maximumArea)")
      }
      guard let parts = size.wholeMatch(of: /([0-9]+)x([0-9]+)/)?.output else {
        throw refused("a size is two whole numbers with an x between them")
      }
      // A number too large for an Int is too large in any case.
      let (width, height) = (Int(parts.1) ?? .max, Int(parts.2) ?? .max)
      guard width > 0, height > 0 else { throw refused("a frame has at least one pixel") }
      let area = width.multipliedReportingOverflow(by: height)
      guard !area.overflow, area.partialValue <= Self.maximumArea else {
        throw refused("a frame may have at most \(Self.maximumArea) pixels, as many as 16384x8192")
      }
      return Size(width, height)
    }
  }

  private func measure(_ chosen: [BenchmarkKernel], _ device: Device, _ size: Size, _ report: inout BenchReport) throws
  {
    let bench = try KernelBenchmark(device: device, size: size)
    for (number, kernel) in chosen.enumerated() {
      if Console.isTerminal { Console.bar("\(number + 1)/\(chosen.count)  \(kernel.settings)") }
      for depth in SampleDepth.allCases {
        if let why = try bench.refusal(kernel, depth: depth) {
          report.leftOut.append(BenchReport.LeftOut(kernel: kernel.settings, depth: depth.rawValue, why: why))
        } else {
          report.kernels.append(try bench.row(kernel, depth: depth, rounds: rounds))
        }
      }
    }
    if Console.isTerminal { Console.bar("") }
  }
}

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

  var text: String {
    var lines: [String] = []
    if !kernels.isEmpty {
      lines.append("kernel".padded(to: -60) + "depth  device MP/s  of a copy   twin MP/s  of a copy")
      lines += kernels.map { row in
        row.kernel.padded(to: -59) + "\(row.depth)".padded(to: 6) + speed(row.device) + speed(row.twin)
      }
    }
    lines += leftOut.map { "left out: \($0.kernel), \($0.depth) bits: \($0.why)" }
    if !stages.isEmpty {
      if !lines.isEmpty { lines.append("") }
      lines.append("equalization, stage          depth  device ms     p95   CPU twin ms     p95   device / twin")
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
