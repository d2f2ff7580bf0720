import SafelightImage

/// The kinds of film files that are written, by file extension, with their default encoders.
enum VideoContainer: String, CaseIterable {
  case mp4, m4v, mov, mkv, webm, avi, nut, ts

  /// The kind of the file at `path`; nil for other file extensions.
  init?(path: String) { self.init(rawValue: PathParts(path).fileExtension) }

  /// ffmpeg's name of the container, needed because the unfinished file has another extension.
  var muxer: String {
    switch self {
    case .m4v: "mp4"
    case .mkv: "matroska"
    case .ts: "mpegts"
    default: rawValue
    }
  }

  /// True if every frame has a time of its own. AVI has a rate, and would hold empty frames between those of another.
  var keepsTimes: Bool { self != .avi }
  /// True if the container holds how long the last frame is shown. Others hold times or a rate alone.
  var keepsLastDuration: Bool { [.mp4, .m4v, .mov, .mkv, .webm].contains(self) }
  /// The ticks of its clock if those are so few that frames may share one; nil for others.
  var ticksPerSecond: Double? { [.mkv, .webm].contains(self) ? 1000 : nil }
  /// Returns the shape of the pixels of a film of `size` as it records `shape`.
  func pixelAspect(_ shape: PixelAspect, of size: Size) -> PixelAspect {
    // WebM has the columns and rows to show it in.
    let columns = (Double(size.width) * Double(shape.width) / Double(shape.height)).rounded()
    return self == .webm && columns >= 1 ? PixelAspect(reducing: Int128(columns), Int128(size.width)) : shape
  }
  /// True if the container records the meaning of samples when the encoder does not.
  var keepsColor: Bool { ![.avi, .nut].contains(self) }
  /// Returns the facts of `format` that such a film records, through ffmpeg.
  func kept(of format: VideoFormat) -> [VideoFacts.Kind] {
    format.facts.kinds.filter { kind in
      switch kind {
      // Through a pipe whose sizes have 16 bits.
      case .mastering, .contentLight:
        ![.avi, .nut, .ts].contains(self) && max(format.size.width, format.size.height) <= 65535
      case .dynamicLight: false
      // QuickTime counts it in frames, so they must be even; others keep any text.
      case .timecode: self != .ts && (!isQuickTime || format.frameDuration != nil && format.facts.isTimecodeCounted)
      case .title: self != .ts
      // QuickTime has codes of three letters.
      case .language:
        ![.avi, .ts].contains(self)
          && (!isQuickTime || format.facts.language?.wholeMatch(of: /[a-z]{3}/) != nil)
      }
    }
  }

  private var isQuickTime: Bool { [.mp4, .m4v, .mov].contains(self) }

  /// Options of the container that put the index first, so that players need not wait for the end.
  var arguments: [String] { isQuickTime ? ["-movflags", "+faststart"] : [] }

  func encoder(isLossless: Bool) -> VideoEncoder {
    switch self {
    case .webm:
      VideoEncoder("libvpx-vp9", isLossless ? ["-lossless", "1"] : ["-crf", "24", "-b:v", "0", "-row-mt", "1"])
    case .mkv where isLossless, .avi where isLossless, .nut:
      VideoEncoder("ffv1", ["-g", "1"])
    case .avi: VideoEncoder("mpeg4", ["-q:v", "2"])
    default: VideoEncoder("libx264", isLossless ? ["-qp", "0"] : ["-crf", "18"])
    }
  }
}

struct VideoEncoder {
  let name: String
  private let arguments: [String]

  init(_ name: String, _ options: [String]) {
    self.name = name
    arguments = ["-c:v", name] + options
  }

  /// ffmpeg's options of the encoder for pictures of `size`.
  func arguments(for size: Size) -> [String] {
    guard name == "ffv1" else { return arguments }
    // Level 3 divides pictures into slices: up to 63 columns of up to 32 rows, by libavcodec/ffv1enc.c. It misnumbers
    // those that are one pixel wide or high, which then read as zeros, and does not divide some small pictures at all.
    return arguments + (min(size.width, size.height) < 64 ? ["-level", "1"] : ["-level", "3", "-slicecrc", "1"])
  }

  /// ffmpeg's option for the pixels to encode, if they differ from `layout`: without the alpha of opaque frames.
  func pixels(_ layout: PixelLayout, isOpaque: Bool) -> [String] {
    guard name == "ffv1", isOpaque, layout.planeFormats[0].samplesPerPixel == 4 else { return [] }
    return ["-pix_fmt", layout.depth == .bits8 ? "bgr0" : "gbrp16le"]
  }

  /// True if it takes pictures of `size`: H.264 needs whole pairs of pixels that share chroma.
  func holds(_ size: Size, _ layout: PixelLayout) -> Bool {
    guard name == "libx264", let step = layout.yCbCr?.subsampling.step else { return true }
    return size.width % step.width == 0 && size.height % step.height == 0
  }

  /// True if it takes frames of `layout` unconverted.
  func holds(_ layout: PixelLayout) -> Bool {
    guard let planes = layout.yCbCr else {
      // Others would have to compute chroma, or their films could not be played everywhere.
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
