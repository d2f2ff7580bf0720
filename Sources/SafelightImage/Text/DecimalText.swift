/// Decimal numbers as people and programs write them.
package enum DecimalText {
  /// The number that `text` is; nil for what Swift would read besides: `nan`, `infinity`, `0x1p3`.
  package static func number(_ text: some StringProtocol) -> Double? {
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text), number.isFinite
    else { return nil }
    return number
  }

  /// `number` as short as it reads back, whole numbers without a fraction.
  package static func text(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? "\(number)"
  }

  /// `number` with its digits in groups of three: `240,000`.
  package static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    let groups = digits.indices.map { index in
      index > 0 && (digits.count - index) % 3 == 0 ? ",\(digits[index])" : "\(digits[index])"
    }
    return (number < 0 ? "-" : "") + groups.joined()
  }
}
