import SafelightImage

extension SafelightError {
  /// Fields of two moments in one picture would be mixed wherever pixels share chroma, or a filter looks around. `tag` is how the film says it.
  static func interlaced(_ name: String, _ tag: String) -> SafelightError {
    SafelightError(
      .unsupported, name, why: "its pictures are interlaced (\(tag)): each holds two moments",
      remedy: "deinterlace it first: ffmpeg -i INPUT -vf bwdif -f yuv4mpegpipe -")
  }
}
