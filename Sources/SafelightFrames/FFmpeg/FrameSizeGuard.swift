import SafelightImage

/// Makes ffmpeg end at the first frame that is not as large as its track announces, which its filters would scale in silence.
struct FrameSizeGuard {
  /// What the track announces.
  let size: Size

  /// A filter that lets frames of that size pass untouched and cannot be set up for others: then ffmpeg says how large they are.
  var filter: String {
    let sign = "if(eq(iw\\,\(size.width))*eq(ih\\,\(size.height))\\,1\\,-1)"
    return "crop=w=iw*\(sign):h=ih*\(sign):exact=1"
  }

  /// The size of the frame at which ffmpeg ended, by what it wrote; nil where it ended for another reason.
  func refusedSize(in lines: [String]) -> Size? {
    for line in lines {
      // libavfilter/vf_crop.c, config_input.
      guard let match = line.firstMatch(of: /non positive size for width '-(\d+)' or height '-(\d+)'/),
        let width = Int(match.1), let height = Int(match.2)
      else { continue }
      return Size(width, height)
    }
    return nil
  }
}
