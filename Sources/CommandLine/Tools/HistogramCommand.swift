import ArgumentParser
import Safelight

struct HistogramCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "histogram",
    abstract: "Count how often each sample value occurs: as numbers, or as a picture before and after a filter.",
    discussion: """
      Examples:
        safelight histogram photo.png > counts.json
        safelight histogram frames/ -o counts.csv
        safelight histogram dark/ -o plot.svg --filter equalize=channels=luma
        safelight histogram film/ -o film.png --over time --filter equalize=smooth=24
        safelight histogram clip.mp4 -o clip.svg --over time

      json and csv hold one histogram a frame, of the frame as it is. svg and png show the sum over all frames, before \
      and after the filters; or, with --over time, every frame as a column of a heat map, in which flicker shows as \
      jagged strips and a cut as a step.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case json, csv, svg, png

    var isPlot: Bool { self == .svg || self == .png }
  }

  @Argument(
    help: """
      PNG files, folders of them, printf patterns (shot.%04d.png) or quoted globs, in natural order; or one film: a \
      file, an address or a camera that ffmpeg opens, .y4m, or - for Y4M or a PNG on standard input.
      """, completion: .file())
  var inputs: [String]

  @Option(name: .shortAndLong, help: "A file. (default: standard output)", completion: .file()) var output: String?

  @Option(help: "json, csv (both count frames from 0), svg or png. (default: by the name of the output, else json)")
  var format: Format?

  @Option(
    help: """
      For json and csv: number of counts of a channel, 256, 512, … or 65536; svg and png count every value. \
      (default: 256)
      """)
  var entries: Int?

  @Flag(help: "For json and csv: count alpha too, if there is alpha.") var alpha = false
  @Option(help: "For svg and png: the filters between before and after. (default: equalize)") var filter: String?

  @Option(help: "For svg and png: the horizontal axis, values (all frames summed) or time (a heat map).")
  var over: HistogramPicture.Axis = .values

  @Option(help: ArgumentHelp("Which frames, by their place in the list from 1: 1-10,20-40:2.", valueName: "selection"))
  var frames: String?

  @OptionGroup var counting: CountingArguments

  func run() async throws {
    if let entries, !HistogramInfo.entryCounts.contains(entries) {
      throw SafelightError(
        .usage, "--entries \(entries)", why: "the number of counts must be a power of two from 256 to 65536",
        remedy: "use 256")
    }
    if counting.progress == .json { Console.speakJSON() }
    let format = try format ?? Self.format(of: output)
    if over == .time && !format.isPlot {
      throw SafelightError(
        .usage, "--over time", why: "\(format) always holds one histogram for each frame", remedy: "write .svg or .png")
    }
    if let entries, format.isPlot {
      throw SafelightError(
        .usage, "--entries \(entries)", why: "the pictures of a histogram count every value, for exact statistics",
        remedy: "leave it out, or write .json or .csv")
    }
    if alpha && format.isPlot {
      throw SafelightError(
        .usage, "--alpha", why: "a drawn histogram shows only the colors, not alpha", remedy: "write .json or .csv")
    }
    if let filter, !format.isPlot {
      throw SafelightError(
        .usage, "--filter \(filter)", why: "\(format) holds only the histogram of each frame before the filter",
        remedy:
          "write .svg or .png, which show it before and after the filter, or write the filtered frames and take "
          + "their histogram"
      )
    }
    let calls = try FilterSyntax.parse(shownFilter, catalogue: FilterCatalogue.descriptions)
    if format == .png && (output ?? "-") == "-" { try refusePixelsOnTerminal() }
    let signals = SignalWatch()
    defer { withExtendedLifetime(signals) {} }
    let stop = signals.stop
    let counted = try await countedFrames(try counting.film.film(among: inputs), calls, stop)
    try await counting.run(for: format.isPlot ? calls : [], until: stop) { device in
      try await count(counted, as: format, calls, on: device, stop)
    }
  }

  private var shownFilter: String { filter ?? "equalize" }

  /// Returns the frames to count, after checking that the output replaces none of them.
  private func countedFrames(
    _ input: VideoInput?, _ calls: [FilterCall], _ stop: StopRequest
  ) async throws -> CountedFrames {
    let warnings = RunWarnings(isQuiet: counting.isQuiet)
    let selection = try frames.map { try FrameSelection($0) }
    let side = output.flatMap { $0 == "-" ? nil : $0 }
    if let side { try InputFiles(calls.flatMap(\.files), films: [input].compactMap { $0 }).refuseOutput(side) }
    guard let input else {
      let list = try FrameList(inputs)
      warnings.add(leftOutOf: list, hasRecursion: false)
      for warning in try FilterCatalogue.warnings(of: calls, for: list.frames.map(\.name)) { warnings.add(warning) }
      let chosen = try selection.map { try list.selecting($0) } ?? list.frames
      try SecondPictures.check(calls, for: list.frames, upTo: chosen.last?.index)
      warnings.add(endOf: selection, at: chosen.last.map { $0.index + 1 }, of: inputs.joined(separator: " "))
      if let side { try FrameOutput.checkSideFile(side, beside: chosen) }
      return .files(chosen, PNGLimits(pixels: counting.maxPixels))
    }
    if let side { try FrameOutput.checkSideFile(side, beside: []) }
    for warning in try FilterCatalogue.warnings(of: calls, for: [PathParts(input.name).name]) { warnings.add(warning) }
    return try await counting.frames(of: input, selection, warnings: warnings, stop: stop)
  }

  private func count(
    _ frames: CountedFrames, as format: Format, _ calls: [FilterCall], on device: Device, _ stop: StopRequest
  ) async throws {
    let info = HistogramInfo(entries: entries ?? 256, histogramForAlpha: alpha, pixels: counting.counts)
    let reader = HistogramReader(device: device, info: info)
    let complete = (
      bits8: HistogramReader(device: device, info: .complete(.bits8, pixels: counting.counts)),
      bits16: HistogramReader(device: device, info: .complete(.bits16, pixels: counting.counts))
    )
    let display = counting.display(total: frames.total)
    let plain = FrameProcessor(device: device, chain: try FilterChain([], device: device))
    let sink = try DataOutput(output)
    let count: Int
    if format.isPlot {
      let processor = FrameProcessor(device: device, chain: try FilterChain(calls, device: device))
      var picture = HistogramPicture(over, total: frames.total, titles: ["before", "after \(shownFilter)"])
      var place = 0
      count = try await frames.each(through: plain, until: stop) { frame, image in
        let start = ContinuousClock().now
        let made = try await processor.process(
          image, of: FrameIdentity(name: frame.path, number: frame.number, position: frame.index))
        for (panel, image) in [image, made].enumerated() {
          let reader = image.depth == .bits8 ? complete.bits8 : complete.bits16
          let counts = try await reader.histogram(of: image, label: frame.path)
          try picture.add(counts, depth: image.depth, file: frame.path, at: place, panel: panel)
        }
        place += 1
        display.frameCounted(frame, since: start)
      }
      try sink.write(
        format == .svg
          ? Array(picture.svg().utf8) : PNGEncoder.encode(PNGFile(image: picture.image()), compression: .small))
    } else {
      try sink.write(format == .json ? HistogramReport.jsonOpening : HistogramReport.csvHeader)
      var separator = ""
      count = try await frames.each(through: plain, until: stop) { frame, image in
        let start = ContinuousClock().now
        let counted = HistogramReport.Frame(
          index: frame.index, file: frame.path, size: image.size, depth: image.depth,
          series: try await reader.histogram(of: image, label: frame.path).series)
        try sink.write(format == .json ? separator + counted.json : counted.csv)
        separator = ","
        display.frameCounted(frame, since: start)
      }
      if format == .json { try sink.write(HistogramReport.jsonClosing) }
    }
    try sink.finish()
    display.countingEnded(count)
  }

  /// The format that the extension of `output` asks for; JSON on standard output.
  private static func format(of output: String?) throws -> Format {
    guard let output, output != "-" else { return .json }
    guard let format = Format(rawValue: String(output.split(separator: ".").last ?? "").lowercased()) else {
      throw SafelightError(
        .usage, output, why: "its name does not say which form of histogram it is to hold",
        remedy: "end it in .json, .csv, .svg or .png, or use --format")
    }
    return format
  }
}

extension HistogramPicture.Axis: ExpressibleByArgument {}

/// The picture that `safelight histogram` draws of a sequence: the sums over all frames, or the frames over time,
/// before and after the filters.
struct HistogramPicture {
  enum Axis: String, CaseIterable {
    case values, time
  }

  private struct Panel {
    let title: String
    /// The properties that all frames of one picture share; nil before the first frame.
    var kind: (channels: [Histogram.Channel], depth: SampleDepth)?
    var sum: Histogram?

    var maximum: Int { (1 << (kind?.depth ?? .bits8).rawValue) - 1 }
  }

  private var panels: [Panel]
  private var timeline: HistogramTimeline?

  /// Prepares a picture of `total` frames, nil if the number is unknown, with a panel for each title.
  init(_ axis: Axis, total: Int?, titles: [String]) {
    panels = titles.map { Panel(title: $0) }
    timeline = axis == .time ? HistogramTimeline(total: total, titles: titles) : nil
  }

  /// Adds the counts of the frame at `place`, from 0, to a panel; throws if its channels or depth differ from those
  /// before it.
  mutating func add(_ counts: Histogram, depth: SampleDepth, file: String, at place: Int, panel: Int) throws {
    let kind = (channels: counts.channels, depth: depth)
    if let before = panels[panel].kind, before != kind {
      throw SafelightError(
        .input, file,
        why: before.depth == depth
          ? "it has other channels than the frames before it, as a gray picture among colors"
          : "it has \(depth.rawValue) bits a sample, and the frames before it have \(before.depth.rawValue)",
        remedy: "plot frames of each kind in a run of their own")
    }
    panels[panel].kind = kind
    if timeline == nil {
      panels[panel].sum = panels[panel].sum.map { $0 + counts } ?? counts
    } else {
      timeline?.add(counts.series, maximum: panels[panel].maximum, at: place, panel: panel)
    }
  }

  private var plot: HistogramPlot {
    HistogramPlot(panels.map { .init(title: $0.title, series: $0.sum?.series ?? [], maximum: $0.maximum) })
  }

  func svg() throws -> String { try timeline?.svg() ?? plot.svg() }

  func image() throws -> Image { try timeline?.image() ?? plot.image() }
}
