import SafelightImage

/// The kinds of film files that are written, by the ends of their names, and what each is encoded with unless told
/// otherwise.
enum FilmContainer: String, CaseIterable {
  case mp4, m4v, mov, mkv, webm, avi, nut, ts

  /// The kind of the file at `path`; nil where its name ends otherwise.
  init?(path: String) { self.init(rawValue: PathParts(path).fileExtension) }

  /// ffmpeg's name: that of the file is another until it is whole.
  var muxer: String {
    switch self {
    case .m4v: "mp4"
    case .mkv: "matroska"
    case .ts: "mpegts"
    default: rawValue
    }
  }

  /// Whether every frame has a time of its own: AVI has a rate, and would hold empty frames between those of another.
  var keepsTimes: Bool { self != .avi }

  /// Whether it says what samples mean where the encoder does not.
  var keepsColor: Bool { ![.avi, .nut].contains(self) }

  /// Options of the container: the index stands first, so that players need not wait for the end.
  var arguments: [String] { [.mp4, .m4v, .mov].contains(self) ? ["-movflags", "+faststart"] : [] }

  /// What encodes in it.
  func encoder(isLossless: Bool) -> FilmEncoder {
    switch self {
    case .webm:
      FilmEncoder("libvpx-vp9", isLossless ? ["-lossless", "1"] : ["-crf", "24", "-b:v", "0", "-row-mt", "1"])
    case .mkv where isLossless, .avi where isLossless, .nut:
      FilmEncoder("ffv1", ["-level", "3", "-g", "1", "-slicecrc", "1"])
    case .avi: FilmEncoder("mpeg4", ["-q:v", "2"])
    default: FilmEncoder("libx264", isLossless ? ["-qp", "0"] : ["-crf", "18"])
    }
  }
}

/// An encoder of ffmpeg's.
struct FilmEncoder {
  let name: String
  let arguments: [String]

  init(_ name: String, _ options: [String]) {
    self.name = name
    arguments = ["-c:v", name] + options
  }

  /// The pixels to encode frames of `layout` as, where not as they are: without an alpha that they do not have.
  func pixels(_ layout: PixelLayout, isOpaque: Bool) -> [String] {
    guard name == "ffv1", isOpaque, layout.planeFormats[0].samplesPerPixel == 4 else { return [] }
    return ["-pix_fmt", layout.depth == .bits8 ? "bgr0" : "gbrp16le"]
  }

  /// Whether it takes pictures of `size`: H.264 has whole pairs where pixels share chroma.
  func holds(_ size: Size, _ layout: PixelLayout) -> Bool {
    guard name == "libx264", let step = layout.yCbCr?.subsampling.step else { return true }
    return size.width % step.width == 0 && size.height % step.height == 0
  }

  /// Whether it takes frames of `layout` as they are.
  func holds(_ layout: PixelLayout) -> Bool {
    guard let planes = layout.yCbCr else {
      // Others would have to make chroma, or leave players without it.
      return name == "ffv1"
    }
    guard !planes.isBiPlanar else { return false }
    switch name {
    case "ffv1": return true
    case "libx264": return planes.bits <= 10
    case "libvpx-vp9": return planes.bits <= 12
    default: return planes.bits == 8 && planes.subsampling == .yCbCr420
    }
  }
}
