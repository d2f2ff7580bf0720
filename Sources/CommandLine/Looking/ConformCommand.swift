import ArgumentParser
import Safelight
import SafelightGolden

struct ConformCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conform",
    abstract: "Prove that every kernel gives the same bytes on this device as on the CPU.",
    discussion: """
      Each kernel runs in each of its forms on every format, at sizes at which kernels go wrong (1×1, 1×N, 17×31, \
      threadgroup edges, wider than a texture) and on ramps, flats, checkers, one hot pixel, noise and a film's frame. \
      It runs twice, into memory full of poison, between guards. Every sample is compared with the Swift twin's. Exits \
      with 1 if anything differs.

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

  @Option(help: "text or json.") var format: ListingFormat = .text

  @Flag(help: "Compare at one odd size in three formats, enough to show every planted mistake: seconds, not minutes.")
  var quick = false

  @Flag(help: "Clamp the device to the least that OpenGL ES 3.1 guarantees.") var minimumLimits = false
  @OptionGroup(title: "Device options") var device: DeviceArguments

  func run() throws {
    let chosen = try kernels.isEmpty ? ConformanceKernel.all : kernels.flatMap { try ConformanceKernel.kernels($0) }
    var options = try device.options()
    // The error flag is read after every call.
    options.isDebugging = true
    if minimumLimits { options.limits = .minimum }
    let conformance = try Conformance(device: device.open(options: options))
    var report = ConformReport(device: conformance.device)
    let cases = chosen.flatMap { kernel in
      kernel.formats.filter { !quick || Conformance.quickFormats.contains($0) }.flatMap { format in
        (quick ? [Conformance.quickSize(of: kernel)] : conformance.sizes).map { (kernel, format, $0) }
      }
    }
    for format in Set(cases.map(\.1)).sorted(by: { $0.rawValue < $1.rawValue }) {
      if let refusal = conformance.refusal(of: format) { report.refused.append((format, refusal.why)) }
    }
    let compared = cases.filter { one in !report.refused.contains { $0.format == one.1 } }
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
        remedy: "name other kernels, or name none to check all of them")
    }
    if !report.conforms { throw ExitCode(1) }
  }
}

struct ConformReport {
  let device: Device
  var rows: [ConformanceRow] = []
  /// The formats that the device does not have.
  var refused: [(format: PixelFormat, why: String)] = []

  /// True if something was compared and nothing differs.
  var conforms: Bool { !rows.isEmpty && rows.allSatisfy(\.conforms) }

  private var samples: Int { rows.reduce(0) { $0 + $1.samples } }
  private var differingSamples: Int { rows.reduce(0) { $0 + $1.differing } }

  // MARK: Text

  var text: String {
    var lines: [String] = []
    for settings in unique(rows.map(\.settings)) {
      let rows = rows.filter { $0.settings == settings }
      let verdict = rows.allSatisfy(\.conforms) ? "same " : "DIFFERS"
      lines.append("\(verdict)  \(settings)  \(unique(rows.map { name($0.format) }).joined(separator: " "))")
      let faults = rows.filter { !$0.conforms }
      lines += faults.prefix(8).map { row in
        "         \(row.size) \(name(row.format)) \(row.input): \(row.fault ?? "")"
      }
      if faults.count > 8 { lines.append("         and \(faults.count - 8) pictures more") }
    }
    lines += refused.map { "left out  \($0.format.rawValue): \($0.why)" }
    let wrong = rows.count { !$0.conforms }
    lines.append(
      """
      \(rows.count) pictures, \(samples) samples compared on \(device.name), \(device.info.driver): \
      \(differingSamples) samples differ\(wrong > 0 ? ", \(wrong) pictures are wrong" : "")
      """)
    return lines.joined(separator: "\n") + "\n"
  }

  private func unique(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// `rgba8` for `rgba8Unorm`; sixteen bits come in two kinds and keep theirs.
  private func name(_ format: PixelFormat) -> String {
    format.bytesPerSample == 1 ? String(format.rawValue.prefix { $0 != "U" }) : format.rawValue
  }

  // MARK: JSON

  var json: String {
    get throws {
      let list: JSONObject = [
        "device": device.name, "driver": device.info.driver, "compared": rows.count,
        "differing": rows.count { !$0.conforms }, "samples": samples, "differingSamples": differingSamples,
        "leftOut": Dictionary(uniqueKeysWithValues: refused.map { ($0.format.rawValue, $0.why) }),
        "rows": rows.map(listed),
      ]
      return try SafelightCommandLine.json(list)
    }
  }

  private func listed(_ row: ConformanceRow) -> JSONObject {
    [
      "kernel": row.kernel, "settings": row.settings, "format": name(row.format),
      "size": [row.size.width, row.size.height], "input": row.input.description, "samples": row.samples,
      "differing": row.differing, "max": row.maximum, "repeats": row.repeats, "guards": row.guards, "error": row.error,
    ]
  }
}
