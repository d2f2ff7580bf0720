import Glibc

/// The names of unfinished files: `.NAME.HOST.PID.part` beside the target, and `.NAME.HOST.PID-2.part` where that is taken.
///
/// The host is part of it because process numbers, and on some network file systems locks too, mean something on one host alone.
struct PartName {
  private let beginning: String

  /// Those of this process for the target `name`.
  init(of name: String) {
    // A name has at most 255 bytes (NAME_MAX).
    let stem = String(decoding: name.utf8.prefix(170), as: UTF8.self)
    beginning = ".\(stem).\(Self.host)."
  }

  /// The name for the `attempt`th time, from 0.
  func name(_ attempt: Int) -> String {
    beginning + (attempt == 0 ? "\(getpid())" : "\(getpid())-\(attempt)") + Self.ending
  }

  /// True where a process of this host would name its unfinished file so, whatever its number.
  func isOfThisHost(_ name: String) -> Bool {
    guard name.hasPrefix(beginning), name.hasSuffix(Self.ending) else { return false }
    let number = name.utf8.dropFirst(beginning.utf8.count).dropLast(Self.ending.utf8.count)
    let parts = number.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return (1...2).contains(parts.count)
      && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
  }

  /// The part of an unfinished file's name that all processes of this host share, as far as `name` has it: what to look it up by.
  static func stem(of name: String) -> Substring? {
    guard name.hasPrefix("."), name.hasSuffix(ending) else { return nil }
    guard let dot = name.dropLast(ending.count).lastIndex(of: ".") else { return nil }
    return name[...dot]
  }

  /// The name of the target whose unfinished file `name` is; nil where it is none.
  static func target(of name: String) -> Substring? {
    guard let stem = stem(of: name)?.dropFirst().dropLast(), let dot = stem.lastIndex(of: ".") else { return nil }
    return stem[..<dot]
  }

  /// What all names for one target begin with.
  var key: Substring { beginning[...] }

  private static let ending = ".part"

  /// The host's name, with nothing in it that parts names.
  private static let host: String = {
    var bytes = [CChar](repeating: 0, count: 256)
    let code = unsafe gethostname(&bytes, bytes.count - 1)
    let letters = bytes.prefix { $0 != 0 }.prefix(48).map { byte -> Character in
      let character = Character(UnicodeScalar(UInt8(bitPattern: byte)))
      return byte > 0 && (character.isLetter || character.isNumber || character == "-") ? character : "_"
    }
    return code == 0 && !letters.isEmpty ? String(letters) : "host"
  }()
}
