import SafelightFrames
import SafelightImage

/// Which picture of one sequence is compared with which of another, and which have none.
public struct FramePairing: Hashable, Sendable {
  /// Two pictures to be compared.
  public struct Pair: Hashable, Sendable {
    /// The place among the pairs, from 0.
    public let index: Int
    /// What people call it: `frame 17` where both sequences count, else the file's name.
    public let name: String
    /// The frame's number, where both sequences count.
    public let number: Int?
    /// The file that is right by definition.
    public let expected: String
    /// The file to be judged.
    public let actual: String

    /// True where both are one file, so that nothing can differ.
    public var isOneFile: Bool { SafelightFrames.isOneFile(expected, actual) }
  }

  /// A picture without a counterpart.
  public struct Unpaired: Hashable, Sendable {
    /// The file that is there, or for a gap in the numbers of both sides the expected one that should be.
    public let path: String
    /// Why it is named, without a full stop.
    public let why: String
  }

  /// In the order of the numbers, or of the expected names.
  public let pairs: [Pair]
  /// Expected pictures that no actual one stands against, and what neither side has where that was asked for.
  public let missing: [Unpaired]
  /// Actual pictures that nobody expects, and expected ones beyond the count that was asked for.
  public let extra: [Unpaired]

  /// Pairs what `expected` and `actual` name: each a PNG file, a folder of them, a printf pattern or a glob.
  ///
  /// Where `isComplete`, a number that both sides skip is missing; `count` is how many pictures the expected side must have.
  ///
  /// Two files are a pair whatever their names. Otherwise frames pair by their numbers where the names of both sides are equal but for one
  /// number each, and by their names where not.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where a side has no picture, `usage` where two of a side have one name, and where a
  /// folder has pictures in folders of its own, which would not be compared.
  public init(expected: String, actual: String, isComplete: Bool = false, count: Int? = nil) throws {
    for side in [expected, actual] { try Self.refuseInnerFolders(side) }
    let (left, right) = (try FrameList([expected]).frames, try FrameList([actual]).frames)
    let miscount = count.flatMap { $0 == left.count ? nil : Miscount(expected, wanted: $0, found: left.count) }
    if left.count == 1, right.count == 1, left[0].path == expected, right[0].path == actual {
      self.init(keys: ([0], [0]), left, right, miscount) { _ in (left[0].name, nil) }
    } else if let (numbers, others) = FrameNumbering.ofBoth(left.map(\.name), right.map(\.name)) {
      let folder = String(left[0].path.dropLast(left[0].name.count))
      let gaps = isComplete ? FrameNumbering.gaps(in: Set(numbers.numbers + others.numbers)) : []
      self.init(
        keys: (numbers.numbers, others.numbers), left, right, miscount,
        gaps: gaps.map { Unpaired(path: folder + numbers.name($0), why: "neither side has frame \($0)") }
      ) { ("frame \($0)", $0) }
    } else {
      try Self.refuseEqualNames(left)
      try Self.refuseEqualNames(right)
      self.init(keys: (left.map(\.name), right.map(\.name)), left, right, miscount) { ($0, nil) }
    }
  }

  /// A side that has not as many pictures as were asked for.
  private struct Miscount {
    let side: Unpaired
    let isShort: Bool

    init(_ path: String, wanted: Int, found: Int) {
      side = Unpaired(
        path: path, why: "it has \(found) \(found == 1 ? "picture" : "pictures"), and \(wanted) are to be there")
      isShort = found < wanted
    }
  }

  private init<Key: Hashable>(
    keys: ([Key], [Key]), _ expected: [Frame], _ actual: [Frame], _ miscount: Miscount?,
    gaps: [Unpaired] = [],
    _ label: (Key) -> (name: String, number: Int?)
  ) {
    let counterparts = Dictionary(zip(keys.1, actual)) { first, _ in first }
    var (pairs, missing) = ([Pair](), [Unpaired]())
    for (key, frame) in zip(keys.0, expected) {
      if let other = counterparts[key] {
        let (name, number) = label(key)
        pairs.append(
          Pair(index: pairs.count, name: name, number: number, expected: frame.path, actual: other.path))
      } else {
        missing.append(Unpaired(path: frame.path, why: "it has no counterpart"))
      }
    }
    self.pairs = pairs
    let (tooFew, tooMany) = (miscount?.isShort == true, miscount?.isShort == false)
    self.missing = missing + gaps + [tooFew ? miscount?.side : nil].compactMap { $0 }
    let wanted = Set(keys.0)
    extra =
      zip(keys.1, actual).filter { !wanted.contains($0.0) }.map {
        Unpaired(path: $0.1.path, why: "nothing expects it")
      } + [tooMany ? miscount?.side : nil].compactMap { $0 }
  }

  private static func refuseInnerFolders(_ side: String) throws {
    guard Folder.exists(side),
      let inner = try FileTree.files(in: side, where: { PathParts($0).fileExtension == "png" }).first(where: {
        $0.contains("/")
      })
    else { return }
    let folder = path(side, String(PathParts(inner).prefix.dropLast()))
    throw SafelightError(
      .usage, folder, why: "it has pictures too, and a folder is compared without those in it",
      remedy: "compare folder by folder; '\(path(side, "*.png"))' takes what lies in \(side) alone")
  }

  private static func refuseEqualNames(_ frames: [Frame]) throws {
    var seen: [String: Frame] = [:]
    for frame in frames {
      if let other = seen.updateValue(frame, forKey: frame.name) {
        throw SafelightError(
          .usage, frame.path, why: "\(other.path) has the same name, by which pictures are paired",
          remedy: "compare folder by folder")
      }
    }
  }
}
