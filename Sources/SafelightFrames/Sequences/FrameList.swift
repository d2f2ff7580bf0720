public import SafelightImage

/// The frames of the files, folders and patterns named on a command line, in order.
///
/// Every process that names the same inputs gets the same list, so its parts can be shared among processes.
public struct FrameList: Hashable, Sendable {
  /// A number that is missing from the names of a sequence.
  public struct Gap: Hashable, Sendable {
    /// The path of the missing file.
    public let path: String
    /// The indices of the sequence's frames around it.
    public let previous, next: Int
    /// The index of the frame that it would precede, which may be of another sequence.
    public let place: Int
  }

  /// The frames; never empty.
  public let frames: [Frame]
  /// Pipes, sockets and devices among the frames, with names like theirs.
  public let passedOver: [String]
  /// Files of the named folders and globs that are other pictures or films, by their extensions.
  public let otherKinds: [String]
  /// Folders of PNG files in the named folders and globs, if subfolders are not searched.
  public let innerFolders: [String]

  /// Finds the frames of `inputs`: PNG files, folders of PNG files, printf patterns (`shot.%04d.png`), globs
  /// (`shots/*/a?.png`), and `-` for one PNG on standard input. A name that exists is taken literally.
  ///
  /// The inputs follow one another as given. The files of a folder, a pattern or a glob are in natural order, `frame9`
  /// before `frame10`. If `isRecursive`, folders include the files of their folders.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if nothing is found, `unsupported` for video, `usage` for an
  ///   invalid pattern or for no inputs at all.
  public init(_ inputs: [String], isRecursive: Bool = false) throws {
    let found = try inputs.map { try SequenceInput($0, isRecursive: isRecursive) }
    try ensure(
      !found.isEmpty, .usage, "frames", why: "no input is given", remedy: "name a PNG file, a folder or a pattern")
    let paths = found.flatMap { input in
      input.paths.enumerated().map { (path: $1, place: input.places?[$0]) }
    }
    let numbers = found.count == 1 ? found[0].numbers : nil
    frames = paths.enumerated().map { Frame(index: $0, number: numbers?[$0] ?? $0 + 1, path: $1.path, place: $1.place) }
    passedOver = found.flatMap(\.passedOver)
    otherKinds = found.flatMap(\.otherKinds)
    innerFolders = found.flatMap(\.innerFolders)
  }

  /// Returns the numbers missing between frames of one folder, among `chosen` or all frames.
  ///
  /// Names count as numbered if most of them are consecutive; if `literally`, any names that differ in one number do.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if `literally` and nearly all of the numbers are missing.
  public func gaps(within chosen: [Frame]? = nil, literally: Bool = false) throws(SafelightError) -> [Gap] {
    let gaps = try Self.gaps(of: frames, literally: literally)
    guard let chosen else { return gaps }
    let places = Set(chosen.map(\.index))
    return gaps.filter { places.contains($0.next) && places.contains($0.previous) }
  }

  /// Returns the numbers missing between `frames`, a whole sequence.
  package static func gaps(of frames: [Frame], literally: Bool = false) throws(SafelightError) -> [Gap] {
    var gaps: [Gap] = []
    for (folder, neighbors) in folders(of: frames) {
      for gap in try FrameNumbering.gaps(among: neighbors.map(\.name), literally: literally) {
        let (previous, next) = (neighbors.startIndex + gap.previous, neighbors.startIndex + gap.next)
        let place = (previous + 1..<next).first {
          NaturalOrder.precedes(Array(gap.name.utf8), Array(frames[$0].name.utf8))
        }
        gaps.append(Gap(path: folder + gap.name, previous: previous, next: next, place: place ?? next))
      }
    }
    return gaps
  }

  /// Returns the names of frames among `chosen` that have the same number, since one is padded with more zeros.
  package func sharedNumbers(within chosen: [Frame]) -> [(String, String)] {
    Self.folders(of: chosen).flatMap { _, neighbors in
      FrameNumbering.shared(among: neighbors.map(\.name))
        .map { (neighbors[neighbors.startIndex + $0].path, neighbors[neighbors.startIndex + $1].path) }
    }
  }

  /// The first frame of a folder among `chosen` whose names show no gaps, since two of their numbers change with each;
  /// nil if there is none.
  package func uncounted(within chosen: [Frame]) -> String? {
    for (_, neighbors) in Self.folders(of: chosen) {
      if let place = FrameNumbering.uncounted(among: neighbors.map(\.name)) {
        return neighbors[neighbors.startIndex + place].path
      }
    }
    return nil
  }

  /// Returns the runs of frames that lie in one folder, each with the beginning of their paths.
  private static func folders(of frames: [Frame]) -> [(folder: String, neighbors: ArraySlice<Frame>)] {
    var folders: [(folder: String, neighbors: ArraySlice<Frame>)] = []
    var rest = frames[...]
    while let first = rest.first {
      let folder = PathParts(first.path).prefix
      let neighbors = rest.prefix { PathParts($0.path).prefix == folder }
      folders.append((folder, neighbors))
      rest = rest[neighbors.endIndex...]
    }
    return folders
  }

  /// Returns the list with its last frame again, under the numbers and indices that follow, so that it holds at least
  /// `count` frames.
  package func holdingLast(upTo count: Int) -> FrameList {
    guard let last = frames.last, count > frames.count else { return self }
    let more = (1...count - frames.count).map {
      Frame(index: last.index + $0, number: last.number + $0, path: last.path, place: last.place)
    }
    return FrameList(self, frames + more)
  }

  private init(_ list: FrameList, _ frames: [Frame]) {
    (self.frames, passedOver) = (frames, list.passedOver)
    (otherKinds, innerFolders) = (list.otherKinds, list.innerFolders)
  }

  /// Returns the frames of `selection`, which keep their index and number.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if a part of the selection holds no frame of the list.
  public func selecting(_ selection: FrameSelection) throws -> [Frame] {
    try selection.indices(count: frames.count).map { frames[$0] }
  }
}

/// One picture of a sequence.
public struct Frame: Hashable, Sendable {
  /// The index in the whole list, from 0.
  public let index: Int
  /// The number for an output pattern: the frame's own if the input was one pattern, else ``index`` + 1.
  public let number: Int
  /// The path of the file.
  public let path: String
  /// The path relative to the named folder, which a folder of outputs keeps.
  public let place: String

  /// Makes a frame; `place` is the file's name unless given.
  public init(index: Int, number: Int, path: String, place: String? = nil) {
    self.index = index
    self.number = number
    self.path = path
    self.place = place ?? PathParts(path).name
  }

  /// The file's name without its folder.
  public var name: String { PathParts(path).name }
}
