import SafelightImage

/// The end of a film that is written.
struct FilmEnding {
  /// The times of the first and the last frame.
  let first: MediaTime
  let last: MediaTime
  /// How long the last frame is shown; nil if nobody knows.
  let duration: MediaTime?

  /// ffmpeg's options for a copy of the film `source` that says how long its last frame is shown.
  func arguments(copying source: String, to copy: String, _ container: FilmContainer) -> [String] {
    let (start, end) = (last.seconds - first.seconds, last.seconds - first.seconds + (duration?.seconds ?? 0))
    // The last packet in the order of decoding lasts as long, since MOV adds the durations up in that order.
    let isLast = "gte(PTS-STARTPTS+0.5,\(start)/TB)+eq(NEXT_PTS,NOPTS)"
    let stamps = "setts=pts=PTS:dts=DTS:duration='if(\(isLast),round(\(end)/TB)-(PTS-STARTPTS),DURATION)'"
    return ["-hide_banner", "-nostdin", "-loglevel", "error", "-xerror", "-y", "-i", source, "-map", "0:v"]
      + ["-c", "copy", "-bsf:v", stamps, "-fflags", "+bitexact"] + container.arguments
      + ["-f", container.muxer, copy]
  }
}
