import Glibc
import SafelightImage

/// A film as a command line's input.
public enum VideoInput: Hashable, Sendable {
  /// A plain stream of bytes: Y4M or raw samples.
  case stream(VideoLocation)
  /// An input that ffmpeg opens.
  case ffmpeg(FFmpegInput)

  /// The name in messages.
  public var name: String {
    switch self {
    case .stream(let location): location.name
    case .ffmpeg(let input): input.name
    }
  }

  /// The name for its frames: that of the file, or the last part of the address; `frame` if it has no name.
  package var stem: String {
    let name =
      switch self {
      case .stream(.file(let path)), .ffmpeg(.file(let path)), .ffmpeg(.camera(let path, _, _)): path
      case .ffmpeg(.stream(let address)): String(AddressText.path(of: address))
      case .stream(.descriptor), .ffmpeg(.lavfi): ""
      }
    let stem = PathParts(name).stem
    return stem.isEmpty ? "frame" : stem
  }

  /// True for a named pipe or device, which may never send anything.
  public var isPipe: Bool {
    guard case .stream(.file(let path)) = self else { return false }
    return FileStatus(path)?.kind == .special
  }

  /// True for a file of a single picture, by its file extension: a JPEG or TIFF, for example.
  public var isPicture: Bool {
    guard case .ffmpeg(.file(let path)) = self else { return false }
    return Self.isPicture(path)
  }

  static func isPicture(_ name: String) -> Bool { pictureKinds.contains(PathParts(name).fileExtension) }

  /// The file extensions of pictures that ffmpeg opens. GIF and APNG are not among them, since they may be animated.
  private static let pictureKinds: Set<String> = [
    "jpg", "jpeg", "jpe", "jp2", "jxl", "tif", "tiff", "bmp", "webp", "avif", "heic", "heif", "dpx", "exr", "hdr",
    "tga", "ppm", "pgm", "pbm", "pnm", "pam", "qoi", "sgi", "pcx",
  ]

  /// Returns whether `name` has the file extension of a picture or film that ffmpeg may open.
  static func isPictureOrFilm(_ name: String) -> Bool { isPicture(name) || VideoOutput.isFilmName(name) }

  /// Interprets a name: `-` for standard input unless it is a PNG, an address (`rtsp://…`), a camera (`/dev/video0`),
  /// a pipe, a file; nil for PNG files, folders, patterns and missing files. A file is a stream if it is Y4M or
  /// `isRaw`, else an input for ffmpeg.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a file with the extension of raw samples (`.rgb`, `.yuv`, …)
  ///   unless `isRaw`.
  public init?(_ text: String, isRaw: Bool = false) throws {
    if text == "-" {
      if try !isRaw && StandardInput.isPNG { return nil }
      self = .stream(.standardInput)
      return
    }
    if text.contains("://") {
      self = .ffmpeg(.stream(text))
      return
    }
    switch FileStatus(text)?.kind {
    case nil, .folder: return nil
    case .special: self = text.hasPrefix("/dev/video") ? .ffmpeg(.camera(text)) : .stream(.file(text))
    case .file:
      if isRaw || PathParts(text).fileExtension == "y4m" {
        self = .stream(.file(text))
        return
      }
      // A file is identified by its extension; without the usual one, by its first bytes.
      if SequenceInput.isPNGName(text) { return nil }
      let beginning = try readBeginning(text, count: 16)
      if PNGSignature.begins(beginning) { return nil }
      let isY4M = beginning.starts(with: Y4MHeader.magic.utf8)
      try ensure(
        isY4M || !VideoOutput.rawKinds.contains(PathParts(text).fileExtension), .usage, text,
        why: "its file extension is that of raw samples, whose size and layout are unknown",
        remedy: "give the file the extension of its format, or state its layout and size, such as rgb24 of 1920x1080",
        setting: .rawPixels)
      self = isY4M ? .stream(.file(text)) : .ffmpeg(.file(text))
    }
  }
}

/// A film as a command line's output.
public enum VideoOutput: Hashable, Sendable {
  /// Y4M.
  case y4m(VideoLocation)
  /// Raw samples.
  case raw(VideoLocation)
  /// A file that ffmpeg writes.
  case ffmpeg(String)

  static let rawKinds: Set<String> = ["raw", "rgb", "rgba", "yuv", "gray"]

  /// The file extensions of films that are written.
  static let kinds = ["y4m"] + FFmpegWriter.kinds + rawKinds.sorted()

  /// Returns whether `text` has the file extension of a film.
  static func isFilmName(_ text: String) -> Bool { kinds.contains(PathParts(text).fileExtension) }

  /// Interprets `text`: `-` for standard output, a pipe, or a file by its extension; nil for folders, patterns and
  /// other names. Streams are Y4M unless their extension is that of raw samples or `isRaw` is true.
  public init?(_ text: String, isRaw: Bool = false) {
    let kind = PathParts(text).fileExtension
    if text == "-" {
      self = isRaw ? .raw(.standardOutput) : .y4m(.standardOutput)
    } else if FileStatus(text)?.kind == .folder || FramePattern.isPattern(text) || text.hasSuffix("/") {
      return nil
    } else if Self.rawKinds.contains(kind) {
      self = .raw(.file(text))
    } else if kind == "y4m" {
      self = .y4m(.file(text))
    } else if FileStatus(text)?.kind == .special {
      self = isRaw ? .raw(.file(text)) : .y4m(.file(text))
    } else if FFmpegWriter.kinds.contains(kind) {
      self = .ffmpeg(text)
    } else {
      return nil
    }
  }

  /// The path of the file; nil for pipes and descriptors.
  public var path: String? {
    switch self {
    case .y4m(.file(let path)), .raw(.file(let path)), .ffmpeg(let path):
      FileStatus(path)?.kind == .special ? nil : path
    case .y4m, .raw: nil
    }
  }

  /// True if every frame has a time of its own; false if all are shown equally long.
  public var hasTimes: Bool {
    switch self {
    case .ffmpeg(let path): VideoContainer(path: path)?.keepsTimes ?? true
    case .y4m, .raw: false
    }
  }

  /// Creates the folder of the file.
  ///
  /// - Throws: ``SafelightError`` of kind `output` if it cannot be created.
  public func prepare() throws {
    if let path { try Folder.make(PathParts(path).folder) }
  }

  /// The name in messages.
  public var name: String {
    switch self {
    case .y4m(let location), .raw(let location): location.name
    case .ffmpeg(let path): path
    }
  }
}

/// The place of a film that is a plain stream of bytes.
public enum VideoLocation: Hashable, Sendable {
  /// A path. A file that is written appears whole or not at all; pipes and devices are written directly.
  case file(String)
  /// An open descriptor, which stays open, and its name in messages.
  case descriptor(Int32, name: String)

  /// Descriptor 0.
  public static let standardInput = VideoLocation.descriptor(0, name: "standard input")
  /// Descriptor 1.
  public static let standardOutput = VideoLocation.descriptor(1, name: "standard output")

  /// The name in messages.
  package var name: String {
    switch self {
    case .file(let path): path
    case .descriptor(_, let name): name
    }
  }
}

extension Size {
  /// Throws a ``SafelightError`` of kind `limit` if pictures of this size in the film `name` have more than `limit`
  /// pixels. Call it before memory is allocated for one.
  func check(within limit: Int, film name: String) throws(SafelightError) {
    guard area > limit else { return }
    throw SafelightError(
      .limit, name, why: "each of its pictures has \(self) = \(area) pixels; the limit is \(limit)",
      remedy: "if you trust the film, raise the limit", setting: .pixelLimit)
  }
}
