internal import SafelightFrames
internal import SafelightImage
internal import SafelightKernels
internal import Synchronization

/// The pictures that a filter reads beside the frames, `with` in its call: one for all frames, or a sequence in step
/// with them by position.
final class SecondPictures: Sendable {
  private let filter: String
  private let path: String
  private let edge: Int
  /// The files of a sequence; empty for one picture.
  private let files: [String]
  /// The one picture, and its textures for the last kind of frames.
  private let one: Mutex<(image: Image, kind: Kind?, texture: TiledTexture?)?>

  private struct Kind: Hashable {
    let frame: ImageDescriptor
    let isPremultiplied: Bool
  }

  /// Finds the pictures that `call` names; one for all frames is read. Textures have at most `edge` columns and rows.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if it names none, and those of finding and reading them.
  init(of call: FilterCall, edge: Int) throws {
    filter = call.name
    self.edge = edge
    guard case .text(let path) = call["with"], !path.isEmpty else {
      throw SafelightError(
        .usage, "filter '\(call.name)'", why: "parameter 'with' is missing",
        remedy: "write \(call.name)=with=PATH with the path of a picture, or of a folder or pattern of them")
    }
    self.path = path
    let files = try Self.files(path)
    self.files = files.count == 1 ? [] : files
    one = Mutex(files.count == 1 ? (try InlineFile.picture(files[0]), nil, nil) : nil)
  }

  /// Returns the files that `path` names.
  ///
  /// - Throws: ``SafelightError`` of finding them, and of kind `unsupported` if a number is missing between theirs, by
  ///   which all behind it would go with other frames.
  private static func files(_ path: String) throws -> [String] {
    if path.hasPrefix("data:") { return [path] }
    let list = try FrameList([path])
    if let gap = try list.gaps().first {
      throw SafelightError(
        .unsupported, gap.path, why: "it is missing in the sequence \(path), which goes with the frames by position",
        remedy: "put a picture there, or renumber the others")
    }
    return list.frames.map(\.path)
  }

  /// True if each frame has a picture of its own.
  var isSequence: Bool { !files.isEmpty }

  /// Checks that there is a picture for the frame at `position`.
  func check(_ position: Int) throws(SafelightError) {
    guard isSequence, position >= files.count else { return }
    throw SafelightError(
      .unsupported, "filter '\(filter)'",
      why: "\(path) holds \(files.count) pictures, and there are frames up to position \(position + 1)",
      remedy: "name as many pictures as there are frames, one picture for all, or fewer frames")
  }

  /// Returns the textures of the picture for `frame`, which is like `image`; premultiplied if `isPremultiplied`.
  ///
  /// - Throws: ``SafelightError`` of reading a file, and of kind `unsupported` if the picture does not suit the frame
  ///   or there is none.
  func texture(
    for frame: FrameIdentity, like image: ImageDescriptor, isPremultiplied: Bool
  ) throws -> TiledTexture {
    let kind = Kind(frame: image, isPremultiplied: isPremultiplied)
    let same: TiledTexture? = try one.withLock { one in
      guard let known = one else { return nil }
      if known.kind == kind, let texture = known.texture { return texture }
      let texture = try texture(of: known.image, kind)
      one = (known.image, kind, texture)
      return texture
    }
    if let same { return same }
    guard let position = frame.position else {
      throw SafelightError(
        .unsupported, "filter '\(filter)'", why: "\(path) is a sequence, and \(frame.name) stands alone",
        remedy: "name one picture")
    }
    try check(position)
    return try texture(of: InlineFile.picture(files[position]), kind)
  }

  private func texture(of image: Image, _ kind: Kind) throws(SafelightError) -> TiledTexture {
    let second = try image.second(of: kind.frame, for: filter, isPremultiplied: kind.isPremultiplied)
    return TiledTexture(second, edge: edge, label: "second picture")
  }
}
