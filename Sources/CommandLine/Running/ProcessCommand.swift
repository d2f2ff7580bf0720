import ArgumentParser
import Safelight

struct ProcessCommand: AsyncParsableCommand, FrameCommand {
  static let configuration = CommandConfiguration(
    commandName: "process",
    abstract: "Read frames, apply filters, write frames.",
    discussion: """
      Examples:
        safelight process frames/ -o out/ --filter equalize
        safelight process 'shot.%04d.png' -o out/ --filter 'equalize,saturation=1.2'
        safelight process photo.png -o better.png --filter equalize --device cpu
        safelight process shot/ -o out/ --filter "text='{name} {frame}'"
        safelight process shot/ -o out/ --filter "blur=9:mask=mask.png"
        safelight process shot/ -o out/ --filter "gamma='1@1 1.4@48'"
        safelight process photo.png --filter blur=2,stretch --explain

      Outputs are written beside their target and renamed: no partial file is ever seen. Ctrl-C finishes the frames in \
      flight and exits with 75.
      """)

  @OptionGroup var frames: FrameArguments

  @Option(
    help: """
      Filters, as in equalize=channels=luma,saturation=amount=1.2. safelight filters lists them, and the words that \
      all of them take: where, on which frames, how much.
      """,
    completion: .list(FilterCatalogue.descriptions.map(\.name)))
  var filter: String = "passthrough"

  @OptionGroup(title: "Run options") var run: RunArguments
  @OptionGroup(title: "Film options") var film: VideoArguments
  @OptionGroup(title: "Device options") var device: DeviceArguments

  var frameRun: FrameRun {
    FrameRun(
      inputs: frames.inputs, output: frames.output ?? "", filter: filter, calls: nil, run: run, film: film,
      device: device, warnings: RunWarnings(isQuiet: run.isQuiet))
  }

  func validate() throws { try frames.check(explains: run.explain) }

  func run() async throws { try await frameRun.perform() }
}

struct FrameArguments: ParsableArguments {
  @Argument(
    help: """
      PNG files, folders of them, printf patterns (shot.%04d.png) or quoted globs, one after the other as they are \
      named; or films and pictures that ffmpeg opens: files, addresses, cameras, .y4m; or - for Y4M or a PNG on \
      standard input.
      """, completion: .file())
  var inputs: [String] = []

  @Option(
    name: .shortAndLong,
    help: """
      A folder (names are kept, a film's frames are named after it), a printf pattern (numbers are those of an input \
      pattern, else the place of the frame in the input, from 1), for one frame a .png file; or a film: .mp4, .mkv, \
      .mov, .webm, .y4m, or - for Y4M on standard output (--output-format png: one PNG). Films that are written have \
      pictures alone: sound and subtitles of the input are left out.
      """, completion: .file())
  var output: String?

  /// Throws if there is no output, unless the run `explains` what it would do.
  func check(explains: Bool) throws {
    // The words of the parser for an argument that is missing.
    if output == nil && !explains { throw ValidationError("Missing expected argument '--output <output>'") }
  }
}
