import ArgumentParser

/// `safelight process`.
struct ProcessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "process",
    abstract: "Frames in, filters, frames out.",
    discussion: """
      Examples:
        safelight process frames/ -o out/ --filter equalize
        safelight process 'shot.%04d.png' -o out/ --filter 'equalize,saturation=1.2'
        safelight process photo.png -o better.png --filter equalize --device cpu

      Outputs are written beside their target and renamed: no partial file is ever seen. Ctrl-C finishes the frames on \
      the way and exits with 75.
      """)

  @Argument(
    help:
      """
      PNG files, folders of them, printf patterns (shot.%04d.png) or quoted globs, in natural order; or one film: a file, an address or a \
      camera that ffmpeg opens, .y4m, or - for Y4M on standard input.
      """)
  var inputs: [String] = []

  @Option(
    name: .shortAndLong,
    help:
      """
      A folder (names are kept), a printf pattern, for one frame a .png file; or a film: .mp4, .mkv, .mov, .webm, .y4m, or - for Y4M on \
      standard output.
      """)
  var output: String

  @Option(help: "Filters, as in equalize=channels=luma,saturation=amount=1.2; safelight filters lists them.")
  var filter: String = "passthrough"

  @OptionGroup(title: "Run options")
  var run: RunArguments

  @OptionGroup(title: "Film options")
  var film: FilmArguments

  @OptionGroup(title: "Device options")
  var device: DeviceArguments

  func run() async throws {
    try await FrameRun(inputs: inputs, output: output, filter: filter, run: run, film: film, device: device).perform()
  }
}
