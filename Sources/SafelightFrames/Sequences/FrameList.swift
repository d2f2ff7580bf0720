import SafelightImage

/// The frames that a person means by naming files, folders and patterns, in their order.
///
/// Every process that names the same inputs gets the same list, so parts of it can be shared out.
public struct FrameList: Hashable, Sendable {
  /// A number that the names of a sequence skip.
  public struct Gap: Hashable, Sendable {
    /// The file that would have it.
    public let path: String
    /// The index of the frame behind it.
    public let next: Int
  }

  /// The frames; never empty.
  public let frames: [Frame]
  /// What is missing between frames of one folder whose names count.
  public let gaps: [Gap]
  /// Pipes, sockets and devices that lie among the frames, and have names as they do.
  public let passedOver: [String]

  /// Finds the frames of `inputs`: PNG files, folders of PNG files, printf patterns (`shot.%04d.png`) and globs
  /// (`shots/*/a?.png`). A name that exists is taken literally.
  ///
  /// The inputs follow one another as given. What a folder, a pattern or a glob holds is ordered naturally, `frame9`
  /// before `frame10`. Where `isRecursive`, folders hold what is in their folders too.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where nothing is found, `unsupported` for video, `usage` for an
  /// invalid pattern or for no inputs at all.
  public init(_ inputs: [String], isRecursive: Bool = false) throws {
    let found = try inputs.map { try FrameInput($0, isRecursive: isRecursive) }
    guard !found.isEmpty else {
      throw SafelightError(.usage, "frames", why: "no input is given", remedy: "name a PNG file, a folder or a pattern")
    }
    let paths = found.flatMap { input in
      input.paths.enumerated().map { (path: $1, place: input.places?[$0]) }
    }
    let numbers = found.count == 1 ? found[0].numbers : nil
    frames = paths.enumerated().map { Frame(index: $0, number: numbers?[$0] ?? $0 + 1, path: $1.path, place: $1.place) }
    passedOver = found.flatMap(\.passedOver)
    gaps = Self.gaps(among: frames)
  }

  /// Looks at neighbors that lie in one folder.
  private static func gaps(among frames: [Frame]) -> [Gap] {
    var gaps: [Gap] = []
    var rest = frames[...]
    while let first = rest.first {
      let folder = PathParts(first.path).prefix
      let neighbors = rest.prefix { PathParts($0.path).prefix == folder }
      gaps += FrameNumbering.gaps(among: neighbors.map(\.name)).map {
        Gap(path: folder + $0.name, next: neighbors.startIndex + $0.next)
      }
      rest = rest[neighbors.endIndex...]
    }
    return gaps
  }

  /// The gaps between two frames of which both are among `chosen`.
  public func gaps(within chosen: [Frame]) -> [Gap] {
    let places = Set(chosen.map(\.index))
    return gaps.filter { places.contains($0.next) && places.contains($0.next - 1) }
  }

  /// The frames that `selection` takes; they keep their index and number.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where the list is shorter than the selection.
  public func selecting(_ selection: FrameSelection) throws -> [Frame] {
    try selection.indices(count: frames.count).map { frames[$0] }
  }
}
