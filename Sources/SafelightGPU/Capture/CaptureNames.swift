/// Names of a capture's objects: a kind, a number and what is fit for a file name of the label, such as `texture-2-source`.
struct CaptureNames {
  private var counts: [String: Int] = [:]

  /// The next name of `kind`.
  mutating func next(_ kind: String, _ label: String = "") -> String {
    let number = counts[kind, default: 0] + 1
    counts[kind] = number
    let words = Self.slug(label, limit: 40)
    return words.isEmpty ? "\(kind)-\(number)" : "\(kind)-\(number)-\(words)"
  }

  /// Letters, digits, dots and underscores of `label`; what lies between them becomes one hyphen. Of a long one
  /// the end is kept, as paths tell most there.
  static func slug(_ label: String, limit: Int = 80) -> String {
    let words = label.utf8.suffix(200).split { byte in
      let isWordByte =
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: ".")
      return !isWordByte
    }
    let joined = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-").suffix(limit)
    // No name is hidden, a way up, or an option.
    return String(joined.drop { $0 == "." || $0 == "-" })
  }
}
