/// How ffmpeg is to encode a film.
public struct FFmpegEncoding: Hashable, Sendable {
  /// Options between input and output, such as `["-c:v", "libx265", "-crf", "20"]`; with them ffmpeg decides what it makes of the pixels. Nil:
  /// H.264 (`libx264 -crf 18`) in mp4, m4v, mov, mkv and ts, VP9 in webm, MPEG-4 in avi, FFV1 in nut, in the layout of the frames.
  public var arguments: [String]?
  /// Nothing is lost: FFV1 in mkv, avi and nut, H.264 and VP9 in their lossless ways in others. Does not go with `arguments`.
  public var isLossless: Bool
  /// The folder of the program `ffmpeg`; nil: wherever `PATH` has it.
  public var programFolder: String?

  /// What suits the name of the film.
  public init(arguments: [String]? = nil, isLossless: Bool = false, programFolder: String? = nil) {
    self.arguments = arguments
    self.isLossless = isLossless
    self.programFolder = programFolder
  }
}
