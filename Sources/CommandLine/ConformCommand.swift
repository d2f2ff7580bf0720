import ArgumentParser
import Safelight

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
        safelight conform equalize saturation --device hardware
        safelight conform 'equalize=rule=opencv' --format json
      """)

  @Argument(
    help: "Kernels by name (safelight filters lists most), or calls such as saturation=2. (default: all)",
    completion: .list(FilterCatalogue.descriptions.map(\.name)))
  var kernels: [String] = []

  @Option(help: "text or json.")
  var format: ListingFormat = .text

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
    for (number, kernel) in chosen.enumerated() {
      if Console.isTerminal { Console.bar("\(number + 1)/\(chosen.count)  \(kernel.settings)") }
      for format in kernel.formats {
        if let refusal = conformance.refusal(of: format) {
          report.refuse(format, refusal)
        } else {
          for size in conformance.sizes { report.rows += conformance.rows(kernel, format, size) }
        }
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
