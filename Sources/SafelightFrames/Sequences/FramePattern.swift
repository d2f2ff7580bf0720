import SafelightImage

/// A name with a number in it, written as for `printf`: `shot.%04d.png`, `%d.png`; `%%` is a per cent sign.
///
/// The number stands in the file's name, not in its folder's.
public struct FramePattern: Hashable, Sendable, CustomStringConvertible {
  /// The folder with its slash; empty for the current one.
  let folder: String
  private let prefix: String
  private let suffix: String
  /// Digits at least, filled with zeros.
  private let width: Int
  /// The pattern as it was written.
  public let description: String

  /// True when `text` holds a number, or what may be meant to be one, as `%4d` and `%s` are: then it must be a pattern
  /// to
  /// be understood. A per cent sign before anything else, or before another one, is part of a name.
  public static func isPattern(_ text: String) -> Bool {
    var rest = text[...]
    while let mark = rest.firstIndex(of: "%") {
      rest = rest[rest.index(after: mark)...]
      if rest.first == "%" {
        rest = rest.dropFirst()
      } else if rest.drop(while: { ("0"..."9").contains($0) }).first?.isLetter == true {
        return true
      }
    }
    return false
  }

  /// Reads a pattern.
  ///
  /// Throws a ``SafelightError`` of kind `usage` unless exactly one number stands in the name.
  public init(_ text: String) throws {
    let parts = PathParts(text)
    func refused(_ why: String) -> SafelightError {
      SafelightError(
        .usage, text, why: why,
        remedy: "write one number such as %04d into the file's name, and %% for a per cent sign")
    }
    if Self.isPattern(parts.prefix) { throw refused("a folder's name cannot hold the number") }

    var literals = [""]
    var widths: [Int] = []
    var rest = parts.name[...]
    while let mark = rest.firstIndex(of: "%") {
      literals[literals.count - 1] += rest[..<mark]
      rest = rest[rest.index(after: mark)...]
      if rest.first == "%" {
        literals[literals.count - 1] += "%"
        rest = rest.dropFirst()
        continue
      }
      let digits = rest.prefix { ("0"..."9").contains($0) }
      rest = rest[digits.endIndex...]
      // A width without the zero would fill with blanks.
      guard rest.first == "d", digits.isEmpty || digits.first == "0", let width = Int("0" + digits), width <= 20 else {
        throw refused("%\(digits)\(rest.first.map(String.init) ?? "") is no number that a pattern can hold")
      }
      rest = rest.dropFirst()
      widths.append(width)
      literals.append("")
    }
    literals[literals.count - 1] += rest
    guard let width = widths.first, widths.count == 1 else {
      throw refused("a pattern holds one number; this holds \(widths.count)")
    }
    self.description = text
    self.folder = parts.prefix
    self.prefix = literals[0]
    self.suffix = literals[1]
    self.width = width
  }

  /// The path of frame `number`, which is 0 or above.
  public func path(_ number: Int) -> String {
    trap(unless: number >= 0, "frames are numbered from 0; \(number) was given")
    let digits = String(number)
    return folder + prefix + String(repeating: "0", count: max(0, width - digits.count)) + digits + suffix
  }

  /// The number in a file's `name`, given without its folder; nil where the pattern would not write it so.
  public func number(in name: String) -> Int? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix),
      name.utf8.count > prefix.utf8.count + suffix.utf8.count
    else { return nil }
    let digits = name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
    guard let number = Int(String(Substring(digits))), number >= 0, path(number) == folder + name else { return nil }
    return number
  }
}
