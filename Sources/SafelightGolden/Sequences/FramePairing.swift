import SafelightFrames
import SafelightImage

/// The pairs of pictures of two sequences, and the pictures without a counterpart.
public struct FramePairing: Hashable, Sendable {
  /// Two pictures to be compared.
  public struct Pair: Hashable, Sendable {
    /// The index among the pairs, from 0.
    public let index: Int
    /// The name for people: `frame 17` if both sequences have numbers, otherwise the file's name with its folders below
    /// the named one.
    public let name: String
    /// The frame's number, if both sequences have numbers.
    public let number: Int?
    /// The path of the expected picture.
    public let expected: String
    /// The path of the actual picture.
    public let actual: String
    /// The name of the actual picture's file, with its folders below the named one.
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

    /// True if both are the same file, so that nothing can differ.
    public var isOneFile: Bool { SafelightFrames.isOneFile(expected, actual) }
  }

  /// A picture without a counterpart.
  public struct Unpaired: Hashable, Sendable {
    /// The file, or for a gap in the numbers of both sides the expected file that should exist.
    public let path: String
    /// The reason, without a full stop.
    public let why: String
  }

  /// The pairs, in the order of the numbers or of the expected names.
  public let pairs: [Pair]
  /// The expected pictures without an actual one, and on request the pictures that neither side has.
  public let missing: [Unpaired]
  /// The actual pictures that nothing expects, and expected ones beyond the requested count.
  public let extra: [Unpaired]
  /// The subfolders of both sides whose pictures are not compared.
  public private(set) var leftOut: [String] = []

  /// Pairs the pictures of `expected` and `actual`: each a PNG file, a folder of them, a printf pattern or a glob.
  ///
  /// Two files are a pair whatever their names. Otherwise frames pair by number if the names of both sides are equal
  /// but for one number each, and by name if not; pictures in several folders pair by their paths below the named
  /// folders.
  ///
  /// - Parameters:
  ///   - isComplete: True if a number that both sides skip counts as missing.
  ///   - isRecursive: True if folders include the pictures of their subfolders.
  ///   - count: The number of pictures that the expected side must have.
  /// - Throws: ``SafelightError`` of kind `missingInput` if a side has no picture, `usage` if two of a side have one
  ///   name.
  public init(
    expected: String, actual: String, isComplete: Bool = false, isRecursive: Bool = false, count: Int? = nil
  ) throws {
    let (left, inLeft) = try Self.frames(expected, isRecursive)
    let (right, inRight) = try Self.frames(actual, isRecursive)
    var (keys, others) = (left.map(\.name), right.map(\.name))
    var (numbers, gaps) = ([Int](), [Unpaired]())
    let hasFolders = (left + right).contains { $0.place.contains("/") }
    // Named files keep their paths, and standard input has none.
    if left.count == 1, right.count == 1, [left[0].path, "-"].contains(expected),
      [right[0].path, "-"].contains(actual)
    {
      others = keys
    } else if !hasFolders, let (one, other) = FrameNumbering.ofBoth(keys, others) {
      numbers = one.numbers
      (keys, others) = (numbers.map { "frame \($0)" }, other.numbers.map { "frame \($0)" })
      let folder = String(left[0].path.dropLast(left[0].name.count))
      let skipped = isComplete ? try FrameNumbering.gaps(in: Set(numbers + other.numbers), literally: true) : []
      gaps = skipped.map { Unpaired(path: folder + one.name($0), why: "neither side has frame \($0)") }
    } else {
      if hasFolders {
        (keys, others) = (left.map(\.place), right.map(\.place))
      } else {
        try Self.refuseEqualNames(left)
        try Self.refuseEqualNames(right)
      }
      if isComplete { gaps = try FamilyGaps.all(left, keys, others) }
    }
    let counterparts = Dictionary(zip(others, right)) { first, _ in first }
    var (pairs, missing) = ([Pair](), [Unpaired]())
    for (index, (key, frame)) in zip(keys, left).enumerated() {
      if let other = counterparts[key] {
        pairs.append(
          Pair(
            index: pairs.count, name: key, number: numbers.isEmpty ? nil : numbers[index], expected: frame.path,
            actual: other.path, place: other.place))
      } else {
        missing.append(Unpaired(missing: frame.path))
      }
    }
    let wanted = Set(keys)
    let extra = zip(others, right).filter { !wanted.contains($0.0) }.map { Unpaired(extra: $0.1.path) }
    self.init(pairs, missing + gaps, extra, expected, count: count, found: left.count)
    leftOut = inLeft + inRight
  }

  /// Takes pairs that are already found, of an `expected` side that must have `count` pictures.
  init(_ pairs: [Pair], missing: [Unpaired], extra: [Unpaired], expected: String, count: Int?) {
    self.init(pairs, missing, extra, expected, count: count, found: pairs.count + missing.count)
  }

  /// Adds the `expected` side itself if it has not the requested number of pictures.
  private init(
    _ pairs: [Pair], _ missing: [Unpaired], _ extra: [Unpaired], _ expected: String, count: Int?, found: Int
  ) {
    let wanted = count ?? found
    let side = Unpaired(path: expected, why: "it has \(found) \(found == 1 ? "picture" : "pictures"), not \(wanted)")
    self.pairs = pairs
    self.missing = missing + (found < wanted ? [side] : [])
    self.extra = extra + (found > wanted ? [side] : [])
  }

  /// Returns the pictures of a side, and its subfolders whose pictures are not among them.
  private static func frames(_ side: String, _ isRecursive: Bool) throws -> ([Frame], leftOut: [String]) {
    guard !isRecursive, Folder.exists(side) else { return (try FrameList([side], isRecursive: isRecursive).frames, []) }
    let names = try FileTree.files(in: side) { PathParts($0).fileExtension == "png" }
    let inner = names.filter { $0.contains("/") }
    if let first = inner.first, inner.count == names.count {
      throw SafelightError(
        .missingInput, side, why: "its pictures lie in subfolders, such as \(first)",
        remedy: "name one of the subfolders, or compare subfolders too", setting: .recursion)
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
          .usage, frame.path, why: "\(other.path) has the same name, and pictures are paired by name",
          remedy: "compare one folder at a time")
      }
    }
  }
}

extension FramePairing.Unpaired {
  /// Names an expected picture without an actual one.
  public init(missing path: String) { self.init(path: path, why: "it has no counterpart") }

  /// Names an actual picture that nothing expects.
  public init(extra path: String) { self.init(path: path, why: "nothing expects it") }
}

/// Numbers that both sides skip among pictures that pair by name: `f3.png` beside `f2.png`, `f4.png` and `cover.png`.
enum FamilyGaps {
  /// The pictures of one folder whose names are equal but for their numbers.
  private struct Family: Hashable {
    let folder: String
    let shape: String

    init(_ place: String) {
      let parts = PathParts(place)
      folder = parts.prefix
      shape = NumberedName(parts.name).texts.joined(separator: "#")
    }
  }

  /// Returns the files that neither side has, in the order of the `expected` pictures; pictures pair by `keys` and
  /// `others`.
  static func all(
    _ expected: [Frame], _ keys: [String], _ others: [String]
  ) throws(SafelightError) -> [FramePairing.Unpaired] {
    let families = Dictionary(grouping: zip(keys, expected)) { Family($0.0) }
    let others = Dictionary(grouping: others, by: Family.init)
    var known: Set<Family> = []
    var gaps: [FramePairing.Unpaired] = []
    for family in keys.map(Family.init) where known.insert(family).inserted {
      let frames = families[family] ?? []
      let names = Set(frames.map(\.0)).union(others[family] ?? []).map { PathParts($0).name }
      let folder = frames.first.map { PathParts($0.1.path).prefix } ?? ""
      gaps += try FrameNumbering.gaps(among: NaturalOrder.sorted(names), literally: true).map {
        FramePairing.Unpaired(path: folder + $0.name, why: "neither side has it")
      }
    }
    return gaps
  }
}
