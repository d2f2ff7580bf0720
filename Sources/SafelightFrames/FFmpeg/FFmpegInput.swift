public import SafelightImage

/// What ffmpeg is to read.
public enum FFmpegInput: Hashable, Sendable {
  /// A film at a path.
  case file(String)
  /// A stream at an address, `rtsp://camera.local/1`. What stands in it before `@` and behind `?` is kept out of every
  /// message; the machine's other users still see it among ffmpeg's arguments.
  case stream(String)
  /// A camera, `/dev/video0`, through Video4Linux; with the size and the frames a second to ask it for.
  case camera(String, size: Size? = nil, framesPerSecond: Int? = nil)
  /// A picture that ffmpeg makes by itself, as a filter graph of its own: `testsrc2=size=640x480:rate=30`.
  case lavfi(String)

  /// As messages call it.
  var name: String {
    switch self {
    case .file(let path): path
    case .stream(let address): AddressText.withoutSecrets(address)
    case .camera(let path, _, _): path
    case .lavfi(let graph): "lavfi \(graph)"
    }
  }

  /// True where it is to be whole: streams and cameras are joined in the middle, and ffmpeg complains of that.
  var isWhole: Bool {
    switch self {
    case .file, .lavfi: true
    case .stream, .camera: false
    }
  }

  /// True for a file of a single picture, by the end of its name.
  var isPicture: Bool {
    guard case .file(let path) = self else { return false }
    return FilmInput.isPicture(path)
  }

  /// The options that open it.
  package var arguments: [String] {
    switch self {
    // Or "a:b.mov" would be an address, and "-i" an option.
    case .file(let path): ["-i", "file:\(path)"]
    case .stream(let address): ["-i", address]
    case .camera(let path, let size, let rate):
      ["-f", "v4l2"] + (size.map { ["-video_size", "\($0.width)x\($0.height)"] } ?? [])
        + (rate.map { ["-framerate", "\($0)"] } ?? []) + ["-i", path]
    case .lavfi(let graph): ["-f", "lavfi", "-i", graph]
    }
  }

  /// Refuses what cannot be there, before a process is started for it.
  func check() throws(SafelightError) {
    switch self {
    case .file(let path), .camera(let path, _, _):
      guard let status = FileStatus(path) else {
        throw SafelightError(.missingInput, path, why: "no such file or device", remedy: "check the name")
      }
      if status.kind == .folder {
        throw SafelightError(
          .missingInput, path, why: "it is a folder",
          remedy: "name a film, or open its pictures as a FrameSequenceSource")
      }
    case .stream(let address):
      guard let scheme = address.firstIndex(of: ":"), scheme != address.startIndex,
        address[scheme...].hasPrefix("://"), address.first?.isLetter == true
      else {
        throw SafelightError(
          .usage, name, why: "it is no address", remedy: "write one such as rtsp://host/path, or open it as a file")
      }
    case .lavfi(let graph):
      guard !graph.isEmpty else {
        throw SafelightError(.usage, "lavfi", why: "the graph is empty", remedy: "write one such as testsrc2=rate=30")
      }
    }
  }
}

/// Addresses as they may be shown.
package enum AddressText {
  /// What stands between the host and the query of `address`.
  static func path(of address: String) -> Substring {
    let rest = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
    let path = rest.prefix { $0 != "?" && $0 != "#" }
    return path.firstIndex(of: "/").map { path[$0...] } ?? ""
  }

  /// `text` with the names and passwords, and the queries, of all addresses in it left out.
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

/// How ffmpeg is to deliver its frames: the counterpart of a reader's output settings.
public struct FFmpegOptions: Hashable, Sendable {
  /// The planes asked for; nil: those that are nearest to how the track is stored. YCbCr comes in three planes of 8, 10, 12 or 16 bits then, grey
  /// as grey, all else as red, green, blue and alpha.
  ///
  /// They must suit the track, or opening it throws; a layout suits when it loses nothing:
  /// - 8-bit layouts suit tracks of up to 8 bits, those of 10 and 16 bits suit up to so many;
  /// - layouts of luma and chroma suit YCbCr tracks of the same subsampling alone, whose samples they deliver untouched
  ///   where the bits are the same;
  /// - grey layouts suit grey tracks; layouts without alpha suit tracks without.
  ///
  /// YCbCr tracks become red, green, blue by the matrix and the range that their tags name.
  public var layout: PixelLayout?
  /// Scales the frames to this size, by ffmpeg's bicubic filter; nil: as they are. In either case all must have the size of their track.
  public var size: Size?
  /// The range of YCbCr frames; nil: that of the track. Anything else stretches or compresses their samples.
  public var range: ColorRange?
  /// Delivers whatever can be made of the track, also where `layout` loses some of it.
  public var allowsLoss: Bool
  /// Delivers frames at the pace of their times, as a camera would, instead of as fast as they are asked for.
  public var isPaced: Bool
  /// How often a film is played; 0: without end. Its times go on growing.
  public var playCount: Int
  /// Ends after so many frames.
  public var frameLimit: Int?
  /// Delivers frames turned upright, by their samples' places, with the orientation `up`; else as they are stored.
  public var turnsUpright: Bool
  /// The matrix of YCbCr tracks that do not name one, nil: as players take it, by the size; frames that stay YCbCr say `unspecified` nonetheless. Also the one by
  /// which red, green and blue become YCbCr, where that is allowed.
  public var untaggedMatrix: ColorMatrix?
  /// The range of YCbCr tracks that do not name one; frames that stay YCbCr say `unspecified` nonetheless.
  public var untaggedRange: ColorRange
  /// The folder of the programs `ffmpeg` and `ffprobe`; nil: wherever `PATH` has them.
  public var programFolder: String?

  /// Frames as they are, in `layout`, as fast as they are asked for.
  public init(
    layout: PixelLayout? = .bgra8, size: Size? = nil, range: ColorRange? = nil, allowsLoss: Bool = false,
    isPaced: Bool = false, playCount: Int = 1, frameLimit: Int? = nil, turnsUpright: Bool = false,
    untaggedMatrix: ColorMatrix? = .bt601, untaggedRange: ColorRange = .limited, programFolder: String? = nil
  ) {
    self.layout = layout
    self.size = size
    self.range = range
    self.allowsLoss = allowsLoss
    self.isPaced = isPaced
    self.playCount = playCount
    self.frameLimit = frameLimit
    self.turnsUpright = turnsUpright
    self.untaggedMatrix = untaggedMatrix
    self.untaggedRange = untaggedRange
    self.programFolder = programFolder
  }

  func check() throws(SafelightError) {
    func refused(_ why: String, _ remedy: String) -> SafelightError {
      SafelightError(.usage, "ffmpeg options", why: why, remedy: remedy)
    }
    if let size, size.isEmpty { throw refused("a size of \(size) has no pixels", "ask for 1×1 or more") }
    if let frameLimit, frameLimit < 1 { throw refused("a limit of \(frameLimit) frames", "ask for 1 or more") }
    if playCount < 0 { throw refused("a play count of \(playCount)", "ask for 1 or more, or for 0, without end") }
    if let layout, range != nil && !layout.isYCbCr {
      throw refused("a range for \(layout), which is always full", "leave it out")
    }
    if untaggedRange == .unspecified {
      throw refused("no range in place of a missing one", "ask for .full or .limited")
    }
    if range == .unspecified { throw refused("an unspecified range", "ask for .full, .limited or nil") }
    if let untaggedMatrix, ![.bt601, .bt709, .bt2020].contains(untaggedMatrix) {
      throw refused("\(untaggedMatrix) in place of a missing matrix", "name .bt601, .bt709 or .bt2020")
    }
  }
}
