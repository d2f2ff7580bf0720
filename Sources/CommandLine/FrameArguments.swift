import ArgumentParser

/// What a run reads and where it writes.
struct FrameArguments: ParsableArguments {
  @Argument(
    help:
      """
      PNG files, folders of them, printf patterns (shot.%04d.png) or quoted globs, one after the other as they are named; or films and \
      pictures that ffmpeg opens: files, addresses, cameras, .y4m; or - for Y4M or a PNG on standard input.
      """, completion: .file())
  var inputs: [String] = []

  @Option(
    name: .shortAndLong,
    help:
      """
      A folder (names are kept, a film's frames are named after it), a printf pattern (numbers are those of an \
      input pattern, else the place of the frame in the input, from 1), for one frame a .png file; or a film: .mp4, \
      .mkv, .mov, .webm, .y4m, or - for Y4M on \
      standard output (--output-format png: one PNG). Films that are written have pictures alone: sound and subtitles of the input are left out.
      """, completion: .file())
  var output: String
}
