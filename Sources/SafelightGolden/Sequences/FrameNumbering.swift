/// The numbers that the names of a sequence count by: names that are equal but for one number, as `shot.0017.v2.png` and `shot.0018.v2.png`.
struct FrameNumbering {
  /// One for each name, in their order; no two equal.
  let numbers: [Int]
  private let prefix: String
  private let suffix: String
  /// Digits at least, filled with zeros.
  private let width: Int

  /// Reads `names`; nil where they do not count.
  init?(_ names: [String]) {
    let parts = names.map(Self.parts)
    guard let first = parts.first, !first.digits.isEmpty, parts.allSatisfy({ $0.texts == first.texts }) else {
      return nil
    }
    let varying = first.digits.indices.filter { place in parts.contains { $0.digits[place] != first.digits[place] } }
    // A single name counts by its last number.
    let place = varying.first ?? first.digits.count - 1
    guard varying.count <= 1 else { return nil }
    let numbers = parts.compactMap { Int($0.digits[place]) }
    guard numbers.count == names.count, Set(numbers).count == names.count else { return nil }
    self.numbers = numbers
    width = parts.map { $0.digits[place].count }.min() ?? 0
    prefix = zip(first.texts, first.digits).prefix(place).map { $0 + $1 }.joined() + first.texts[place]
    suffix = zip(first.texts, first.digits + [""]).dropFirst(place + 1).map { $0 + $1 }.joined()
  }

  /// The name that frame `number` would have.
  func name(_ number: Int) -> String {
    let digits = String(number)
    return prefix + String(repeating: "0", count: max(0, width - digits.count)) + digits + suffix
  }

  /// The numbers between the first and the last of `numbers` that their step skips, which is the most frequent one; none where fewer than half
  /// of them go by it, because such numbers are names and no count.
  static func gaps(in numbers: Set<Int>) -> [Int] {
    let sorted = numbers.sorted()
    guard let first = sorted.first, let last = sorted.last, first < last else { return [] }
    let steps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }
    let counts = Dictionary(steps.map { ($0, 1) }, uniquingKeysWith: +)
    guard let (step, count) = counts.max(by: { ($0.value, -$0.key) < ($1.value, -$1.key) }),
      steps.count == 1 || 2 * count > steps.count
    else { return [] }
    return stride(from: first, through: last, by: step).filter { !numbers.contains($0) }
  }

  /// `name` cut into texts and the digits between them; one text more than there are numbers.
  private static func parts(_ name: String) -> (texts: [String], digits: [String]) {
    var (texts, digits) = ([""], [String]())
    var isInDigits = false
    for character in name {
      if ("0"..."9").contains(character) {
        if !isInDigits { digits.append("") }
        digits[digits.count - 1].append(character)
        isInDigits = true
      } else {
        if isInDigits { texts.append("") }
        texts[texts.count - 1].append(character)
        isInDigits = false
      }
    }
    if isInDigits { texts.append("") }
    return (texts, digits)
  }
}
