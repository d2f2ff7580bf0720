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
