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

    init(path: String, why: String) {
      self.path = path
      self.why = why
    }

    /// Names an expected picture without an actual one.
    public init(missing path: String) { self.init(path: path, why: "it has no counterpart") }

    /// Names an actual picture that nothing expects.
    public init(extra path: String) { self.init(path: path, why: "nothing expects it") }
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
    let miscount = Miscount(expected, wanted: count, found: left.count)
    // Named files keep their paths, and standard input has none.
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

  /// Takes pairs that are already found, of an `expected` side that must have `count` pictures.
  init(_ pairs: [Pair], missing: [Unpaired], extra: [Unpaired], expected: String, count: Int?) {
    self.init(pairs, missing, extra, Miscount(expected, wanted: count, found: pairs.count + missing.count))
  }

  private init(_ pairs: [Pair], _ missing: [Unpaired], _ extra: [Unpaired], _ miscount: Miscount?) {
    self.pairs = pairs
    self.missing = missing + [miscount].compactMap { $0?.isShort == true ? $0?.side : nil }
    self.extra = extra + [miscount].compactMap { $0?.isShort == false ? $0?.side : nil }
  }

  /// A side without the requested number of pictures.
  private struct Miscount {
    let side: Unpaired
    let isShort: Bool

    /// Returns nil if the number is right, or was not requested.
    init?(_ path: String, wanted: Int?, found: Int) {
      guard let wanted, wanted != found else { return nil }
      side = Unpaired(
        path: path, why: "it has \(found) \(found == 1 ? "picture" : "pictures"), not \(wanted)")
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

/// Numbers that both sides skip among pictures that pair by name: `f3.png` beside `f2.png`, `f4.png` and `cover.png`.
enum FamilyGaps {
  /// The pictures of one folder whose names are equal but for their numbers.
  private struct Family: Hashable {
    let folder: String
    let shape: String

    init(_ place: String) {
      let parts = PathParts(place)
      folder = parts.prefix
      shape = parts.name.split { ("0"..."9").contains($0) }.joined(separator: "#")
    }
  }

  /// Returns the files that neither side has, in the order of the expected pictures; `key` is the name by which a
  /// picture pairs.
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
