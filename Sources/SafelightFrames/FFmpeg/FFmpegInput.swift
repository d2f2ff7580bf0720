public import SafelightImage

/// An input that ffmpeg reads.
public enum FFmpegInput: Hashable, Sendable {
  /// A file at a path.
  case file(String)
  /// A stream at an address, such as `rtsp://camera.local/1`.
  ///
  /// Messages leave out the parts before `@` and after `?`; the machine's other users still see them among ffmpeg's
  /// arguments.
  case stream(String)
  /// A Video4Linux camera such as `/dev/video0`, with the size and the frame rate to request.
  case camera(String, size: Size? = nil, framesPerSecond: Int? = nil)
  /// A picture that ffmpeg generates from a filter graph: `testsrc2=size=640x480:rate=30`.
  case lavfi(String)

  /// The name in messages.
  var name: String {
    switch self {
    case .file(let path), .camera(let path, _, _): path
    case .stream(let address): AddressText.withoutSecrets(address)
    case .lavfi(let graph): "lavfi \(graph)"
    }
  }

  /// True if it has a beginning and an end. Streams and cameras are joined in the middle, and ffmpeg complains of that.
  var isWhole: Bool {
    switch self {
    case .file, .lavfi: true
    case .stream, .camera: false
    }
  }

  /// ffmpeg's options that open the input.
  package var arguments: [String] {
    switch self {
    // Without `file:`, "a:b.mov" would be an address, and "-i" an option.
    case .file(let path):
      (Self.isPattern(path) ? ["-f", "image2", "-pattern_type", "none"] : []) + ["-i", "file:\(path)"]
    case .stream(let address): ["-i", address]
    case .camera(let path, let size, let rate):
      ["-f", "v4l2"] + (size.map { ["-video_size", "\($0.width)x\($0.height)"] } ?? [])
        + (rate.map { ["-framerate", "\($0)"] } ?? []) + ["-i", path]
    case .lavfi(let graph): ["-f", "lavfi", "-i", graph]
    }
  }

  /// Returns whether ffmpeg would take the path of a picture for a pattern, and read another file. ffmpeg opens AVIF
  /// and HEIF as films, whose paths are no patterns.
  private static func isPattern(_ path: String) -> Bool {
    path.contains(/%[0-9]*d/) && VideoInput.isPicture(path)
      && !["avif", "heic", "heif"].contains(PathParts(path).fileExtension)
  }

  /// Rejects inputs that cannot exist, before a process is started for them.
  func check() throws(SafelightError) {
    switch self {
    case .file(let path), .camera(let path, _, _):
      guard let status = FileStatus(path) else {
        throw SafelightError(.missingInput, path, why: "no such file or device", remedy: "check the name")
      }
      try ensure(
        status.kind != .folder, .missingInput, path, why: "it is a folder",
        remedy: "name a film, or open its pictures as a FrameSequenceSource")
      try ensure(
        status.kind != .file || status.byteCount > 0, .input, path, why: "the file is empty",
        remedy: "write or copy it again")
    case .stream(let address):
      guard let scheme = address.firstIndex(of: ":"), scheme != address.startIndex,
        address[scheme...].hasPrefix("://"), address.first?.isLetter == true
      else {
        throw SafelightError(
          .usage, name, why: "it is not an address", remedy: "write one such as rtsp://host/path, or open it as a file")
      }
    case .lavfi(let graph):
      try ensure(
        !graph.isEmpty, .usage, "lavfi", why: "the graph is empty", remedy: "write one such as testsrc2=rate=30")
    }
  }
}

/// Addresses as messages show them.
package enum AddressText {
  /// The part of `address` between the host and the query.
  static func path(of address: String) -> Substring {
    let rest = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
    let path = rest.prefix { $0 != "?" && $0 != "#" }
    return path.firstIndex(of: "/").map { path[$0...] } ?? ""
  }

  /// Returns `text` with user names, passwords and queries removed from all addresses in it.
  package static func withoutSecrets(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let found = rest.firstRange(of: "://") {
      result += rest[..<found.upperBound]
      rest = rest[found.upperBound...]
      let address = rest.prefix { !$0.isWhitespace && $0 != "'" && $0 != "\"" }
      rest = rest[address.endIndex...]
      let authority = address.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
      let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
      let path = address[authority.endIndex...].prefix { $0 != "?" }
      result += host + path + (path.endIndex == address.endIndex ? "" : "?…")
    }
    return result + rest
  }
}

/// The form in which ffmpeg delivers frames: the counterpart of a reader's output settings.
public struct FFmpegOptions: Hashable, Sendable {
  /// The layout of the frames; nil for the one nearest to the track's: YCbCr in three planes of 8, 10, 12 or 16 bits,
  /// gray as gray, all else as red, green, blue and alpha.
  ///
  /// Opening throws unless the layout suits the track, that is, loses nothing:
  /// - layouts of 8, 10 and 16 bits suit tracks of up to that many bits;
  /// - layouts of luma and chroma suit only YCbCr tracks of the same subsampling, whose samples they deliver unchanged
  ///   if the bits are the same;
  /// - gray layouts suit gray tracks; layouts without alpha suit tracks without alpha.
  ///
  /// YCbCr tracks become red, green and blue by the matrix and the range that their tags name.
  public var layout: PixelLayout?
  /// The size to scale frames to, with ffmpeg's bicubic filter; nil to keep theirs. In either case all frames must have
  /// the size of their track.
  public var size: Size?
  /// The range of YCbCr frames; nil for that of the track. Another range stretches or compresses their samples.
  public var range: ColorRange?
  /// True if `layout` may lose some of the track's data.
  public var allowsLoss: Bool
  /// True if frames arrive at the pace of their times, as from a camera, instead of as fast as they are consumed.
  public var isPaced: Bool
  /// The number of times that a film is played; 0 for endlessly. Its times continue to grow.
  public var playCount: Int
  /// The number of frames after which reading ends.
  public var frameLimit: Int?
  /// True if frames are turned upright by moving their samples, with the orientation `up`; otherwise they come as
  /// stored.
  public var turnsUpright: Bool
  /// True if the tag of a TIFF or WebP, which ffmpeg does not read, is the orientation of its picture.
  package var readsTags = false
  /// True if ffmpeg makes one picture of the two moments in each frame of an interlaced film (its filter bwdif), and of
  /// a film that does not say whether it is one.
  public var deinterlaces: Bool
  /// The matrix of YCbCr tracks that name none; nil for the one that players choose by the size. Frames that stay YCbCr
  /// still say `unspecified`. Also the matrix by which red, green and blue become YCbCr, if that is allowed.
  public var untaggedMatrix: ColorMatrix?
  /// The range of YCbCr tracks that name none; frames that stay YCbCr still say `unspecified`.
  public var untaggedRange: ColorRange
  /// True if the decoder of a film in a file stops at the first damage instead of concealing it, so that no frame
  /// before the error is wrong. Not for still pictures, some of whose decoders take an unknown tag for damage.
  public var stopsAtDamage: Bool
  /// The folder of the programs `ffmpeg` and `ffprobe`; nil to search `PATH`.
  public var programFolder: String?

  /// Makes options; by default frames come unscaled, in `layout`, as fast as they are consumed.
  public init(
    layout: PixelLayout? = .bgra8, size: Size? = nil, range: ColorRange? = nil, allowsLoss: Bool = false,
    isPaced: Bool = false, playCount: Int = 1, frameLimit: Int? = nil, turnsUpright: Bool = false,
    deinterlaces: Bool = false, untaggedMatrix: ColorMatrix? = .bt601, untaggedRange: ColorRange = .limited,
    stopsAtDamage: Bool = false, programFolder: String? = nil
  ) {
    self.stopsAtDamage = stopsAtDamage
    self.layout = layout
    self.size = size
    self.range = range
    self.allowsLoss = allowsLoss
    self.isPaced = isPaced
    self.playCount = playCount
    self.frameLimit = frameLimit
    self.turnsUpright = turnsUpright
    self.deinterlaces = deinterlaces
    self.untaggedMatrix = untaggedMatrix
    self.untaggedRange = untaggedRange
    self.programFolder = programFolder
  }

  func check() throws(SafelightError) {
    func refused(_ why: String, _ remedy: String) -> SafelightError {
      SafelightError(.usage, "ffmpeg options", why: why, remedy: remedy)
    }
    if let size, size.isEmpty { throw refused("a size of \(size) has no pixels", "ask for 1×1 or more") }
    if let frameLimit, frameLimit < 1 {
      throw refused("a limit of \(frameLimit) frames is too low", "ask for 1 or more")
    }
    if playCount < 0 {
      throw refused("a play count of \(playCount) is negative", "ask for 1 or more, or for 0 to repeat endlessly")
    }
    if let layout, range != nil && !layout.isYCbCr {
      throw refused("a range was given for \(layout), whose range is always full", "leave the range out")
    }
    if untaggedRange == .unspecified { throw refused("untaggedRange cannot be unspecified", "use .full or .limited") }
    if range == .unspecified { throw refused("the range cannot be unspecified", "use .full, .limited or nil") }
    if let untaggedMatrix, !untaggedMatrix.isConvertible {
      throw refused("untaggedMatrix cannot be \(untaggedMatrix)", "use .bt601, .bt709, .bt2020 or another linear one")
    }
  }
}
