import SafelightFrames
import SafelightImage

/// The names of goldens and of their files.
///
/// A golden is called as its file is from the golden folder, without `.png`: `blur/soft`. What belongs to it lies beside it, with a word
/// behind an `@`: `blur/soft@software.png` is a variant, `blur/soft@mask.png` a mask. An `@` may also be part of a name, as in
/// `button@2x`: a file is a variant or a mask only where the row of a golden says so, and no file may be both.
enum GoldenName {
  private static let ending = ".png"
  private static let mark: Character = "@"
  static let mask = "mask"

  /// The file of the golden `name`, or of what belongs to it.
  static func file(_ name: String, _ part: String? = nil) -> String {
    name + (part.map { "\(mark)\($0)" } ?? "") + ending
  }

  static func isPicture(_ file: String) -> Bool { file.hasSuffix(ending) && file.count > ending.count }

  /// The name that a picture's file has.
  static func name(of file: String) -> String { String(file.dropLast(ending.count)) }

  /// Throws a ``SafelightError`` of kind `usage` where no golden can be called `name`.
  static func check(_ name: String) throws(SafelightError) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    if parts.contains(where: { $0.isEmpty || $0.hasPrefix(".") }) {
      throw SafelightError(
        .usage, "golden “\(name)”", why: "a part of its name is empty or begins with a dot",
        remedy: "call it as its file is from the folder, without .png: blur/soft")
    }
  }

  /// The golden that the file called `name`, without `.png`, belongs to as a variant or a mask by `rows`; nil if there is none.
  static func owner(of name: String, in rows: [String: GoldenManifest.Row]) -> String? {
    for place in name.indices where name[place] == mark {
      let (golden, part) = (String(name[..<place]), String(name[name.index(after: place)...]))
      guard let row = rows[golden], part != GoldenManifest.defaultPicture else { continue }
      if row.pictures[part] != nil || part == mask && row.hasMaskFile { return golden }
    }
    return nil
  }

  /// Throws a ``SafelightError`` of kind `usage` where no variant can be called so.
  static func check(variant: String) throws(SafelightError) {
    let isWord = variant.utf8.allSatisfy { byte in
      let character = Character(UnicodeScalar(byte))
      return byte < 0x80 && (character.isLetter || character.isNumber || "-_.".contains(character))
    }
    guard isWord, let first = variant.first, first != ".", ![mask, GoldenManifest.defaultPicture].contains(variant)
    else {
      throw SafelightError(
        .usage, "variant “\(variant)”",
        why: "a variant is called by letters, digits, -, _ and dots, and neither default nor mask",
        remedy: "call it by what is special: software, hardware, the driver’s name")
    }
  }
}
