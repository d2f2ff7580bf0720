public import ArgumentParser
public import Safelight

struct EqualizeCommand: AsyncParsableCommand, FrameCommand {
  static let configuration = CommandConfiguration(
    commandName: "equalize",
    abstract: "Brighten dark frames by histogram equalization.",
    discussion: """
      The same as process --filter equalize=rule=RULE:channels=CHANNELS:counts=COUNTS:smooth=SMOOTH:rate=RATE:\
      cut=CUT:strength=STRENGTH:intensity=INTENSITY:table=TABLE. safelight filters equalize has the formulas.

      Examples:
        safelight equalize dark/ -o light/
        safelight equalize dark/ -o light/ --channels each --contact-sheet sheet.png
        safelight equalize dark/ -o light/ --rule opencv
        safelight equalize film/ -o light/ --smooth 24
        safelight equalize film/ -o light/ --rule ffmpeg --strength 0.2 --intensity 0.4
      """)

  @OptionGroup var frames: FrameArguments
  @Option(help: "How counts become a table.") var rule = usual.rule

  @Option(
    help: """
      What is equalized: luma, which keeps colors, or each channel by itself. auto is luma, or with the rule of \
      another program what that program does.
      """)
  var channels = usual.channels

  @Option(
    help: """
      Which pixels are counted where alpha is straight: visible, of alpha above 0, or all. The rules of other programs \
      count all.
      """)
  var counts = usual.counts

  @Option(help: "Against flicker, sum the histograms of this many frames (24) or seconds (1s) for one table.")
  var smooth = usual.smooth

  @Option(help: "Frames a second, if --smooth is in seconds.") var rate = usual.rate
  @Option(help: "The part of the samples that must change, from 0 to 1, for a new scene to begin.") var cut = usual.cut

  @Option(help: "With --rule ffmpeg, how much of the levels comes from the histogram, from 0 to 1.")
  var strength = usual.strength

  @Option(help: "With --rule ffmpeg, how bright the picture becomes, from 0 to 1.") var intensity = usual.intensity

  @Option(
    help: ArgumentHelp(
      "Tables of the whole sequence, made by safelight merge, in place of each picture's own.", valueName: "file"),
    completion: .file())
  var table = usual.table

  private static let usual = EqualizeFilter()

  @OptionGroup(title: "Run options") var run: RunArguments
  @OptionGroup(title: "Film options") var film: VideoArguments
  @OptionGroup(title: "Device options") var device: DeviceArguments

  var frameRun: FrameRun {
    get throws {
      var filter = EqualizeFilter()
      filter.rule = rule
      filter.channels = channels
      filter.counts = counts
      filter.smooth = smooth
      filter.rate = rate
      filter.cut = cut
      filter.strength = strength
      filter.intensity = intensity
      filter.table = table
      let call = try FilterCall(filter)
      return FrameRun(
        inputs: frames.inputs, output: frames.output ?? "", filter: call.description, calls: [call], run: run,
        film: film, device: device, warnings: RunWarnings(isQuiet: run.isQuiet))
    }
  }

  func validate() throws { try frames.check(explains: run.explain) }

  func run() async throws { try await frameRun.perform() }
}

extension ImageHistogramEqualization.Rule: ExpressibleByArgument {}
extension EqualizeFilter.Channels: ExpressibleByArgument {}
extension CountedPixels: ExpressibleByArgument {}
