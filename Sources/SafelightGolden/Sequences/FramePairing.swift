import SafelightFrames
import SafelightImage

/// Which picture of one sequence is compared with which of another, and which have none.
public struct FramePairing: Hashable, Sendable {
  /// Two pictures to be compared.
  public struct Pair: Hashable, Sendable {
    /// The place among the pairs, from 0.
    public let index: Int
    /// What people call it: `frame 17` if both sequences count, else the file's name, with its folders below the one that was named.
    public let name: String
    /// The frame's number, if both sequences count.
    public let number: Int?
    /// The file that is right by definition.
    public let expected: String
    /// The file to be judged.
    public let actual: String
    /// The name of the file to be judged, with its folders below the one that was named.
    public let place: String

    /// Makes a pair.
    public init(index: Int, name: String, number: Int?, expected: String, actual: String, place: String) {
      self.index = index
      self.name = name
      self.number = number
      self.expected = expected
      self.actual = actual
      self.place = place
    }

    /// True if both are one file, so that nothing can differ.
    public var isOneFile: Bool { SafelightFrames.isOneFile(expected, actual) }
  }

  /// A picture without a counterpart.
  public struct Unpaired: Hashable, Sendable {
    /// The file that is there, or for a gap in the numbers of both sides the expected one that should be.
    public let path: String
    /// Why it is named, without a full stop.
    public let why: String

    init(path: String, why: String) {
      self.path = path
      self.why = why
    }

    /// An expected picture that no actual one stands against.
    public init(missing path: String) { self.init(path: path, why: "it has no counterpart") }

    /// An actual picture that nobody expects.
    public init(extra path: String) { self.init(path: path, why: "nothing expects it") }
  }

  /// In the order of the numbers, or of the expected names.
  public let pairs: [Pair]
  /// Expected pictures that no actual one stands against, and what neither side has where that was asked for.
  public let missing: [Unpaired]
  /// Actual pictures that nobody expects, and expected ones beyond the count that was asked for.
  public let extra: [Unpaired]
  /// Folders below the two that hold pictures too, which are not compared.
  public private(set) var leftOut: [String] = []

  /// Pairs what `expected` and `actual` name: each a PNG file, a folder of them, a printf pattern or a glob.
  ///
  /// If `isComplete`, a number that both sides skip is missing; `count` is how many pictures the expected side must have. If `isRecursive`,
  /// folders hold what is in their folders too.
  ///
  /// Two files are a pair whatever their names. Otherwise frames pair by their numbers if the names of both sides are equal but for one
  /// number each, and by their names if not; pictures in several folders pair by their paths below the folders that were named.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` if a side has no picture, `usage` if two of a side have one name.
  public init(
    expected: String, actual: String, isComplete: Bool = false, isRecursive: Bool = false, count: Int? = nil
  ) throws {
    let (left, inLeft) = try Self.frames(expected, isRecursive)
    let (right, inRight) = try Self.frames(actual, isRecursive)
    let miscount = Miscount(expected, wanted: count, found: left.count)
    // What is named itself keeps its path, and standard input has none.
    if left.count == 1, right.count == 1, [left[0].path, "-"].contains(expected),
      [right[0].path, "-"].contains(actual)
    {
      self.init(keys: ([0], [0]), left, right, miscount) { _ in (left[0].name, nil) }
    } else if (left + right).contains(where: { $0.place.contains("/") }) {
      let gaps = isComplete ? try FamilyGaps.all(expected: left, actual: right, by: \.place) : []
      self.init(keys: (left.map(\.place), right.map(\.place)), left, right, miscount, gaps: gaps) { ($0, nil) }
    } else if let (numbers, others) = FrameNumbering.ofBoth(left.map(\.name), right.map(\.name)) {
      let folder = String(left[0].path.dropLast(left[0].name.count))
      let gaps = isComplete ? try FrameNumbering.gaps(in: Set(numbers.numbers + others.numbers), literally: true) : []
      self.init(
        keys: (numbers.numbers, others.numbers), left, right, miscount,
        gaps: gaps.map { Unpaired(path: folder + numbers.name($0), why: "neither side has frame \($0)") }
      ) { ("frame \($0)", $0) }
    } else {
      try Self.refuseEqualNames(left)
      try Self.refuseEqualNames(right)
      let gaps = isComplete ? try FamilyGaps.all(expected: left, actual: right, by: \.name) : []
      self.init(keys: (left.map(\.name), right.map(\.name)), left, right, miscount, gaps: gaps) { ($0, nil) }
    }
    leftOut = inLeft + inRight
  }

  /// Pairs that were found already, of an `expected` side that must have `count` pictures.
  init(_ pairs: [Pair], missing: [Unpaired], extra: [Unpaired], expected: String, count: Int?) {
    self.init(pairs, missing, extra, Miscount(expected, wanted: count, found: pairs.count + missing.count))
  }

  private init(_ pairs: [Pair], _ missing: [Unpaired], _ extra: [Unpaired], _ miscount: Miscount?) {
    self.pairs = pairs
    self.missing = missing + [miscount].compactMap { $0?.isShort == true ? $0?.side : nil }
    self.extra = extra + [miscount].compactMap { $0?.isShort == false ? $0?.side : nil }
  }

  /// A side that has not as many pictures as were asked for.
  private struct Miscount {
    let side: Unpaired
    let isShort: Bool

    /// Nil if it has, or if nothing was asked for.
    init?(_ path: String, wanted: Int?, found: Int) {
      guard let wanted, wanted != found else { return nil }
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
          Pair(
            index: pairs.count, name: name, number: number, expected: frame.path, actual: other.path, place: other.place
          ))
      } else {
        missing.append(Unpaired(missing: frame.path))
      }
    }
    let wanted = Set(keys.0)
    let extra = zip(keys.1, actual).filter { !wanted.contains($0.0) }.map { Unpaired(extra: $0.1.path) }
    self.init(pairs, missing + gaps, extra, miscount)
  }

  /// The pictures of a side, and the folders in it whose pictures are not among them.
  private static func frames(_ side: String, _ isRecursive: Bool) throws -> ([Frame], leftOut: [String]) {
    guard !isRecursive, Folder.exists(side) else { return (try FrameList([side], isRecursive: isRecursive).frames, []) }
    let names = try FileTree.files(in: side) { PathParts($0).fileExtension == "png" }
    let inner = names.filter { $0.contains("/") }
    if let first = inner.first, inner.count == names.count {
      throw SafelightError(
        .missingInput, side, why: "its pictures lie in folders of their own, such as \(first)",
        remedy: "name one of the folders, or compare those too", setting: .recursion)
    }
    var known: Set<String> = []
    let folders = inner.map { String(PathParts($0).prefix.dropLast()) }.filter { known.insert($0).inserted }
    return (try FrameList([side]).frames, folders.map { path(side, $0) })
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

/// Numbers that both sides skip among pictures that pair by their names: `f3.png` where there are `f2.png`, `f4.png` and `cover.png`.
enum FamilyGaps {
  /// The pictures of one folder whose names are alike but for their numbers.
  private struct Family: Hashable {
    let folder: String
    let shape: String

    init(_ place: String) {
      let parts = PathParts(place)
      folder = parts.prefix
      shape = parts.name.split { ("0"..."9").contains($0) }.joined(separator: "#")
    }
  }

  /// The files that neither side has, in the order of the expected pictures; `key` is the name by which a picture pairs.
  static func all(
    expected: [Frame], actual: [Frame], by key: (Frame) -> String
  ) throws(SafelightError) -> [FramePairing.Unpaired] {
    let others = Dictionary(grouping: actual.map(key), by: Family.init)
    let families = Dictionary(grouping: expected) { Family(key($0)) }
    var known: Set<Family> = []
    var gaps: [FramePairing.Unpaired] = []
    for family in expected.map({ Family(key($0)) }) where known.insert(family).inserted {
      let frames = families[family] ?? []
      let keys = Set(frames.map(key)).union(others[family] ?? [])
      let folder = frames.first.map { PathParts($0.path).prefix } ?? ""
      let names = NaturalOrder.sorted(keys.map { PathParts($0).name })
      gaps += try FrameNumbering.gaps(among: names, literally: true).map {
        FramePairing.Unpaired(path: folder + $0.name, why: "neither side has it")
      }
    }
    return gaps
  }
}
