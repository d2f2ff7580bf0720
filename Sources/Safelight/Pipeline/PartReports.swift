internal import FoundationEssentials
internal import SafelightFrames
internal import SafelightImage

/// The report of a part of a run, read again.
package struct PartReport: Sendable {
  /// The outcome of a frame.
  package struct Frame: Decodable, Sendable {
    /// The place in the sequence, from 0.
    package let index: Int
    /// The path of the file it was read from.
    package let input: String
    /// The reason why it failed.
    package let error: String?
    /// Warnings about its file and its result.
    package let warnings: [String]
  }

  /// The numbers of the part.
  package var summary: RunReport.Summary { header.summary }
  let header: RunReport.Header
  /// The line of each frame, as it is in the file.
  let lines: [Substring]

  /// Reads the report at `path`.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if it cannot be read, `input` if it is no report.
  package init(reading path: String) throws {
    // Each frame has a line of its own, between the first line of the report and its last.
    let texts = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n")
    let rest = Data((texts.count > 1 ? texts[0] + texts[texts.count - 1] : texts.first ?? "").utf8)
    guard let header = try? JSONDecoder().decode(RunReport.Header.self, from: rest) else {
      throw SafelightError(.input, path, why: "it is not a whole report of a run", remedy: "run its part again")
    }
    self.header = header
    lines = texts.dropFirst().dropLast().map { $0.last == "," ? $0.dropLast() : $0 }
  }

  /// The frames that were begun; a line that cannot be read is left out.
  package var frames: [Frame] {
    let decoder = JSONDecoder()
    return lines.compactMap { try? decoder.decode(Frame.self, from: Data($0.utf8)) }
  }

  /// Returns true if all of `count` frames were made or kept.
  package func isWhole(of count: Int) -> Bool { summary.done + summary.skipped == count && summary.failed == 0 }
}

/// The reports of parts of one run, folded into one.
package struct PartReports: Sendable {
  /// The numbers of all parts; the seconds are those of all parts together.
  package private(set) var sum = RunReport.Summary()
  /// The codes with which the parts ended, in the order in which they were added.
  package private(set) var codes: [Int32] = []
  /// The reasons why parts began no frame, or have no report.
  package private(set) var errors: [String] = []
  /// The names of the devices, each once.
  package private(set) var devices: [String] = []
  private var header: RunReport.Header?
  private var drivers: [String] = []
  private var lines: [(index: Int, text: Substring)] = []

  package init() {}

  /// Adds the report of a part; its frames only if `keepsFrames`, since a million of them take a gigabyte.
  package mutating func add(_ report: PartReport, keepsFrames: Bool = true) {
    header = header ?? report.header
    for warning in report.header.warnings { add(warning: warning) }
    if let device = report.header.device, !devices.contains(device) { devices.append(device) }
    if let driver = report.header.driver, !drivers.contains(driver) { drivers.append(driver) }
    if let error = report.header.error { add(error: error) }
    if keepsFrames { lines += report.lines.map { (Self.index(of: $0), $0) } }
    codes.append(report.summary.code)
    sum.add(report.summary)
  }

  /// The index with which the line of a frame begins.
  private static func index(of line: Substring) -> Int {
    Int(line.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0
  }

  /// Adds a warning about the whole run, unless it is there already.
  package mutating func add(warning: String) {
    if header?.warnings.contains(warning) == false { header?.warnings.append(warning) }
  }

  /// Adds a reason why a part has no frames, unless it is there already.
  package mutating func add(error: String) {
    if !errors.contains(error) { errors.append(error) }
  }

  /// Returns one report of all parts with the run's `summary` and `shard`, and the frames in the order of the sequence.
  /// `version` and `filters` are used if no part has a report.
  package func json(
    _ summary: RunReport.Summary, shard: String? = nil, version: String, filters: String = ""
  ) -> String {
    func joined(_ texts: [String], _ separator: String) -> String? {
      texts.isEmpty ? nil : texts.joined(separator: separator)
    }
    var header = header ?? RunReport.Header(version: version, filters: filters)
    (header.shard, header.summary) = (shard, summary)
    (header.device, header.driver) = (joined(devices, ", "), joined(drivers, ", "))
    header.error = joined(errors, "; ")
    return RunReport.json(header, lines.sorted { $0.index < $1.index }.map { String($0.text) })
  }
}
