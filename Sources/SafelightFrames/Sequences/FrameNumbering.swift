package import SafelightImage

/// The numbers that the names of a sequence count by: names that are equal but for one number, as `shot.0017.v2.png` and `shot.0018.v2.png`.
package struct FrameNumbering {
  /// One for each name, in their order; no two equal.
  package let numbers: [Int]
  /// What all names have, and the numbers of the first one between them.
  private let texts: [String]
  private let digits: [String]
  /// Which of the numbers counts.
  private let place: Int
  /// Digits at least, filled with zeros.
  private let width: Int

  /// Of two sequences that are to be paired; nil where one does not count, or the same names count by another number.
  ///
  /// A lone name does not tell what counts in it: it must be one that the other sequence could have.
  package static func ofBoth(_ left: [String], _ right: [String]) -> (FrameNumbering, FrameNumbering)? {
    let (a, b) = (FrameNumbering(left), FrameNumbering(right))
    switch (a, b) {
    case (let a?, let b?):
      // shot.0001.v1 and shot.0002.v1 are frames, shot.0001.v1 and shot.0001.v2 versions of one.
      return a.texts == b.texts && a.place != b.place ? nil : (a, b)
    case (nil, let b?) where left.count == 1: return b.counting(left[0]).map { ($0, b) }
    case (let a?, nil) where right.count == 1: return a.counting(right[0]).map { (a, $0) }
    default: return nil
    }
  }

  /// Reads `names`, two at least; nil where they do not count.
  private init?(_ names: [String]) {
    let parts = names.map(Self.parts)
    guard let first = parts.first, parts.allSatisfy({ $0.texts == first.texts }) else { return nil }
    let varying = first.digits.indices.filter { place in parts.contains { $0.digits[place] != first.digits[place] } }
    guard varying.count == 1 else { return nil }
    let place = varying[0]
    let numbers = parts.compactMap { Int($0.digits[place]) }
    guard numbers.count == names.count, Set(numbers).count == names.count else { return nil }
    let width = parts.map { $0.digits[place].count }.min() ?? 0
    self.init(numbers: numbers, texts: first.texts, digits: first.digits, place: place, width: width)
  }

  private init(numbers: [Int], texts: [String], digits: [String], place: Int, width: Int) {
    self.numbers = numbers
    self.texts = texts
    self.digits = digits
    self.place = place
    self.width = width
  }

  /// The number of `name` alone, where only that number tells it from the others.
  private func counting(_ name: String) -> FrameNumbering? {
    let parts = Self.parts(name)
    guard parts.texts == texts, let number = Int(parts.digits[place]),
      digits.indices.allSatisfy({ $0 == place || parts.digits[$0] == digits[$0] })
    else { return nil }
    return FrameNumbering(numbers: [number], texts: texts, digits: digits, place: place, width: width)
  }

  /// The name that frame `number` would have.
  package func name(_ number: Int) -> String {
    let counted = String(number)
    var digits = digits
    digits[place] = String(repeating: "0", count: max(0, width - counted.count)) + counted
    return zip(texts, digits + [""]).map { $0 + $1 }.joined()
  }

  /// The numbers between the first and the last of `numbers` that are skipped; none where such numbers are names and no count.
  ///
  /// Numbers count by the least step between two of them. They do where most steps are that one, and where a step of 1
  /// skips no more than half as many as are there: 1, 2, 4 lack a 3, and 1, 2, 4, 8 nothing. A date among them makes no
  /// gap of millions. Where `literally`, numbers count whatever they are, by the greatest step that all of theirs are
  /// multiples of.
  ///
  /// - Throws: ``SafelightError`` of the kind `input` if literally more than a hundred times as many are skipped as are
  ///   there.
  package static func gaps(in numbers: Set<Int>, literally: Bool = false) throws(SafelightError) -> [Int] {
    let sorted = numbers.sorted()
    let steps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }
    let least = literally ? steps.reduce(0, greatestDivisor) : steps.min() ?? 0
    guard steps.count > 1, steps.allSatisfy({ $0 % least == 0 }) else { return [] }
    let skipped = steps.reduce(0) { $0 + $1 / least - 1 }
    guard skipped <= 100 * numbers.count else {
      guard literally else { return [] }
      throw SafelightError(
        .input, "the numbers \(sorted[0]) to \(sorted[sorted.count - 1])",
        why: "\(skipped) of them are missing, and \(numbers.count) are there",
        remedy: "name only the frames of one sequence")
    }
    if literally {
      return stride(from: sorted[0], to: sorted[sorted.count - 1], by: least).filter { !numbers.contains($0) }
    }
    let isCount = 2 * steps.count(where: { $0 == least }) > steps.count || least == 1 && 2 * skipped <= numbers.count
    return isCount
      ? stride(from: sorted[0], to: sorted[sorted.count - 1], by: least).filter { !numbers.contains($0) } : []
  }

  private static func greatestDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : greatestDivisor(b, a % b) }

  /// A number that names skip, between two of them.
  package struct Gap {
    /// The name that it would have.
    package let name: String
    /// The places of the names around it.
    package let previous, next: Int
  }

  /// The numbers that `names` skip, each family of names looked at by itself: `cover.png` says nothing about `frame1.png` to
  /// `frame9.png`. A family that does not count upwards skips nothing.
  package static func gaps(among names: [String], literally: Bool = false) throws(SafelightError) -> [Gap] {
    var gaps: [Gap] = []
    for places in families(of: names) {
      gaps += try Self.gaps(among: places.map { (name: names[$0], place: $0) }, literally)
    }
    return gaps.sorted { ($0.next, $0.name) < ($1.next, $1.name) }
  }

  private static func gaps(
    among family: [(name: String, place: Int)], _ literally: Bool
  ) throws(SafelightError) -> [Gap] {
    guard family.count > 2, let numbering = FrameNumbering(family.map(\.name)) else { return [] }
    let numbers = numbering.numbers
    guard zip(numbers, numbers.dropFirst()).allSatisfy(<) else { return [] }
    var next = 0
    return try gaps(in: Set(numbers), literally: literally).map { number in
      while numbers[next] < number { next += 1 }
      return Gap(name: numbering.name(number), previous: family[next - 1].place, next: family[next].place)
    }
  }

  /// The places of names that differ in one number alone, the last that differs: `shot1_01` and `shot1_02`, `shot2_01` and `shot2_02`.
  private static func families(of names: [String]) -> [[Int]] {
    let parts = names.map(Self.parts)
    return Dictionary(grouping: names.indices) { parts[$0].texts }.values.flatMap { family -> [[Int]] in
      let first = parts[family[0]].digits
      let varying = first.indices.filter { place in family.contains { parts[$0].digits[place] != first[place] } }
      guard varying.count > 1, let last = varying.last else { return [family] }
      return Array(Dictionary(grouping: family) { Array(parts[$0].digits[..<last]) }.values)
    }
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
