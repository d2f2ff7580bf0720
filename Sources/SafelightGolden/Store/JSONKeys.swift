import FoundationEssentials

/// Looks for what Foundation's decoder lets pass: of two equal keys it takes the first, others take the last.
package enum JSONKeys {
  /// A key that stands twice in one object of the JSON text `bytes`, in whatever spelling of Unicode; nil where none does.
  package static func repeated(in bytes: [UInt8]) -> String? {
    // Of every object around the place that is read, the keys so far; of an array, none.
    var known: [Set<String>] = []
    var text = ""
    var place = 0
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): known.append([])
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = known.popLast()
      case UInt8(ascii: "\""):
        let start = place
        place = end(of: start + 1, in: bytes)
        text = string(bytes[start..<min(place + 1, bytes.count)])
      // Outside texts a colon stands behind keys alone.
      case UInt8(ascii: ":"):
        guard !known.isEmpty else { break }
        if !known[known.count - 1].insert(text).inserted { return text }
      default: break
      }
      place += 1
    }
    return nil
  }

  /// Where the text that begins at `start` ends: its closing quotation mark, or the end of `bytes`.
  private static func end(of start: Int, in bytes: [UInt8]) -> Int {
    var place = start
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(place, bytes.count)
  }

  /// What `text`, in its quotation marks, spells.
  private static func string(_ text: ArraySlice<UInt8>) -> String {
    if text.contains(UInt8(ascii: "\\")), let read = try? JSONDecoder().decode(String.self, from: Data(text)) {
      return read
    }
    return String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
  }
}
