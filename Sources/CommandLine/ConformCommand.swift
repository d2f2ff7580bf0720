import ArgumentParser
import Safelight
import SafelightGolden

/// `safelight conform`.
struct ConformCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conform",
    abstract: "Prove that every kernel gives the same bytes on this device as on the CPU.",
    discussion: """
      Each kernel runs in each of its forms on every format, on sizes that kernels go wrong at (1×1, 1×N, 17×31, threadgroup edges, wider \
      than a texture) and on ramps, flats, checkers, one hot pixel, noise and a film's frame; twice, into memory full of poison, between guards. \
      Compared is every sample, with the Swift twin's. Exits with 1 where anything differs.

      Examples:
        safelight conform
        safelight conform --quick
        safelight conform equalize saturation --device hardware
        safelight conform 'equalize=rule=opencv' --format json
      """)

  @Argument(
    help: "Kernels by name (safelight filters lists most), or calls such as saturation=2. (default: all)",
    completion: .list(FilterCatalogue.descriptions.map(\.name)))
  var kernels: [String] = []

  @Option(help: "text or json.")
  var format: ListingFormat = .text

  @Flag(help: "Compare at one odd size in three formats, where every planted mistake shows: seconds, not minutes.")
  var quick = false

  @Flag(help: "Clamp the device to the least that OpenGL ES 3.1 guarantees.")
  var minimumLimits = false

  @OptionGroup(title: "Device options")
  var device: DeviceArguments

  func run() throws {
    let chosen =
      try kernels.isEmpty ? ConformanceKernel.all : kernels.flatMap { try ConformanceKernel.kernels($0) }
    var options = try device.options()
    // The error flag is read after every call.
    options.isDebugging = true
    if minimumLimits { options.limits = .minimum }
    let conformance = try Conformance(device: device.open(options: options))
    var report = ConformReport(conformance)
    let cases = chosen.flatMap { kernel in
      kernel.formats.filter { !quick || Conformance.quickFormats.contains($0) }.flatMap { format in
        (quick ? [Conformance.quickSize(of: kernel)] : conformance.sizes).map { (kernel, format, $0) }
      }
    }
    for format in Set(cases.map(\.1)).sorted(by: { $0.rawValue < $1.rawValue }) {
      if let refusal = conformance.refusal(of: format) { report.refuse(format, refusal) }
    }
    let compared = cases.filter { !report.isRefused($0.1) }
    // The device runs one case while the twins run another, and other CPUs record and compare.
    let start = ContinuousClock.now
    OrderedWork.run(compared.count, jobs: ProcessorCount.ofThisProcess.value + 1) { index in
      conformance.rows(compared[index].0, compared[index].1, compared[index].2)
    } deliver: { index, rows in
      report.rows += rows
      if Console.isTerminal {
        let seconds = (ContinuousClock.now - start).components.seconds
        Console.bar("\(index + 1) of \(compared.count)  \(seconds) s  \(compared[index].0.settings)")
      }
    }
    if Console.isTerminal { Console.bar("") }
    try deliver(format == .json ? report.json : report.text)
    guard !report.rows.isEmpty else {
      throw SafelightError(
        .missingInput, "conform", why: "the device has none of the formats that these kernels take",
        remedy: "name other kernels, or none")
    }
    if !report.conforms { throw ExitCode(1) }
  }
}
