import ArgumentParser

/// `safelight equalize`.
struct EqualizeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "equalize",
    abstract: "Histogram equalization: light into dark frames.",
    discussion: """
      The same as process --filter equalize=rule=RULE:channels=CHANNELS:smooth=SMOOTH:rate=RATE:cut=CUT:\
      strength=STRENGTH:intensity=INTENSITY.

      Examples:
        safelight equalize dark/ -o light/
        safelight equalize dark/ -o light/ --channels each --contact-sheet sheet.png
        safelight equalize dark/ -o light/ --rule opencv
        safelight equalize film/ -o light/ --smooth 24
        safelight equalize film/ -o light/ --rule ffmpeg --strength 0.2 --intensity 0.4
      """)

  @OptionGroup
  var frames: FrameArguments

  @Option(
    help:
      "How counts become a table: normalized-sum, opencv, pillow, libvips or ffmpeg; safelight filters equalize has the formulas."
  )
  var rule: String = "normalized-sum"

  @Option(
    help: """
      What is equalized: luma, which keeps colors, or each channel by itself. auto is luma, and with the rule of another program what that \
      program does.
      """)
  var channels: String = "auto"

  @Option(help: "Against flicker, sum the histograms of so many frames, 24, or seconds, 1s, for one table.")
  var smooth: String = "1"

  @Option(help: "Frames a second, where --smooth is in seconds.")
  var rate: String = "24"

  @Option(help: "The part of the samples that must change, from 0 to 1, for a new scene to begin.")
  var cut: String = "0.3"

  @Option(help: "With --rule ffmpeg, how much of the levels comes from the histogram, from 0 to 1.")
  var strength: String = "0.2"

  @Option(help: "With --rule ffmpeg, how bright the picture becomes, from 0 to 1.")
  var intensity: String = "0.21"

  @OptionGroup(title: "Run options")
  var run: RunArguments

  @OptionGroup(title: "Film options")
  var film: FilmArguments

  @OptionGroup(title: "Device options")
  var device: DeviceArguments

  func run() async throws {
    try await FrameRun(
      inputs: frames.inputs, output: frames.output,
      filter: "equalize=rule=\(rule):channels=\(channels):smooth=\(smooth):rate=\(rate):cut=\(cut)"
        + ":strength=\(strength):intensity=\(intensity)",
      run: run, film: film, device: device
    ).perform()
  }
}
