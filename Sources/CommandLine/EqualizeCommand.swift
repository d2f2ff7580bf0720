import ArgumentParser

/// `safelight equalize`.
struct EqualizeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "equalize",
    abstract: "Histogram equalization: light into dark frames.",
    discussion: """
      The same as process --filter equalize=rule=RULE:channels=CHANNELS.

      Examples:
        safelight equalize dark/ -o light/
        safelight equalize dark/ -o light/ --channels luma --contact-sheet sheet.png
        safelight equalize dark/ -o light/ --rule opencv
      """)

  @Argument(help: "PNG files, folders of them, printf patterns (shot.%04d.png) or quoted globs, in natural order.")
  var inputs: [String]

  @Option(name: .shortAndLong, help: "A folder (names are kept), a printf pattern, or for one frame a .png file.")
  var output: String

  @Option(
    help:
      "How counts become a table: normalized-sum, opencv, pillow or libvips; safelight filters equalize has the formulas."
  )
  var rule: String = "normalized-sum"

  @Option(help: "What is equalized: each channel, or luma.")
  var channels: String = "each"

  @OptionGroup(title: "Run options")
  var run: RunArguments

  @OptionGroup(title: "Device options")
  var device: DeviceArguments

  func run() async throws {
    try await FrameRun(
      inputs: inputs, output: output, filter: "equalize=rule=\(rule):channels=\(channels)", run: run, device: device
    ).perform()
  }
}
