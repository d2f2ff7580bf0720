import ArgumentParser
import Safelight

/// The options for properties that films do not declare, and for how films are written.
struct VideoArguments: ParsableArguments {
  @OptionGroup(title: "Film options") var input: VideoInputArguments

  @Option(
    help: ArgumentHelp(
      """
      Pixel format of a film that is written, by ffmpeg's names; on a stream, red, green and blue (rgb24, rgba …) \
      are raw samples. With -o -, png for a single frame.
      """,
      valueName: "pixels"))
  var outputFormat: String?

  @Option(
    help: """
      Matrix of a film that is written. (default: that of INPUT; for red, green and blue bt2020 with the primaries of \
      BT.2020, else bt709)
      """)
  var outputMatrix: ColorMatrix?

  @Option(help: "Range of a film that is written. (default: that of INPUT; limited for red, green and blue)")
  var outputRange: ColorRange?

  @Flag(help: "Write a film file that loses nothing: FFV1 in .mkv, .avi and .nut, or what another kind has for it.")
  var lossless = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "ffmpeg's options for a film file, as one argument: '-c:v libx265 -crf 20'.", valueName: "options"))
  var encoder: String?

  func validate() throws {
    try VideoInputArguments.check("--output-matrix", outputMatrix)
    try VideoInputArguments.check("--output-range", outputRange)
    if lossless && encoder != nil {
      throw ValidationError("--lossless and --encoder both say how the film is encoded; leave one of them out")
    }
  }

  /// Refuses options that a run from `inputs` to `output` would ignore; no films and nil stand for PNG files.
  func refuseUnused(from inputs: [VideoInput], to output: VideoOutput?) throws {
    try input.refuseUnused(from: inputs, to: output)
    let isEncoded = if case .ffmpeg? = output { true } else { false }
    try VideoInputArguments.refuse([
      ("--output-format", outputFormat != nil && !writesPNG, output != nil, "a film that goes out"),
      ("--output-matrix", outputMatrix != nil, output != nil, "a film that goes out"),
      ("--output-range", outputRange != nil, output != nil, "a film that goes out"),
      ("--lossless", lossless, isEncoded, "a film that ffmpeg writes"),
      ("--encoder", encoder != nil, isEncoded, "a film that ffmpeg writes"),
    ])
  }

  /// True if a PNG is asked for on standard output, which has no extension that says so.
  var writesPNG: Bool { outputFormat == "png" }

  var encoding: FFmpegEncoding {
    FFmpegEncoding(arguments: encoder.map { $0.split(separator: " ").map(String.init) }, isLossless: lossless)
  }
}
