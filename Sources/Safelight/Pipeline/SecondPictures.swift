internal import SafelightFrames
internal import SafelightImage
internal import SafelightKernels
internal import Synchronization

/// The pictures that a filter reads beside the frames, `with` in its call: one for all frames, or a sequence in step
/// with them by position.
package final class SecondPictures: Sendable {
  private let filter: String
  private let path: String
  private let edge: Int
  /// The files of a sequence; empty for one picture.
  private let files: [Frame]
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
    let isInline = path.hasPrefix("data:")
    let found = isInline ? [] : try FrameList([path]).frames
    let isOne = isInline || isFile(path)
    files = isOne ? [] : found
    one = Mutex(isOne ? (try InlineFile.picture(path), nil, nil) : nil)
  }

  /// True if each frame has a picture of its own.
  var isSequence: Bool { !files.isEmpty }

  /// Checks that there are pictures for the frames of `sequence` up to the one at `last`, and that up to there numbers
  /// are missing at the same places of both. A film has no files and no last frame: of it only that none is missing.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported`.
  func check(_ sequence: [Frame], upTo last: Int?) throws(SafelightError) {
    guard isSequence else { return }
    if let last { try check(last) }
    let (own, others) = (try FrameList.gaps(of: files).map(\.next), try FrameList.gaps(of: sequence).map(\.next))
    let count = min(files.count, sequence.isEmpty ? .max : sequence.count, last.map { $0 + 1 } ?? .max)
    // Each is the place behind a missing number, from the front.
    let common = zip(own, others).prefix { $0 == $1 }.count
    guard let next = [own, others].compactMap({ $0.dropFirst(common).first }).min(), next < count else { return }
    let frame = sequence.isEmpty ? "frame \(next + 1)" : sequence[next].name
    throw SafelightError(
      .unsupported, "filter '\(filter)'",
      why: "before \(frame) or before \(files[next].path) a number is missing, and not in the other sequence, so that "
        + "by position others would go together",
      remedy: "use sequences with the same numbers, or renumber one of them")
  }

  private func check(_ position: Int) throws(SafelightError) {
    guard position >= files.count else { return }
    throw SafelightError(
      .unsupported, "filter '\(filter)'",
      why: "\(path) holds \(files.count) \(files.count == 1 ? "picture" : "pictures"), and there are frames up to "
        + "position \(position + 1)",
      remedy: "name as many pictures as there are frames, a single file for all, or fewer frames")
  }

  /// Checks the second pictures of `calls` for the frames of `sequence` up to the one at `last`.
  package static func check(_ calls: [FilterCall], for sequence: [Frame], upTo last: Int?) throws {
    for call in calls where call["with"] != nil {
      try SecondPictures(of: call, edge: .max).check(sequence, upTo: last)
    }
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
      let texture = try texture(of: known.image, InlineFile.name(path), kind)
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
    let file = files[position].path
    return try texture(of: InlineFile.picture(file), file, kind)
  }

  private func texture(of image: Image, _ name: String, _ kind: Kind) throws(SafelightError) -> TiledTexture {
    do throws(SafelightError) {
      let second = try image.second(of: kind.frame, for: filter, isPremultiplied: kind.isPremultiplied)
      return TiledTexture(second, edge: edge, label: "second picture")
    } catch {
      throw SafelightError(error.kind, "\(error.what) with \(name)", why: error.why, remedy: error.remedy)
    }
  }
}
