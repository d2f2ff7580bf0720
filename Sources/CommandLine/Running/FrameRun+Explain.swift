import ArgumentParser
import Safelight

/// `--explain`: what the filters do with the first frame, without doing it.
extension FrameRun {
  func explain() async throws {
    let calls = try checkedCalls()
    // A device is asked for what its textures hold; one is enough.
    _ = try device.selector()
    if output.isEmpty {
      try film.refuseUnused(from: film.input.films(among: inputs), to: nil)
    } else {
      _ = try VideoTask(inputs, output: output, film)
    }
    let signals = SignalWatch(saying: SignalWatch.noResult)
    defer { withExtendedLifetime(signals) {} }
    let first = try await firstFrame(calls, signals.stop)
    let processor = try await openProcessor(calls)
    defer { processor.device.close() }
    let explanation = try processor.turning(first.orientation).explanation(of: first.picture, as: first.identity)
    try deliver(Self.text(explanation, of: first))
  }

  /// The first frame of the inputs, without its samples.
  private struct FirstFrame {
    let identity: FrameIdentity
    let picture: ImageDescriptor
    var orientation = Orientation.up
    /// The layout of luma and chroma that becomes red, green and blue before the filters.
    var planes: PixelLayout?
    /// A sentence that says why frames like it never go in bands; nil if they may.
    var whole: String?
  }

  private func firstFrame(_ calls: [FilterCall], _ stop: StopRequest) async throws -> FirstFrame {
    if let input = try film.input.films(among: inputs).first {
      try SecondPictures.check(calls, for: [], upTo: nil)
      let format = try await film.input.tagged(open(input, to: nil, stop), input.name, warnings: warnings).format
      return FirstFrame(
        identity: FrameIdentity(name: "\(input.name), frame 1", number: 1, position: 0), picture: format.filtered,
        planes: format.layout.isYCbCr ? format.layout : nil, whole: "a frame of a film is held whole, however large")
    }
    let list = try FrameList(inputs, isRecursive: run.recursive)
    let chosen = try chosen(of: list)
    guard let frame = chosen.first else {
      throw SafelightError(.missingInput, inputs.joined(separator: " "), why: "it has no frames")
    }
    try SecondPictures.check(calls, for: list.frames, upTo: chosen.last?.index)
    let identity = FrameIdentity(name: frame.path, number: frame.number, position: frame.index)
    guard let outline = PNGOutline(frame.path, limits: options.limits, findsExif: run.autoOrient) else {
      let file = try PNGFile(reading: frame.path, limits: options.limits)
      return FirstFrame(
        identity: identity, picture: file.image.descriptor,
        orientation: run.autoOrient ? file.metadata.orientation : .up)
    }
    return FirstFrame(
      identity: identity, picture: outline.picture, orientation: run.autoOrient ? outline.orientation : .up,
      whole: outline.isInRows
        ? nil : "a picture of an interlaced file, or of gray of 1, 2 or 4 bits, is held whole, however large")
  }

  // MARK: The text

  private static func text(_ explanation: ChainExplanation, of first: FirstFrame) -> String {
    func described(_ image: ImageDescriptor) -> String { "\(image.size), \(PictureKind(image))" }
    var lines = ["\(first.identity.name): \(described(explanation.picture))"]
    if let planes = first.planes {
      lines.append("luma and chroma (\(RawPixels(planes))) become red, green and blue before the first filter")
    }
    var (rows, headings, number) = ([Row.titles], [Int: String](), 0)
    for step in explanation.steps {
      let joined = step.calls.count > 1 ? "  (\(step.calls.count) filters, run as one)" : ""
      headings[rows.count] = step.calls.map(\.brief).joined(separator: ",") + joined
      for pass in step.passes {
        number += 1
        rows += Row.rows(pass, number)
      }
    }
    let widths = Row.titles.cells.indices.map { column in (rows.map { $0.cells[column].count }.max() ?? 0) + 2 }
    for (place, row) in rows.enumerated() {
      if let heading = headings[place] { lines.append(heading) }
      lines.append(row.text(widths))
    }
    let (read, written) = explanation.byteCounts
    lines.append("makes \(described(explanation.result))")
    lines.append(
      "\(number) \(number == 1 ? "pass a frame moves" : "passes a frame move") \((read + written).inBytes): "
        + "\(read.inBytes) read, \(written.inBytes) written")
    lines.append(streaming(explanation, first))
    return lines.joined(separator: "\n") + "\n"
  }

  /// Says whether huge pictures like the frame go in bands.
  private static func streaming(_ explanation: ChainExplanation, _ first: FirstFrame) -> String {
    if let (filter, why) = explanation.whole { return "a huge picture is held whole: \(filter); \(why)" }
    if let why = first.whole { return why }
    let surveys = explanation.steps.filter { $0.surveys > 0 }.map { step in
      "\(step.surveys == 1 ? "once" : "\(step.surveys) times") for \(step.calls.map(\.brief).joined(separator: ","))"
    }
    guard !surveys.isEmpty else { return "a huge picture goes in bands of rows; its file is read once" }
    return "a huge picture goes in bands of rows; its file is read \(surveys.joined(separator: ", ")), and once more "
      + "for the result"
  }

  /// A line of the table of passes.
  private struct Row {
    let cells: [String]

    static let titles = Row(cells: ["pass", "function", "reads", "for a pixel", "bytes", "makes", "bytes"])

    /// The line of a pass, and one for each further input.
    static func rows(_ pass: ExplainedPass, _ number: Int) -> [Row] {
      pass.inputs.enumerated().map { place, input in
        let isFirst = place == 0
        return Row(cells: [
          isFirst ? "\(number)" : "", isFirst ? pass.name : "", input.text, input.use, input.byteCount.inBytes,
          isFirst ? pass.output : "", isFirst ? pass.writtenByteCount.inBytes : "",
        ])
      }
    }

    func text(_ widths: [Int]) -> String {
      let padded = zip(cells, widths).enumerated().map { column, cell in
        // Numbers stand on the right.
        [0, 4, 6].contains(column) ? cell.0.padded(to: cell.1 - 1) + " " : cell.0.padded(to: -cell.1)
      }
      return String(padded.joined().reversed().drop { $0 == " " }.reversed())
    }
  }
}

extension FilterCall {
  /// The filter with the parameters that differ from their defaults.
  fileprivate var brief: String {
    let filter = FilterCatalogue.descriptions.first { $0.name == name }
    let given = arguments.filter { filter?.parameter($0.name)?.defaultValue != $0.value } + words
    return name + (given.isEmpty ? "" : "=") + given.map { "\($0.name)=\($0.value)" }.joined(separator: ":")
  }
}

extension Int {
  /// So many bytes, rounded: `512 B`, `48.2 kB`, `24.9 MB`.
  fileprivate var inBytes: String {
    func text(_ unit: Int, _ name: String) -> String {
      let tenths = (10 * self + unit / 2) / unit
      return "\(tenths / 10).\(tenths % 10) \(name)"
    }
    return self < 10_000 ? "\(self) B" : self < 10_000_000 ? text(1000, "kB") : text(1_000_000, "MB")
  }
}
