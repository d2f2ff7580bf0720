import SafelightImage

/// The numbers in a file's name, and the texts around them: order, patterns, gaps and pairs all read numbers here.
///
/// Digits are a number wherever they stand. A dash directly before them is a minus sign if it begins the name, or
/// follows a point, an underscore, a space or another dash: `shot.-0003.png` and `shot--0003.png` are frame −3. After
/// anything else it separates, as in `shot-0003.png` and `2026-11-26.png`.
package struct NumberedName {
  /// There is one text more than numbers; some may be empty.
  package private(set) var texts: [String] = []
  /// The numbers as they are written, with their signs.
  package private(set) var numbers: [String] = []

  package init(_ name: String) {
    let bytes = Array(name.utf8)
    var (start, position) = (0, 0)
    while position < bytes.count {
      guard let number = Self.number(in: bytes, at: position) else {
        position += 1
        continue
      }
      texts.append(String(decoding: bytes[start..<position], as: UTF8.self))
      numbers.append(String(decoding: bytes[position..<number.digits.endIndex], as: UTF8.self))
      (start, position) = (number.digits.endIndex, number.digits.endIndex)
    }
    texts.append(String(decoding: bytes[start...], as: UTF8.self))
  }

  /// Returns the number that begins at `start` of a name, which may have folders before it; nil if none does.
  static func number(in name: [UInt8], at start: Int) -> (isNegative: Bool, digits: ArraySlice<UInt8>)? {
    let isNegative = name[start] == UInt8(ascii: "-")
    if isNegative, start > 0, !"/._ -".utf8.contains(name[start - 1]) { return nil }
    let digits = name[(isNegative ? start + 1 : start)...].prefix(while: isDigit)
    return digits.isEmpty ? nil : (isNegative, digits)
  }

  /// Returns the value of a number as it is written, with `-` as its only sign; nil for other texts, and for numbers of
  /// 19 digits whose differences could overflow.
  static func value(_ number: String) -> Int? {
    let digits = number.utf8.first == UInt8(ascii: "-") ? number.utf8.dropFirst() : number.utf8[...]
    guard digits.allSatisfy(isDigit), let value = Int(number), value.magnitude <= Int.max / 2 else { return nil }
    return value
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// The order in which people count: `frame9` before `frame10`, `frame.-2` before `frame.-1`.
///
/// The numbers of a ``NumberedName`` compare as numbers of any length, everything else byte by byte, and a slash before
/// everything, so that the files of one folder stay together. Names that differ only in leading zeros compare as bytes,
/// so the order is total and the same on every machine.
package enum NaturalOrder {
  package static func sorted(_ names: [String]) -> [String] {
    names.map { (name: $0, bytes: Array($0.utf8)) }.sorted { precedes($0.bytes, $1.bytes) }.map(\.name)
  }

  package static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    var l = 0
    var r = 0
    while l < left.count && r < right.count {
      if let a = NumberedName.number(in: left, at: l), let b = NumberedName.number(in: right, at: r) {
        // Also −0 before 0: all negative numbers begin with a dash, and what lies between a dash and a digit, such as a
        // point, then follows all of them.
        if a.isNegative != b.isNegative { return a.isNegative }
        let (first, second) = (significant(a.digits), significant(b.digits))
        if !first.elementsEqual(second) { return isLess(first, second) != a.isNegative }
        (l, r) = (a.digits.endIndex, b.digits.endIndex)
      } else {
        if left[l] != right[r] { return rank(left[l]) < rank(right[r]) }
        l += 1
        r += 1
      }
    }
    if l < left.count || r < right.count { return l == left.count }
    return left.lexicographicallyPrecedes(right)
  }

  /// Returns the digits without leading zeros.
  private static func significant(_ digits: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    digits.drop { $0 == UInt8(ascii: "0") }
  }

  private static func isLess(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
    left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
  }

  private static func rank(_ byte: UInt8) -> UInt8 { byte == UInt8(ascii: "/") ? 0 : byte }
}
