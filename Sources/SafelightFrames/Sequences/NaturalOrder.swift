/// The order in which people count: `frame9` before `frame10`.
///
/// Runs of digits compare as numbers of any length, all else byte by byte, a slash before everything so that the
/// files of one folder stay together. Names that differ in leading zeros alone compare as bytes, so the order is
/// total and the same on every machine.
package enum NaturalOrder {
  /// Sorts `names`.
  package static func sorted(_ names: [String]) -> [String] {
    names.map { (name: $0, bytes: Array($0.utf8)) }.sorted { precedes($0.bytes, $1.bytes) }.map(\.name)
  }

  package static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    var l = 0
    var r = 0
    while l < left.count && r < right.count {
      if isDigit(left[l]) && isDigit(right[r]) {
        let a = number(in: left, from: &l)
        let b = number(in: right, from: &r)
        if a.count != b.count { return a.count < b.count }
        if !a.elementsEqual(b) { return a.lexicographicallyPrecedes(b) }
      } else {
        if left[l] != right[r] { return rank(left[l]) < rank(right[r]) }
        l += 1
        r += 1
      }
    }
    if l < left.count || r < right.count { return l == left.count }
    return left.lexicographicallyPrecedes(right)
  }

  /// The digits from `start` on without leading zeros; `start` moves behind them.
  private static func number(in bytes: [UInt8], from start: inout Int) -> ArraySlice<UInt8> {
    let digits = bytes[start...].prefix(while: isDigit)
    start = digits.endIndex
    return digits.drop { $0 == UInt8(ascii: "0") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func rank(_ byte: UInt8) -> UInt8 { byte == UInt8(ascii: "/") ? 0 : byte }
}
