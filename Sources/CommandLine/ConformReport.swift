import Safelight

/// What `safelight conform` saw, for people and for programs.
struct ConformReport {
  var rows: [ConformanceRow] = []

  private let device: Device
  private var refused: [(format: PixelFormat, why: String)] = []

  init(_ conformance: Conformance) { device = conformance.device }

  /// Notes a format that the device does not have.
  mutating func refuse(_ format: PixelFormat, _ error: SafelightError) {
    if !refused.contains(where: { $0.format == format }) { refused.append((format, error.why)) }
  }

  /// Whether the device does not have `format`.
  func isRefused(_ format: PixelFormat) -> Bool { refused.contains { $0.format == format } }

  /// Whether something was compared and nothing differs.
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
      \(rows.count) pictures, \(samples) samples compared on \(device.name), \(device.info.driver): \(differingSamples) samples \
      differ\(wrong > 0 ? ", \(wrong) pictures are wrong" : "")
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

  private struct Listing: Encodable {
    let device: String
    let driver: String
    let compared: Int
    let differing: Int
    let samples: Int
    let differingSamples: Int
    let leftOut: [String: String]
    let rows: [Row]
  }

  private struct Row: Encodable {
    let kernel: String
    let settings: String
    let format: String
    let size: [Int]
    let input: String
    let samples: Int
    let differing: Int
    let max: Int
    let repeats: Bool
    let guards: Bool
    let error: String?
  }

  var json: String {
    get throws {
      try SafelightCommandLine.json(
        Listing(
          device: device.name, driver: device.info.driver, compared: rows.count, differing: rows.count { !$0.conforms },
          samples: samples, differingSamples: differingSamples,
          leftOut: Dictionary(uniqueKeysWithValues: refused.map { ($0.format.rawValue, $0.why) }),
          rows: rows.map { row in
            Row(
              kernel: row.kernel, settings: row.settings, format: name(row.format),
              size: [row.size.width, row.size.height], input: row.input.description, samples: row.samples,
              differing: row.differing, max: row.maximum, repeats: row.repeats, guards: row.guards, error: row.error)
          }))
    }
  }
}
