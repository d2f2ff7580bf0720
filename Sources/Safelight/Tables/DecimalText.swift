/// Decimal numbers as people and programs write them.
enum DecimalText {
  /// The number that `text` is; nil for what Swift would read besides: `nan`, `infinity`, `0x1p3`.
  static func number(_ text: some StringProtocol) -> Double? {
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text), number.isFinite
    else { return nil }
    return number
  }
}
