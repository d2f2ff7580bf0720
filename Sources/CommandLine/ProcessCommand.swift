import ArgumentParser
import Safelight

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

  @OptionGroup
  var frames: FrameArguments

  @Option(
    help: "Filters, as in equalize=channels=luma,saturation=amount=1.2; safelight filters lists them.",
    completion: .list(FilterCatalogue.descriptions.map(\.name)))
  var filter: String = "passthrough"

  @OptionGroup(title: "Run options")
  var run: RunArguments

  @OptionGroup(title: "Film options")
  var film: FilmArguments

  @OptionGroup(title: "Device options")
  var device: DeviceArguments

  func run() async throws {
    try await FrameRun(
      inputs: frames.inputs, output: frames.output, filter: filter, run: run, film: film, device: device
    ).perform()
  }
}
