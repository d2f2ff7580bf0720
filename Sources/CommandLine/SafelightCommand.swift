import ArgumentParser
import Safelight

/// The tool: one command for each thing that a person wants done.
@main
struct SafelightCommand: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "safelight",
    abstract: "Image processing on the GPU for machines with no screen.",
    discussion: """
      Frames in, filters, frames out, on a GPU where there is one and with the same bytes where there is none:

        safelight equalize frames/ -o out/
        safelight process 'shot.%04d.png' -o out/ --filter 'equalize,saturation=1.2'

      Exit codes: 0 done · 1 differs · 64 usage · 65 bad input data · 66 no such input or nothing to do · \
      69 no device as asked · 70 internal · 73 cannot create output · 74 read or write failed · \
      75 interrupted, run again.

      Environment: SAFELIGHT_DEVICE and SAFELIGHT_PLATFORM (defaults of --device and --platform), SAFELIGHT_DEBUG=1 \
      (check every GL call and show the driver's messages), SAFELIGHT_SHADERS=FOLDER (read the shaders from there).
      """,
    version: version,
    subcommands: [
      ProcessCommand.self, EqualizeCommand.self, HistogramCommand.self, DevicesCommand.self, FiltersCommand.self,
      BenchCommand.self,
    ])

  static func main() async {
    ignoreSignalsOfWriting()
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as SafelightError {
      complain(error)
      exit(withError: error.exitCode)
    } catch {
      exit(withError: error)
    }
  }
}
