import ArgumentParser
import Safelight

/// `safelight histogram`.
struct HistogramCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "histogram",
    abstract: "How often each sample value occurs: as numbers, or as a picture before and after a filter.",
    discussion: """
      Examples:
        safelight histogram photo.png > counts.json
        safelight histogram frames/ -o counts.csv
        safelight histogram dark/ -o plot.svg --filter equalize=channels=luma
        safelight histogram film/ -o film.png --over time --filter equalize=smooth=24

      json and csv hold one histogram a frame. svg and png show the sum over all frames, before and after the filters; or, over \
      time, every frame as a column of a heat map, in which flicker is seen as jagged strips and a cut as a step.
      """)

  /// The forms of the result.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case json
    case csv
    case svg
    case png

    var isPlot: Bool { self == .svg || self == .png }
  }

  @Argument(help: "PNG files, folders of them, printf patterns (shot.%04d.png) or quoted globs, in natural order.")
  var inputs: [String]

  @Option(name: .shortAndLong, help: "A file; standard output where none is named.")
  var output: String?

  @Option(help: "json, csv, svg or png. (default: by the name of the output, else json)")
  var format: Format?

  @Option(help: "Counts of a channel: 256, 512, … or 65536.")
  var entries: Int = 256

  @Option(help: "For svg and png: the filters between before and after.")
  var filter: String = "equalize"

  @Option(help: "For svg and png: what lies along the picture, values (all frames summed) or time (a heat map).")
  var over: HistogramPicture.Axis = .values

  @Option(help: ArgumentHelp("Which frames, by their place in the list from 1: 1-10,20-40:2.", valueName: "selection"))
  var frames: String?

  @Option(help: "How to show progress: auto, bar, plain, json or none.")
  var progress: ProgressStyle = .auto

  @OptionGroup(title: "Device options")
  var device: DeviceArguments

  func run() async throws {
    guard (8...16).contains(where: { 1 << $0 == entries }) else {
      throw SafelightError(
        .usage, "--entries \(entries)", why: "a histogram has a power of two from 256 to 65536", remedy: "use 256")
    }
    if progress == .json { Console.speakJSON() }
    let format = try format ?? Self.format(of: output)
    if over == .time && !format.isPlot {
      throw SafelightError(
        .usage, "--over time", why: "\(format) has one histogram a frame anyhow", remedy: "write .svg or .png")
    }
    let calls = try FilterSyntax.parse(filter, catalogue: FilterCatalogue.descriptions)
    let list = try FrameList(inputs)
    let chosen = try frames.map { try list.selecting(FrameSelection($0)) } ?? list.frames
    if let output, output != "-" { try FrameOutput.checkSideFile(output, beside: chosen) }
    let stop = StopRequest()
    let signals = SignalWatch(stop)
    defer { withExtendedLifetime(signals) {} }
    let device = try device.open(quietly: progress == .none)
    defer { device.close() }
    let reader = HistogramReader(device: device, entries: entries)
    let display = ProgressDisplay(progress, total: chosen.count)
    let sink = try DataOutput(output)
    if format.isPlot {
      let processor = FrameProcessor(device: device, chain: try FilterChain(calls, device: device))
      let picture = try await picture(chosen, reader, processor, display, stop)
      try sink.write(
        format == .svg
          ? Array(picture.svg().utf8) : PNGEncoder.encode(PNGFile(image: picture.image()), compression: .small))
    } else {
      try sink.write(format == .json ? HistogramReport.jsonOpening : HistogramReport.csvHeader)
      for (place, frame) in chosen.enumerated() {
        if stop.isMade { throw ExitCode.interrupted }
        let start = ContinuousClock().now
        let image = try PNGFile(reading: frame.path).image
        let counted = HistogramReport.Frame(
          index: frame.index, file: frame.path, size: image.size, depth: image.depth,
          series: try await reader.histogram(of: image, label: frame.path).series)
        try sink.write(format == .json ? (place > 0 ? "," : "") + counted.json : counted.csv)
        display.frameCounted(frame, since: start)
      }
      if format == .json { try sink.write(HistogramReport.jsonClosing) }
    }
    try sink.finish()
    display.countingEnded(chosen.count)
  }

  /// The form that the name of `output` asks for; JSON on standard output.
  private static func format(of output: String?) throws -> Format {
    guard let output, output != "-" else { return .json }
    guard let format = Format(rawValue: String(output.split(separator: ".").last ?? "").lowercased()) else {
      throw SafelightError(
        .usage, output, why: "its name says no form of a histogram",
        remedy: "end it in .json, .csv, .svg or .png, or use --format")
    }
    return format
  }

  /// Counts of all frames, before and after.
  private func picture(
    _ frames: [Frame], _ reader: HistogramReader, _ processor: FrameProcessor, _ display: ProgressDisplay,
    _ stop: StopRequest
  ) async throws -> HistogramPicture {
    var picture = HistogramPicture(over, total: frames.count, titles: ["before", "after \(filter)"])
    for (place, frame) in frames.enumerated() {
      if stop.isMade { throw ExitCode.interrupted }
      let start = ContinuousClock().now
      let image = try PNGFile(reading: frame.path).image
      let made = try await processor.process(image, label: frame.path)
      for (panel, image) in [image, made].enumerated() {
        let counts = try await reader.histogram(of: image, label: frame.path)
        try picture.add(counts, depth: image.depth, file: frame.path, at: place, panel: panel)
      }
      display.frameCounted(frame, since: start)
    }
    return picture
  }
}

extension HistogramPicture.Axis: ExpressibleByArgument {}
