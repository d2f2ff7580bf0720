import Safelight
import SafelightGolden

struct CompareReport {
  /// The number of frames whose text is given in full, a third of them with pictures; the others get a line.
  private static let inFull = 10
  /// The most pictures without a counterpart that are listed in full.
  private static let inLines = 20

  let tolerance: Tolerance
  /// The mask that left out the most, and whether all left out the same share.
  var masked: (most: ImageMask, isEven: Bool)?
  let picture: TerminalPicture.Style?
  var frames: [Row] = []
  var errors: [SafelightError] = []
  var facts = FactFindings()

  struct Row {
    let pair: FramePairing.Pair
    let status: ComparisonStatus
    let error: SafelightError?
    let flicker: Double?
    let figures: CompareFigures?
    /// The conditions that do not hold, in a line.
    let faults: String
    /// The details of a frame that differs, and of the first one that is within the tolerance.
    let text: String?
  }

  /// Adds a frame; its pictures are not kept.
  mutating func add(_ frame: FrameComparison, _ figures: CompareFigures?) {
    if let error = frame.error { errors.append(error) }
    if let mask = frame.leftOut { note(mask) }
    let faults = frame.verdict?.terms.filter { !$0.passes }.map(\.description).joined(separator: ", ") ?? ""
    frames.append(
      Row(
        pair: frame.pair, status: frame.status, error: frame.error, flicker: frame.flicker, figures: figures,
        faults: faults, text: frame.verdict.flatMap { text(of: $0, frame.status) }))
  }

  /// Adds what the files of a pair state, if both are PNG files.
  mutating func addFacts(of pair: FramePairing.Pair) {
    guard let expected = StatedFacts(pngAt: pair.expected), let actual = StatedFacts(pngAt: pair.actual) else { return }
    facts.add((expected, pair.expected), (actual, pair.actual), place: pair.name)
  }

  private mutating func note(_ mask: ImageMask) {
    guard let (most, isEven) = masked else { return masked = (mask, frames.isEmpty) }
    masked = (mask.coverage > most.coverage ? mask : most, isEven && mask.coverage == most.coverage)
  }

  /// Returns the details that make opening the files unnecessary; nil if a line is enough.
  private func text(of verdict: Verdict, _ status: ComparisonStatus) -> String? {
    guard status == .differs else {
      return status == .within && !frames.contains { $0.status == .within } ? verdict.description : nil
    }
    let differing = frames.count { $0.status == .differs }
    if differing >= Self.inFull { return nil }
    var lines = [verdict.description]
    if let picture, differing < Self.inFull / 3 {
      let room = max(1, min(100, Console.width) - 4)
      lines.append(TerminalPicture(verdict.difference, columns: room, rows: 24, style: picture).description)
      lines.append("worst pixels:")
      lines += verdict.difference.worstPlaces(10).map { "  \($0)" }
    }
    return lines.joined(separator: "\n")
  }

  // MARK: Text

  func text(_ comparison: SequenceComparison) -> String {
    var lines: [String] = []
    for row in frames {
      switch row.status {
      case .incomparable, .unreadable:
        lines.append("\(row.pair.name) cannot be compared: \(row.error?.message ?? "")")
      case .differs:
        // Frames that come late or early together are one fault, not many.
        if comparison.shifts.contains(where: { $0.frames.dropFirst().contains(row.pair.index) }) { break }
        lines.append("\(row.pair.name) differs: \(row.pair.actual) from \(row.pair.expected)")
        lines += row.text.map(indented) ?? ["  \(row.faults)"]
      case .within:
        guard let text = row.text else { break }
        lines.append("\(row.pair.name) is within \(tolerance): \(row.pair.actual) and \(row.pair.expected)")
        lines += indented(text)
      default: break
      }
    }
    lines += Self.lines("missing", comparison.pairing.missing) + Self.lines("extra", comparison.pairing.extra)
    lines += sequenceLines(comparison) + [facts.text].compactMap { $0 }
    lines.append(summary(comparison))
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns a line for every picture without a counterpart; of many, for the first ones and the last.
  private static func lines(_ word: String, _ pictures: [FramePairing.Unpaired]) -> [String] {
    let lines = pictures.map { "\(word): \($0.path): \($0.why)" }
    guard lines.count > inLines, let last = lines.last else { return lines }
    return lines.prefix(inLines - 2) + ["\(word): \(lines.count - inLines + 1) more; --format json names all", last]
  }

  private func indented(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
  }

  /// Findings that no frame shows by itself.
  private func sequenceLines(_ comparison: SequenceComparison) -> [String] {
    var lines = comparison.duplicates.map { "\(name($0)) repeats \(name($0 - 1)), where the expected ones move" }
    lines += comparison.flashes.map { "\(name($0)) flashes: it jumps away from its neighbors, which are alike" }
    lines += comparison.shifts.map { shift in
      let count = shift.delay.magnitude
      let isToTheEnd = shift.frames.upperBound == frames.count
      return """
        the checked side is \(count == 1 ? "one frame" : "\(count) frames") \(shift.delay > 0 ? "late" : "early") from \
        \(name(shift.frames.lowerBound)) \(isToTheEnd ? "on" : "to \(name(shift.frames.upperBound - 1))")
        """
    }
    if let masked {
      let (mask, most) = (masked.most, masked.isEven ? "" : " at most")
      let (hidden, all) = (DecimalText.grouped(mask.hidden), DecimalText.grouped(mask.size.area))
      lines.append("left out\(most): \(hidden) of the \(all) pixels of a picture (\(mask.percentage))")
    }
    // Flicker needs an order; pictures without numbers have none.
    let worst = frames.filter { $0.pair.number != nil }.max { ($0.flicker ?? 0) < ($1.flicker ?? 0) }
    if let worst, let flicker = worst.flicker, flicker >= 0.005 {
      lines.append(
        "flicker: the difference changes most from the frame before to \(worst.pair.name), "
          + "by \(flicker.hundredths) levels a sample on average")
    }
    return lines
  }

  private func name(_ index: Int) -> String { frames[index].pair.name }

  /// `40 compared: 31 exact, 6 within, 3 differ; 0 missing; 0 extra; canary ok`.
  private func summary(_ comparison: SequenceComparison) -> String {
    let (counts, pairing) = (comparison.counts, comparison.pairing)
    let parts =
      ["\(counts)"] + counts.texts([.incomparable, .unreadable])
      + ["\(pairing.missing.count) missing", "\(pairing.extra.count) extra"] + (facts.fails ? ["times differ"] : [])
    return (parts + [comparison.canary?.description ?? "no canary"]).joined(separator: "; ")
  }
}

/// The numbers of one pair, for programs.
struct CompareFigures: Encodable, Sendable {
  @OrNull var max: Int? = nil
  @OrNull var mean: Double? = nil
  @OrNull var bias: [String: Double]? = nil
  @OrNull var over: [String: Int]? = nil
  @OrNull var psnr: Double? = nil
  @OrNull var ssim: Double? = nil
  /// The share of the pixels that were left out, 0 to 1.
  @OrNull var masked: Double? = nil

  /// Makes the figures of pictures that cannot be compared.
  init() {}

  /// Measures a pair; takes time for pictures that differ, because of SSIM.
  init(_ comparison: PictureComparison) {
    let difference = comparison.verdict?.difference
    let channels = difference?.channelNames ?? comparison.channelNames
    masked = comparison.leftOut?.coverage ?? 0
    max = difference?.maximum ?? 0
    mean = difference?.mean ?? 0
    bias = Dictionary(uniqueKeysWithValues: zip(channels, difference?.bias ?? channels.map { _ in 0 }))
    over = Dictionary(uniqueKeysWithValues: [0, 1, 2, 4, 8, 16].map { (String($0), difference?.over($0) ?? 0) })
    psnr = difference?.psnr
    ssim = difference.map { $0.isIdentical ? 1 : $0.ssim() } ?? 1
  }
}

extension CompareReport {
  /// A frame, with its figures among the other members.
  private struct Listed: Encodable {
    let row: Row

    func encode(to encoder: any Encoder) throws {
      try (row.figures ?? CompareFigures()).encode(to: encoder)
      let members: JSONObject = [
        "index": row.pair.index, "name": row.pair.name, "expected": row.pair.expected, "actual": row.pair.actual,
        "status": row.status.rawValue, "differs": !row.status.passes, "flicker": row.flicker,
        "faults": row.faults.isEmpty ? nil : row.faults, "error": row.error?.description,
      ]
      try members.encode(to: encoder)
    }
  }

  func json(_ comparison: SequenceComparison) throws -> String {
    let canary: JSONObject? = comparison.canary.map {
      ["sound": $0.isSound, "tried": $0.tried.map(\.rawValue), "accepted": $0.accepted.map(\.rawValue)]
    }
    let statuses: [ComparisonStatus] = [.exact, .within, .differs, .incomparable, .unreadable]
    let list: JSONObject = [
      "differs": !comparison.passes || facts.fails, "facts": facts.json,
      "tolerance": tolerance.description, "canary": canary,
      "frames": frames.map { Listed(row: $0) }, "missing": comparison.pairing.missing.map(\.path),
      "extra": comparison.pairing.extra.map(\.path), "duplicates": comparison.duplicates,
      "flashes": comparison.flashes,
      "shifts": comparison.shifts.map {
        ["first": $0.frames.lowerBound, "last": $0.frames.upperBound - 1, "delay": $0.delay]
      },
      "summary": Dictionary(uniqueKeysWithValues: statuses.map { ($0.rawValue, comparison.counts[$0]) }),
    ]
    return try SafelightCommandLine.json(list)
  }
}
