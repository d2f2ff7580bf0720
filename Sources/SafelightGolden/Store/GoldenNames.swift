import Glibc
import SafelightFrames
public import SafelightImage

/// Finds goldens by what a person types on a command line.
///
/// `blur/soft` may be typed so, and as `soft`, `soft.png`, `blur/soft.png`, or as the path of a file,
/// `goldens/blur/soft.png`, as long as it can mean only one golden. A whole name takes precedence over parts of names.
public struct GoldenNames: Sendable {
  private let names: [String]
  private let folders: [String]

  /// Takes the existing `names`, and the `folders` with which paths may begin.
  public init(_ names: [String], in folders: [String]) {
    self.names = NaturalOrder.sorted(names)
    self.folders = folders.map(Self.plain).filter { !$0.isEmpty }
  }

  /// Returns the golden that `text` means, and the part of its name that `text` omits: the folders `blur/`, or nothing.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if it may mean several, `missingInput` if none.
  public func find(_ text: String) throws(SafelightError) -> (name: String, omitted: String) {
    let readings = readings(text)
    if let name = try one(of: names.filter(readings.contains), text) { return (name, "") }
    for reading in readings where !reading.isEmpty {
      if let name = try one(of: names.filter { $0.hasSuffix("/" + reading) }, text) {
        return (name, String(name.dropLast(reading.count)))
      }
    }
    throw unknown(text, readings)
  }

  /// Returns all goldens that `texts` mean, each once, in natural order: names, and globs such as `blur/*`, in which
  /// `*` matches no slash. A glob without a slash matches in every folder.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if a name may mean several, `missingInput` if a name or a glob means
  ///   none.
  public func find(all texts: [String]) throws(SafelightError) -> [String] {
    var found: Set<String> = []
    for text in texts {
      let isGlob = text.contains { "*?[".contains($0) }
      // Names may contain such characters.
      if isGlob, !names.contains(where: readings(text).contains) {
        found.formUnion(try matches(text))
      } else {
        found.insert(try find(text).name)
      }
    }
    return names.filter(found.contains)
  }

  /// Returns the name that `text` gives to a new golden beside one whose name was typed without its folders `omitted`;
  /// they may be typed here.
  public func new(_ text: String, omitted: String) -> String {
    let plain = Self.plain(text)
    let inner = inside(plain).first
    let name = inner ?? plain
    return (inner == nil && !name.hasPrefix(omitted) ? omitted : "")
      + (GoldenName.isPicture(name) ? GoldenName.name(of: name) : name)
  }

  /// Returns the readings of `text`: a name, the file of one, and both after a folder.
  private func readings(_ text: String) -> [String] {
    let paths = [Self.plain(text)] + inside(Self.plain(text))
    return paths + paths.filter(GoldenName.isPicture).map(GoldenName.name)
  }

  /// Returns `path` without the folder that it begins with, for each such folder.
  private func inside(_ path: String) -> [String] {
    folders.filter { path.hasPrefix($0 + "/") }.map { String(path.dropFirst($0.count + 1)) }
  }

  /// Returns `path` without `./` and doubled slashes.
  private static func plain(_ path: String) -> String {
    (path.hasPrefix("/") ? "/" : "") + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
  }

  private func one(of found: [String], _ text: String) throws(SafelightError) -> String? {
    try ensure(
      found.count < 2, .usage, text, why: "it could be any of \(found.joined(separator: ", "))",
      remedy: "write one of these names")
    return found.first
  }

  private func matches(_ glob: String) throws(SafelightError) -> [String] {
    let (patterns, isAnywhere) = (readings(glob), !glob.contains("/"))
    let found = names.filter { name in
      let name = isAnywhere ? PathParts(name).name : name
      return patterns.contains { unsafe fnmatch($0, name, FNM_PATHNAME) == 0 }
    }
    try ensure(
      !found.isEmpty, .missingInput, glob, why: "no golden\(orPicture) matches it",
      remedy: "check the pattern; * does not match a slash")
    return found
  }

  private func unknown(_ text: String, _ readings: [String]) -> SafelightError {
    let short = readings.last ?? text
    var nearest = NearestNames.find(short, among: names)
    if nearest.isEmpty {
      let parts = NearestNames.find(PathParts(short).name, among: names.map { PathParts($0).name })
      nearest = Array(names.filter { parts.contains(PathParts($0).name) }.prefix(3))
    }
    return SafelightError(
      .missingInput, text, why: "no golden\(orPicture) has this name",
      remedy: nearest.isEmpty ? "check the name" : "did you mean \(nearest.joined(separator: ", or "))?")
  }

  private var orPicture: String { folders.count > 1 ? " and no picture" : "" }
}

/// The names of goldens and of their files.
///
/// The name of a golden is the path of its file from the golden folder, without `.png`: `blur/soft`. Its other files
/// lie beside it, with a word after an `@`: `blur/soft@software.png` is a variant, `blur/soft@mask.png` a mask. An `@`
/// may also be part of a name, as in `button@2x`: a file is a variant or a mask only if the row of a golden says so,
/// and no file may be both.
enum GoldenName {
  private static let ending = ".png"
  private static let mark: Character = "@"
  static let mask = "mask"

  /// Returns the file of the golden `name`, or of its variant or mask `part`.
  static func file(_ name: String, _ part: String? = nil) -> String {
    name + (part.map { "\(mark)\($0)" } ?? "") + ending
  }

  static func isPicture(_ file: String) -> Bool { file.hasSuffix(ending) && file.count > ending.count }

  static func name(of file: String) -> String { String(file.dropLast(ending.count)) }

  /// - Throws: ``SafelightError`` of kind `usage` if `name` is invalid for a golden.
  static func check(_ name: String) throws(SafelightError) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    try ensure(
      parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") }, .usage, "golden “\(name)”",
      why: "a part of its name is empty or begins with a dot",
      remedy: "use the path of its file inside the folder, without .png, such as blur/soft")
  }

  /// Returns the golden that owns the file called `name`, without `.png`, as a variant or a mask by `rows`; nil if
  /// there is none.
  static func owner(of name: String, in rows: [String: GoldenManifest.Row]) -> String? {
    for place in name.indices where name[place] == mark {
      let (golden, part) = (String(name[..<place]), String(name[name.index(after: place)...]))
      guard let row = rows[golden], part != GoldenManifest.defaultPicture else { continue }
      if row.pictures[part] != nil || part == mask && row.hasMaskFile { return golden }
    }
    return nil
  }

  /// - Throws: ``SafelightError`` of kind `usage` if the name of the variant is invalid.
  static func check(variant: String) throws(SafelightError) {
    let isWord = variant.utf8.allSatisfy { byte in
      let character = Character(UnicodeScalar(byte))
      return byte < 0x80 && (character.isLetter || character.isNumber || "-_.".contains(character))
    }
    let isReserved =
      variant.isEmpty || variant.hasPrefix(".") || [mask, GoldenManifest.defaultPicture].contains(variant)
    try ensure(
      isWord && !isReserved, .usage, "variant “\(variant)”",
      why: "a variant’s name has only letters, digits, -, _ and dots, and cannot be default or mask",
      remedy: "name it after what is special, such as software, hardware or the driver")
  }
}
