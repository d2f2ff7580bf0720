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
      Further examples of the same kernel run at one odd size in three formats. \
      It runs twice, into memory full of poison, between guards. Every sample is compared with the Swift twin's. Exits \
      with 1 if anything differs; pictures that a kernel refuses are listed with its reason.

      Examples:
        safelight conform
        safelight conform --quick
        safelight conform blend --thorough
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
  @Flag(help: "Compare every example at all sizes and in all formats: many minutes.") var thorough = false

  @Flag(help: "Clamp the device to the least that OpenGL ES 3.1 guarantees.") var minimumLimits = false
  @OptionGroup(title: "Device options") var device: DeviceArguments

  private var extent: Conformance.Extent { quick ? .quick : thorough ? .thorough : .normal }

  func validate() throws {
    if quick && thorough { throw ValidationError("--quick and --thorough exclude each other; leave one of them out") }
  }

  func run() throws {
    let chosen = try kernels.isEmpty ? ConformanceKernel.all : kernels.flatMap { try ConformanceKernel.kernels($0) }
    var options = try device.options()
    // The error flag is read after every call.
    options.isDebugging = true
    if minimumLimits { options.limits = .minimum }
    let conformance = try Conformance(device: device.open(options: options))
    var report = ConformReport(device: conformance.device)
    let selections = conformance.selections(of: chosen, extent)
    report.refusals = selections.flatMap { selection in
      selection.kernel.refusals.filter { selection.formats.contains($0.format) }.map {
        (selection.kernel.settings, $0.format, $0.why)
      }
    }
    let cases = selections.flatMap { selection in
      selection.kernel.formats.filter(selection.formats.contains).flatMap { format in
        selection.sizes.map { (selection.kernel, format, $0) }
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
    guard report.compared > 0 else {
      let why =
        report.rows.isEmpty && report.refusals.isEmpty
        ? "the device has none of the formats that these kernels take" : "these kernels refuse every picture"
      throw SafelightError(
        .missingInput, "conform", why: why, remedy: "name other kernels, or name none to check all of them")
    }
    if !report.conforms { throw ExitCode(1) }
  }
}

struct ConformReport {
  let device: Device
  var rows: [ConformanceRow] = []
  /// The formats of cards that calls do not take.
  var refusals: [(settings: String, format: PixelFormat, why: String)] = []
  /// The formats that the device does not have.
  var refused: [(format: PixelFormat, why: String)] = []

  /// The number of pictures that kernels took.
  var compared: Int { rows.count { $0.refusal == nil } }
  /// The number of pictures on which device and twin do not agree.
  private var wrong: Int { rows.count { !$0.conforms && $0.refusal == nil } }
  /// True if something was compared and nothing differs.
  var conforms: Bool { compared > 0 && wrong == 0 }

  private var samples: Int { rows.reduce(0) { $0 + $1.samples } }
  private var differingSamples: Int { rows.reduce(0) { $0 + $1.differing } }

  // MARK: Text

  var text: String {
    var lines: [String] = []
    for settings in unique(rows.map(\.settings) + refusals.map(\.settings)) {
      let rows = rows.filter { $0.settings == settings && $0.refusal == nil }
      let faults = rows.filter { !$0.conforms }
      let verdict =
        rows.isEmpty
        ? "refused" : faults.isEmpty ? "same " : faults.contains { $0.error == nil } ? "DIFFERS" : "FAILED"
      let formats = rows.isEmpty ? "" : "  " + unique(rows.map { name($0.format) }).joined(separator: " ")
      lines.append("\(verdict)  \(settings)\(formats)")
      // An error of many pictures, such as a compiler's, is shown once.
      let shown = unique(faults.map { $0.fault ?? "" }).prefix(8)
      var count = 0
      for fault in shown {
        let rows = faults.filter { ($0.fault ?? "") == fault }
        count += rows.count
        let others = rows.count > 1 ? " (and \(rows.count - 1) more)" : ""
        lines.append("         \(rows[0].size) \(name(rows[0].format)) \(rows[0].input)\(others): \(fault)")
      }
      if faults.count > count { lines.append("         and \(faults.count - count) pictures more") }
      lines += refusals(of: settings).map { "         \($0)" }
    }
    lines += refused.map { "left out  \($0.format.rawValue): \($0.why)" }
    lines.append(
      """
      \(compared) pictures, \(samples) samples compared on \(device.name), \(device.info.driver): \
      \(differingSamples) samples differ\(wrong > 0 ? ", \(wrong) pictures are wrong" : "")
      """)
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns a phrase for each reason for which a call does not take pictures.
  private func refusals(of settings: String) -> [String] {
    let formats = refusals.filter { $0.settings == settings }.map { (picture: name($0.format), why: $0.why) }
    let pictures = rows.filter { $0.settings == settings }.compactMap { row in
      row.refusal.map { (picture: "\(name(row.format)) of \(row.size)", why: $0) }
    }
    let all = formats + pictures
    return unique(all.map(\.why)).map { why in
      "refuses \(unique(all.filter { $0.why == why }.map(\.picture)).joined(separator: ", ")): \(why)"
    }
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
        "device": device.name, "driver": device.info.driver, "compared": compared, "differing": wrong,
        "samples": samples, "differingSamples": differingSamples,
        "leftOut": Dictionary(uniqueKeysWithValues: refused.map { ($0.format.rawValue, $0.why) }),
        "refused": refusals.map { ["settings": $0.settings, "format": name($0.format), "why": $0.why] as JSONObject },
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
      "refused": row.refusal, "first": row.firstDifference.map(listed), "pattern": row.pattern,
    ]
  }

  private func listed(_ difference: ConformanceDifference) -> JSONObject {
    let (expected, actual) = (number(difference.expected), number(difference.actual))
    return switch difference.place {
    case .pixel(let x, let y, let channel):
      ["x": x, "y": y, "channel": channel, "expected": expected, "actual": actual]
    case .word(let word): ["word": word, "expected": expected, "actual": actual]
    }
  }

  /// A number in JSON; infinities and what is not a number are texts.
  private func number(_ value: Double) -> any Encodable { value.isFinite ? value : "\(value)" }
}
