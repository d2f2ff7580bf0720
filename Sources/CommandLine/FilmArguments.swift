public import ArgumentParser
public import Safelight

/// What films do not say of themselves, and how they are written.
struct FilmArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "INPUT is nothing but samples, such as rgba, rgb24, gray16le or yuv420p (ffmpeg's names); with --size.",
      valueName: "pixels"))
  var inputFormat: String?

  @Option(help: ArgumentHelp("Columns and rows of an INPUT that is nothing but samples.", valueName: "WxH"))
  var size: String?

  @Option(
    help: ArgumentHelp(
      "Frames a second where INPUT does not say it, and of a .y4m or raw film that is written: 25, 30000/1001. (default: 25 for pictures and samples)",
      valueName: "rate"))
  var frameRate: String?

  @Option(help: "Matrix of luma and chroma that do not say it: bt601, bt709 or bt2020. (default: by the size)")
  var matrix: ColorMatrix?

  @Option(help: "Range of luma and chroma that do not say it: limited or full. (default: limited)")
  var range: ColorRange?

  @Option(
    help: ArgumentHelp(
      "Pixels of a film that is written, by ffmpeg's names; red, green and blue (rgb24, rgba …) as nothing but samples where a stream is.",
      valueName: "pixels"))
  var outputFormat: String?

  @Option(help: "Matrix of a film that is written. (default: that of INPUT; bt709 for red, green and blue)")
  var outputMatrix: ColorMatrix?

  @Option(help: "Range of a film that is written. (default: that of INPUT; limited for red, green and blue)")
  var outputRange: ColorRange?

  @Flag(help: "Write a film file that loses nothing: FFV1 in .mkv.")
  var lossless = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Options of ffmpeg's for a film file, in one word: '-c:v libx265 -crf 20'.", valueName: "options"))
  var encoder: String?

  func validate() throws {
    if (inputFormat == nil) != (size == nil) {
      throw ValidationError("--input-format and --size describe an input that is nothing but samples; give both")
    }
    for (name, matrix) in [("--matrix", matrix), ("--output-matrix", outputMatrix)] {
      if let matrix, matrix.lumaWeights == nil {
        throw ValidationError("\(name) \(matrix): bt601, bt709 or bt2020 are known")
      }
    }
    for (name, range) in [("--range", range), ("--output-range", outputRange)] where range == .unspecified {
      throw ValidationError("\(name): limited or full")
    }
  }

  /// Refuses what a run from `input` to `output` would ignore; nil stands for pictures.
  func refuseUnused(from input: FilmInput?, to output: FilmOutput?) throws {
    let isStream = if case .stream? = input { true } else { false }
    let isEncoded = if case .ffmpeg? = output { true } else { false }
    let options = [
      ("--input-format", inputFormat != nil, isStream, "a stream or a file that comes in"),
      ("--matrix", matrix != nil, input != nil, "a film that comes in"),
      ("--range", range != nil, input != nil, "a film that comes in"),
      ("--frame-rate", frameRate != nil, isStream || output != nil, "a stream that comes in or a film that goes out"),
      ("--output-format", outputFormat != nil, output != nil, "a film that goes out"),
      ("--output-matrix", outputMatrix != nil, output != nil, "a film that goes out"),
      ("--output-range", outputRange != nil, output != nil, "a film that goes out"),
      ("--lossless", lossless, isEncoded, "a film that ffmpeg writes"),
      ("--encoder", encoder != nil, isEncoded, "a film that ffmpeg writes"),
    ]
    guard let (name, _, _, door) = options.first(where: { $0.1 && !$0.2 }) else { return }
    throw SafelightError(
      .usage, name, why: "it is for \(door), and here is none", remedy: "leave it out, or see what input and output are"
    )
  }

  /// How long a frame is shown; nil where nothing is said.
  func frameDuration() throws -> MediaTime? {
    guard let frameRate else { return nil }
    let parts = frameRate.split(separator: "/", omittingEmptySubsequences: false).map { Int32($0) }
    guard let frames = parts[0], frames > 0, parts.count <= 2, let seconds = parts.count == 2 ? parts[1] : 1,
      seconds > 0
    else {
      throw SafelightError(
        .usage, "--frame-rate \(frameRate)", why: "it is no number of frames", remedy: "write 25 or 30000/1001")
    }
    return MediaTime(value: Int64(seconds), timescale: frames)
  }

  /// The size of frames that are nothing but samples.
  func rawSize() throws -> Size {
    let parts = (size ?? "").split(separator: "x", omittingEmptySubsequences: false).map { Int32($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1], width > 0, height > 0 else {
      throw SafelightError(
        .usage, "--size \(size ?? "")", why: "it is no size of a picture",
        remedy: "write columns and rows, such as 1920x1080")
    }
    return Size(Int(width), Int(height))
  }

  var encoding: FFmpegEncoding {
    FFmpegEncoding(arguments: encoder.map { $0.split(separator: " ").map(String.init) }, isLossless: lossless)
  }
}

extension ColorMatrix: ExpressibleByArgument {
  /// Those that can be asked for.
  public static var allValueStrings: [String] { ["bt601", "bt709", "bt2020"] }
}
extension ColorRange: ExpressibleByArgument {
  /// Those that can be asked for.
  public static var allValueStrings: [String] { ["limited", "full"] }
}
