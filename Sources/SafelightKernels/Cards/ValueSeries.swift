internal import SafelightImage

/// Values of a number over time, `1@1 1.4@48 1@96`: each belongs to the position of a frame, counted from 1.
///
/// Before the first position the number has the first value, behind the last the last. Between two it lies on a line,
/// rounded to the nearest 65536th, or to the nearest whole number where the parameter is one, halves up. A frame's
/// value depends on its position alone, so that a part of a sequence gets the same values as the whole.
public struct ValueSeries: Hashable, Sendable, CustomStringConvertible {
  /// A value and the frame that has it.
  private struct Key: Hashable {
    /// The index of the frame, from 0.
    let index: Int
    let value: ParameterValue
    /// The value in 65536ths; a whole number as it is.
    let steps: Int

    var number: Double { if case .number(let number) = value { number } else { Double(steps) } }
  }

  private let keys: [Key]
  private let areWhole: Bool

  /// Reads values and positions with an `@` between them, and spaces between pairs; nil for any other text, for
  /// positions that do not rise, and for values beyond 2³¹.
  package init?(_ text: String, areWhole: Bool) {
    var keys: [Key] = []
    for pair in text.split(separator: " ") {
      let parts = pair.split(separator: "@", omittingEmptySubsequences: false)
      guard parts.count == 2, let position = Int(parts[1]), 1...1 << 24 ~= position,
        position - 1 > keys.last?.index ?? -1, let number = DecimalText.number(parts[0]), abs(number) <= 0x1p31
      else { return nil }
      if areWhole {
        guard let whole = Int(parts[0]) else { return nil }
        keys.append(Key(index: position - 1, value: .integer(whole), steps: whole))
      } else {
        keys.append(Key(index: position - 1, value: .number(number), steps: Int((number * 65536).rounded())))
      }
    }
    guard !keys.isEmpty else { return nil }
    (self.keys, self.areWhole) = (keys, areWhole)
  }

  /// The indices of the frames with values of their own, from 0, in ascending order.
  package var indices: [Int] { keys.map(\.index) }
  /// The values of these frames.
  var values: [ParameterValue] { keys.map(\.value) }

  /// Returns the value for the frame at `index`, from 0.
  func value(at index: Int) -> ParameterValue {
    guard let next = keys.firstIndex(where: { $0.index > index }) else { return keys[keys.count - 1].value }
    guard next > 0, keys[next - 1].index < index else { return keys[max(0, next - 1)].value }
    let (before, after) = (keys[next - 1], keys[next])
    // Halves up: the floor, also of negative numbers. Products have up to 74 bits.
    let length = 2 * Int128(after.index - before.index)
    let sum = 2 * Int128(after.steps - before.steps) * Int128(index - before.index) + length / 2
    let (quotient, rest) = sum.quotientAndRemainder(dividingBy: length)
    let steps = before.steps + Int(rest < 0 ? quotient - 1 : quotient)
    if areWhole { return .integer(steps) }
    // A 65536th may lie a little beyond the values, and a parameter's range.
    let ends = [before.number, after.number]
    return .number(min(max(Double(steps) / 65536, ends.min() ?? 0), ends.max() ?? 0))
  }

  /// The text that reads back as the same values.
  public var description: String { keys.map { "\($0.value)@\($0.index + 1)" }.joined(separator: " ") }
}
