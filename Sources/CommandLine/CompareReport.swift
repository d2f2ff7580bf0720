import Safelight
import SafelightGolden

/// What `safelight compare` saw, for people.
struct CompareReport {
  /// Texts of this many frames are given in full, pictures of a third of them; the others have a line.
  private static let inFull = 10
  /// More pictures without a counterpart than these are not all named.
  private static let inLines = 20

  let tolerance: Tolerance
  /// The mask that left most out, and whether all left out as much.
  private var masked: (most: ImageMask, isEven: Bool)?
  private let picture: TerminalPicture.Style?
  private(set) var frames: [Row] = []
  private(set) var errors: [SafelightError] = []

  /// One pair.
  struct Row {
    let pair: FramePairing.Pair
    let status: ComparisonStatus
    let error: SafelightError?
    let flicker: Double?
    let figures: CompareFigures?
    /// The conditions that do not hold, in a line.
    let faults: String
    /// What there is to say of a frame that differs, and of the first one that is within the tolerance.
    let text: String?
  }

  init(tolerance: Tolerance, picture: TerminalPicture.Style?) {
    self.tolerance = tolerance
    self.picture = picture
  }

  /// Notes a frame; its pictures are not kept.
  mutating func add(_ frame: FrameComparison, _ figures: CompareFigures?) {
    if let error = frame.error { errors.append(error) }
    if let mask = frame.verdict?.difference.mask { note(mask) }
    let faults = frame.verdict?.terms.filter { !$0.passes }.map(\.description).joined(separator: ", ") ?? ""
    frames.append(
      Row(
        pair: frame.pair, status: frame.status, error: frame.error, flicker: frame.flicker, figures: figures,
        faults: faults, text: frame.verdict.flatMap { text(of: $0, frame.status) }))
  }

  private mutating func note(_ mask: ImageMask) {
    guard let (most, isEven) = masked else { return masked = (mask, frames.isEmpty) }
    masked = (mask.coverage > most.coverage ? mask : most, isEven && mask.coverage == most.coverage)
  }

  /// Everything that a person needs without opening a file.
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
    var told = 0
    for row in frames {
      switch row.status {
      case .incomparable, .unreadable:
        lines.append("\(row.pair.name) cannot be compared: \(row.error?.message ?? "")")
      case .differs:
        // Frames that show others are one fault and not many.
        if comparison.shifts.contains(where: { $0.frames.dropFirst().contains(row.pair.index) }) { break }
        told += 1
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
    lines += sequenceLines(comparison)
    lines.append(summary(comparison))
    return lines.joined(separator: "\n") + "\n"
  }

  /// Every picture without a counterpart; of many the first and the last.
  private static func lines(_ word: String, _ pictures: [FramePairing.Unpaired]) -> [String] {
    let lines = pictures.map { "\(word): \($0.path): \($0.why)" }
    guard lines.count > inLines, let last = lines.last else { return lines }
    return lines.prefix(inLines - 2) + ["\(word): \(lines.count - inLines + 1) more; --format json names all", last]
  }

  private func indented(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
  }

  /// What no frame shows by itself.
  private func sequenceLines(_ comparison: SequenceComparison) -> [String] {
    var lines = comparison.duplicates.map {
      "\(name($0)) repeats \(name($0 - 1)), where the expected ones move"
    }
    lines += comparison.flashes.map { "\(name($0)) flashes: it jumps away from its neighbors, which are alike" }
    lines += comparison.shifts.map { shift in
      let count = shift.delay.magnitude
      let isToTheEnd = shift.frames.upperBound == frames.count
      return """
        the checked side is \(count == 1 ? "one frame" : "\(count) frames") \(shift.delay > 0 ? "late" : "early") from \(name(shift.frames.lowerBound)) \
        \(isToTheEnd ? "on" : "to \(name(shift.frames.upperBound - 1))")
        """
    }
    if let masked {
      let (hidden, all) = (DecimalText.grouped(masked.most.hidden), DecimalText.grouped(masked.most.size.area))
      let share = (100 * masked.most.coverage).hundredths
      lines.append(
        "left out\(masked.isEven ? "" : " at most"): \(hidden) of the \(all) pixels of a picture (\(share) %)")
    }
    // Pictures that no number brings into an order do not flicker.
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
      + ["\(pairing.missing.count) missing", "\(pairing.extra.count) extra"]
    return (parts + [comparison.canary?.description ?? "no canary"]).joined(separator: "; ")
  }
}
