import Glibc
import SafelightImage

/// An input that is a film, as a person names it.
public enum FilmInput: Hashable, Sendable {
  /// A plain stream of bytes: Y4M, or nothing but samples.
  case stream(FilmPlace)
  /// What ffmpeg opens.
  case ffmpeg(FFmpegInput)

  /// As messages call it.
  public var name: String {
    switch self {
    case .stream(let place): place.name
    case .ffmpeg(let input): input.name
    }
  }

  /// What its frames are named after: the file, or the last part of the address; `frame` where it has no name.
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

  /// True for a pipe or a device with a name, which may be silent for ever.
  public var isPipe: Bool {
    guard case .stream(.file(let path)) = self else { return false }
    return FileStatus(path)?.kind == .special
  }

  /// True for a file of a single picture, by the end of its name: a JPEG or TIFF, for example.
  public var isPicture: Bool {
    guard case .ffmpeg(let input) = self else { return false }
    return input.isPicture
  }

  static func isPicture(_ name: String) -> Bool { pictureKinds.contains(PathParts(name).fileExtension) }

  /// The ends of names of pictures that ffmpeg opens. GIF and APNG are not among them: they may move.
  private static let pictureKinds: Set<String> = [
    "jpg", "jpeg", "jpe", "jp2", "jxl", "tif", "tiff", "bmp", "webp", "avif", "heic", "heif", "dpx", "exr", "hdr",
    "tga",
    "ppm", "pgm", "pbm", "pnm", "pam", "qoi", "sgi", "pcx",
  ]

  /// True for the name of a file that ffmpeg may open, by its end: a JPEG or an MP4, for example.
  static func isPictureOrFilm(_ name: String) -> Bool {
    isPicture(name) || FilmOutput.isFilmName(name)
  }

  /// Reads `text`: `-` for standard input unless a PNG comes there, an address (`rtsp://…`), a camera (`/dev/video0`), a pipe, a file; nil where it is none of these but
  /// perhaps pictures in PNG, a folder or a pattern. A file is a stream where it is Y4M or `isRaw`, and else something for ffmpeg.
  ///
  /// Throws a ``SafelightError`` of kind `usage` for a file named as samples alone (`.rgb`, `.yuv`, …) unless `isRaw`.
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
      // A file is taken by its name; without the usual one, by its first bytes.
      if FrameInput.isPNGName(text) { return nil }
      let beginning = try readBeginning(text, count: 16)
      if PNGSignature.begins(beginning) { return nil }
      let isY4M = beginning.starts(with: Y4MHeader.magic.utf8)
      guard isY4M || !FilmOutput.rawKinds.contains(PathParts(text).fileExtension) else { throw Self.samplesAlone(text) }
      self = isY4M ? .stream(.file(text)) : .ffmpeg(.file(text))
    }
  }
}

extension FilmInput {
  private static func samplesAlone(_ path: String) -> SafelightError {
    SafelightError(
      .usage, path, why: "by its name it is nothing but samples, and nothing says how they lie",
      remedy: "name it after what it is, or say it, such as rgb24 of 1920x1080", setting: .rawPixels)
  }
}

/// An output that is a film, as a person names it.
public enum FilmOutput: Hashable, Sendable {
  /// Y4M.
  case y4m(FilmPlace)
  /// Samples and nothing else.
  case raw(FilmPlace)
  /// A file that ffmpeg writes.
  case ffmpeg(String)

  /// The ends of names of files that are samples and nothing else.
  static let rawKinds: Set<String> = ["raw", "rgb", "rgba", "yuv", "gray"]

  /// The ends of names of films that are written, for messages.
  static var kinds: String {
    (["y4m"] + FFmpegWriter.kinds + rawKinds.sorted()).map { ".\($0)" }.joined(separator: ", ")
  }

  /// True where the end of the name `text` is that of a film.
  static func isFilmName(_ text: String) -> Bool {
    let kind = PathParts(text).fileExtension
    return kind == "y4m" || rawKinds.contains(kind) || FFmpegWriter.kinds.contains(kind)
  }

  /// Reads `text`: `-` for standard output, a pipe, or a file by the end of its name; nil where it is none of these but perhaps a folder or a
  /// pattern. Streams are Y4M unless their name says raw or `isRaw`.
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

  /// The file to be; nil for pipes and descriptors.
  public var path: String? {
    switch self {
    case .y4m(.file(let path)), .raw(.file(let path)), .ffmpeg(let path):
      FileStatus(path)?.kind == .special ? nil : path
    case .y4m, .raw: nil
    }
  }

  /// True where every frame has a time of its own; false where all are shown equally long.
  public var hasTimes: Bool {
    switch self {
    case .ffmpeg(let path): FilmContainer(path: path)?.keepsTimes ?? true
    case .y4m, .raw: false
    }
  }

  /// Makes the folder that the file is to lie in.
  ///
  /// Throws a ``SafelightError`` of kind `output` where it cannot be made.
  public func prepare() throws {
    if let path { try Folder.make(PathParts(path).folder) }
  }

  /// As messages call it.
  public var name: String {
    switch self {
    case .y4m(let place), .raw(let place): place.name
    case .ffmpeg(let path): path
    }
  }
}

/// Where a film that is a plain stream of bytes comes from or goes to.
public enum FilmPlace: Hashable, Sendable {
  /// A path. A file that is written appears whole or not at all; pipes and devices are written as they are.
  case file(String)
  /// An open descriptor, which stays open, and what messages call it.
  case descriptor(Int32, name: String)

  /// Descriptor 0.
  public static let standardInput = FilmPlace.descriptor(0, name: "standard input")
  /// Descriptor 1.
  public static let standardOutput = FilmPlace.descriptor(1, name: "standard output")

  /// As messages call it.
  package var name: String {
    switch self {
    case .file(let path): path
    case .descriptor(_, let name): name
    }
  }
}

extension Size {
  /// Throws a ``SafelightError`` of kind `limit` where a picture of the film `name` would have more than `limit` pixels; to be asked before
  /// memory is taken for one.
  func check(within limit: Int, film name: String) throws(SafelightError) {
    guard area > limit else { return }
    throw SafelightError(
      .limit, name, why: "its pictures have \(self) = \(area) pixels; \(limit) are accepted",
      remedy: "if that is right and the film is to be trusted, raise the limit", setting: .pixelLimit)
  }
}
