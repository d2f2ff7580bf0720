public import SafelightImage

/// The files that a run reads, which its outputs must not replace.
///
/// Compares files, not names: links and `./` give a file several names.
public struct InputFiles: Sendable {
  private var names: [FileStatus.Identity: String] = [:]

  /// Collects the files that exist at `paths`, and those of `films`, including one on standard input.
  public init(_ paths: [String], films: [VideoInput] = []) {
    for path in paths { add(path, FileStatus(path)) }
    for film in films { add(film.name, film.status) }
  }

  private mutating func add(_ name: String, _ status: FileStatus?) {
    // Pipes and devices hold nothing that could be lost.
    if let status, status.kind == .file { names[status.identity] = name }
  }

  /// Throws a ``SafelightError`` of kind `usage` if a file written to `path` would replace one of them.
  public func refuseOutput(_ path: String) throws(SafelightError) {
    if !names.isEmpty { try refuse(path, FileStatus(path)) }
  }

  /// Throws a ``SafelightError`` of kind `usage` if `film` would replace one of them.
  public func refuseOutput(_ film: VideoOutput) throws(SafelightError) { try refuse(film.name, film.status) }

  private func refuse(_ output: String, _ status: FileStatus?) throws(SafelightError) {
    guard let status, let input = names[status.identity] else { return }
    throw Self.error(output, replaces: input)
  }

  static func error(_ output: String, replaces input: String) -> SafelightError {
    SafelightError(
      .usage, output, why: "the output would replace the input \(input)",
      remedy: "write to another folder, or under another name")
  }
}

extension VideoLocation {
  fileprivate var status: FileStatus? {
    switch self {
    case .file(let path): FileStatus(path)
    case .descriptor(let descriptor, _): FileStatus(descriptor: descriptor)
    }
  }
}

extension VideoInput {
  /// The status of the file; nil for cameras, and for addresses other than `file:`.
  fileprivate var status: FileStatus? {
    switch self {
    case .stream(let location): location.status
    case .ffmpeg(.file(let path)): FileStatus(path)
    // ffmpeg takes everything after the colon for the path (libavformat/file.c).
    case .ffmpeg(.stream(let address)) where address.hasPrefix("file:"): FileStatus(String(address.dropFirst(5)))
    case .ffmpeg: nil
    }
  }
}

extension VideoOutput {
  fileprivate var status: FileStatus? {
    switch self {
    case .y4m(let location), .raw(let location): location.status
    case .ffmpeg(let path): FileStatus(path)
    }
  }
}
