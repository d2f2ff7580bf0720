import ArgumentParser
import Safelight

struct AnalyzeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "analyze",
    abstract: "Count the samples of a part of a sequence, for tables that serve all of its frames.",
    discussion: """
      A film that is equalized frame by frame flickers. Tables of the whole sequence, or of each shot, do not; and any \
      number of machines may count its parts, since whole numbers add up to the same sum in any order:

        safelight analyze frames/ --shard 0/2 -o part-0.counts    # on one machine
        safelight analyze frames/ --shard 1/2 -o part-1.counts    # on another
        safelight merge part-*.counts -o film.tables --per shot
        safelight process frames/ -o out/ --filter equalize=table=film.tables

      The file holds one line of JSON (head -1 shows it), then the counts of all frames together and of each, as \
      little-endian numbers with checksums. A part without frames is a file too.
      """)

  @Argument(
    help: """
      PNG files, folders of them, printf patterns (shot.%04d.png) or quoted globs, all of the sequence on every \
      machine; or one film, as a whole.
      """, completion: .file())
  var inputs: [String]

  @Option(name: .shortAndLong, help: "The file of counts.", completion: .file()) var output: String

  @Option(help: "What is counted: luma, for tables that keep colors, or each channel by itself.")
  var channels = SequenceChannels.luma

  @Option(
    help: ArgumentHelp(
      "Count part I of N of the frames, in equal, contiguous parts: I from 0, N up to 1000000.", valueName: "i/n"))
  var shard: String?

  @Flag(help: "Take the pictures in subfolders too.") var recursive = false
  @OptionGroup var counting: CountingArguments

  func validate() throws {
    try FileKind.counts.check("--output", output)
    if output == "-" { throw ValidationError("--output -: its beginning is written last; name a file") }
  }

  func run() async throws {
    if counting.progress == .json { Console.speakJSON() }
    let signals = SignalWatch()
    defer { withExtendedLifetime(signals) {} }
    let stop = signals.stop
    let part = try await part(stop)
    try await counting.run(until: stop) { device in try await count(part, on: device, stop) }
  }

  /// The frames to count, the place of the first in the sequence, and the names of all frames of the sequence; that of
  /// a film, whose number of frames is not known yet.
  private typealias Part = (frames: CountedFrames, first: Int, names: [String])

  private func part(_ stop: StopRequest) async throws -> Part {
    let warnings = RunWarnings(isQuiet: counting.isQuiet)
    let input = try counting.film.film(among: inputs)
    guard let input else {
      let list = try FrameList(inputs, isRecursive: recursive)
      warnings.add(leftOutOf: list, hasRecursion: true)
      let frames = Array(list.frames[try Shard(shard).range(of: list.frames.count)])
      try FrameOutput.checkSideFile(output, beside: list.frames)
      let counted = CountedFrames.files(frames, PNGLimits(pixels: counting.maxPixels))
      return (counted, frames.first?.index ?? 0, list.frames.map(\.name))
    }
    guard shard == nil else {
      throw SafelightError(
        .usage, "--shard with \(input.name)", why: "the number of a film's frames is unknown before it ends",
        remedy: "make pictures first, or count the film as a whole")
    }
    try FrameOutput.checkSideFile(output, beside: [])
    try InputFiles([], films: [input]).refuseOutput(output)
    let frames = try await counting.frames(of: input, warnings: warnings, stop: stop)
    return (frames, 0, [PathParts(input.name).name])
  }

  private func count(_ part: Part, on device: Device, _ stop: StopRequest) async throws {
    let display = counting.display(total: part.frames.total)
    let plain = FrameProcessor(device: device, chain: try FilterChain([], device: device))
    let readers = (
      bits8: HistogramReader(device: device, channels: channels, pixels: counting.counts, depth: .bits8),
      bits16: HistogramReader(device: device, channels: channels, pixels: counting.counts, depth: .bits16)
    )
    let isFilm = part.frames.total == nil
    var writer = try SequenceCountsWriter(
      path: output, channels: channels, pixels: counting.counts, names: part.names,
      frames: isFilm ? nil : part.names.count, first: part.first)
    let count = try await part.frames.each(through: plain, until: stop) { frame, image in
      let start = ContinuousClock().now
      let reader = image.depth == .bits8 ? readers.bits8 : readers.bits16
      let name = isFilm ? "\(frame.path), frame \(frame.number)" : frame.path
      try writer.add(try await reader.histogram(of: image, label: name), of: image.descriptor, name: name)
      display.frameCounted(frame, since: start)
    }
    try writer.finish()
    display.countingEnded(count)
  }
}

extension SequenceChannels: ExpressibleByArgument {}
