internal import FoundationEssentials
internal import SafelightFrames
internal import SafelightImage

/// The reports of parts of one run, read again.
package struct PartReports: Sendable {
  /// A report as JSON, of whose frames only the outcome is read; the lines are kept as they are.
  private struct Document: Decodable {
    struct Frame: Decodable {
      let index: Int
      let output: String?
      let status: String
    }
    let frames: [Frame]
    let summary: RunReport.Summary
  }

  /// The number of frames that were made.
  package var done: Int { sum.done }
  /// The number of frames whose outputs existed and were kept.
  package var skipped: Int { sum.skipped }
  /// The number of frames that could not be made.
  package var failed: Int { sum.failed }
  /// The codes with which the parts ended, in the order in which they were added.
  package private(set) var codes: [Int32] = []
  /// The reasons why parts began no frame.
  package private(set) var errors: [String] = []
  private var header: RunReport.Header?
  private var devices: [String] = []
  private var drivers: [String] = []
  private var lines: [(index: Int, text: Substring)] = []
  private var sum = RunReport.Summary()

  package init() {}

  /// Adds the report at `path`. Returns true if the part is whole: `expected` frames were made or kept.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if it cannot be read, `input` if it is no report.
  @discardableResult package mutating func add(_ path: String, expecting expected: Int) throws -> Bool {
    let bytes = try readFile(path)
    let data = Data(bytes)
    guard let header = try? JSONDecoder().decode(RunReport.Header.self, from: data),
      let document = try? JSONDecoder().decode(Document.self, from: data)
    else {
      throw SafelightError(.input, path, why: "it is not a whole report of a run", remedy: "run its part again")
    }
    self.header = self.header ?? header
    for warning in header.warnings where self.header?.warnings.contains(warning) == false {
      self.header?.warnings.append(warning)
    }
    if let device = header.device, !devices.contains(device) { devices.append(device) }
    if let driver = header.driver, !drivers.contains(driver) { drivers.append(driver) }
    if let error = header.error, !errors.contains(error) { errors.append(error) }
    // Each frame has a line of its own, between the first line of the report and its last.
    let texts = String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
    lines += zip(document.frames, texts).map { ($0.index, $1.last == "," ? $1.dropLast() : $1) }
    let summary = document.summary
    codes.append(summary.code)
    sum.done += summary.done
    sum.skipped += summary.skipped
    sum.failed += summary.failed
    sum.untouched += summary.untouched
    sum.interrupted = sum.interrupted || summary.interrupted
    sum.seconds += summary.seconds
    return summary.done + summary.skipped == expected && summary.failed == 0
  }

  /// Returns one report of all parts, of a run that ended with `code`: frames in the order of the sequence, the seconds
  /// of all parts together. Nil if there is no part.
  package func json(code: Int32) -> String? {
    guard var header else { return nil }
    var sum = sum
    sum.code = code
    header.shard = nil
    header.device = devices.isEmpty ? nil : devices.joined(separator: ", ")
    header.driver = drivers.isEmpty ? nil : drivers.joined(separator: ", ")
    header.error = errors.isEmpty ? nil : errors.joined(separator: "; ")
    return RunReport.json(header, lines.sorted { $0.index < $1.index }.map { String($0.text) }, sum)
  }
}
