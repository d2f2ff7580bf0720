package import SafelightImage

/// The numbering of a sequence's names, which differ in one number, such as `shot.0017.v2.png` and `shot.0018.v2.png`.
package struct FrameNumbering {
  /// The numbers of the names, in their order.
  package let numbers: [Int]
  /// The first name, which all others equal but for the number that varies.
  private let shape: NumberedName
  /// The index of the number that varies.
  private let place: Int
  /// The minimum numbers of digits, padded with zeros: of numbers below 0 and of others.
  private let widths: (negative: Int, other: Int)
}

extension FrameNumbering {
  /// Returns the numberings of two sequences to be paired; nil if one is not numbered, or the same names vary in
  /// another number.
  ///
  /// A single name does not show which number varies, so it must be a possible name of the other sequence.
  package static func ofBoth(_ left: [String], _ right: [String]) -> (FrameNumbering, FrameNumbering)? {
    // Equal numbers, of names with more or fewer zeros, have no one partner.
    func distinct(_ names: [String]) -> FrameNumbering? {
      FrameNumbering(names).flatMap { Set($0.numbers).count == names.count ? $0 : nil }
    }
    let (a, b) = (distinct(left), distinct(right))
    switch (a, b) {
    case (let a?, let b?):
      // shot.0001.v1 and shot.0002.v1 are frames, shot.0001.v1 and shot.0001.v2 versions of one.
      return a.shape.texts == b.shape.texts && a.place != b.place ? nil : (a, b)
    case (nil, let b?) where left.count == 1: return b.counting(left[0]).map { ($0, b) }
    case (let a?, nil) where right.count == 1: return a.counting(right[0]).map { (a, $0) }
    default: return nil
    }
  }

  /// Reads at least two `names`; nil if they are not numbered.
  private init?(_ names: [String]) {
    let parts = names.map(NumberedName.init)
    guard let first = parts.first, parts.allSatisfy({ $0.texts == first.texts }) else { return nil }
    let varying = first.numbers.indices.filter { place in parts.contains { $0.numbers[place] != first.numbers[place] } }
    guard varying.count == 1 else { return nil }
    let place = varying[0]
    let written = parts.map { $0.numbers[place] }
    let numbers = written.compactMap(NumberedName.value)
    guard numbers.count == names.count else { return nil }
    let negative = written.filter { $0.hasPrefix("-") }.map { $0.utf8.count - 1 }.min()
    let other = written.filter { !$0.hasPrefix("-") }.map(\.utf8.count).min()
    // As printf pads, for which the sign is one of the characters.
    let widths = (negative: negative ?? (other ?? 0) - 1, other: other ?? negative ?? 0)
    self.init(numbers: numbers, shape: first, place: place, widths: widths)
  }

  /// Returns the numbering of the single `name`; nil if it differs from the others in more than its number.
  private func counting(_ name: String) -> FrameNumbering? {
    let parts = NumberedName(name)
    guard parts.texts == shape.texts, let number = NumberedName.value(parts.numbers[place]),
      shape.numbers.indices.allSatisfy({ $0 == place || parts.numbers[$0] == shape.numbers[$0] })
    else { return nil }
    return FrameNumbering(numbers: [number], shape: shape, place: place, widths: widths)
  }

  package func name(_ number: Int) -> String {
    let digits = String(number.magnitude)
    let padding = String(repeating: "0", count: max(0, (number < 0 ? widths.negative : widths.other) - digits.count))
    var numbers = shape.numbers
    numbers[place] = (number < 0 ? "-" : "") + padding + digits
    return zip(shape.texts, numbers + [""]).map { $0 + $1 }.joined()
  }

  /// Returns the numbers missing between the first and the last of `numbers`; none if the numbers are names and no
  /// count.
  ///
  /// The step of a count is the smallest difference between two of its numbers. Numbers are a count if most differences
  /// are that step, or if the step is 1 and at most half as many are missing as exist: 1, 2, 4 lack a 3, and 1, 2, 4, 8
  /// nothing. A date among them causes no gap of millions. If `literally`, any numbers are a count, whose step is the
  /// greatest common divisor of the differences.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if `literally` and more than a hundred times as many are missing as
  ///   exist.
  package static func gaps(in numbers: Set<Int>, literally: Bool = false) throws(SafelightError) -> [Int] {
    let sorted = numbers.sorted()
    let steps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }
    let divisor = steps.reduce(UInt(0)) { greatestCommonDivisor($0, $1.magnitude) }
    let least = literally ? Int(divisor) : steps.min() ?? 0
    guard steps.count > 1, steps.allSatisfy({ $0 % least == 0 }) else { return [] }
    let skipped = steps.reduce(0) { $0 + $1 / least - 1 }
    guard skipped <= 100 * numbers.count else {
      guard literally else { return [] }
      throw SafelightError(
        .input, "the numbers \(sorted[0]) to \(sorted[sorted.count - 1])",
        why: "\(skipped) of these numbers are missing, and only \(numbers.count) exist",
        remedy: "name only the frames of one sequence")
    }
    let isMostlyLeast = 2 * steps.count(where: { $0 == least }) > steps.count
    guard literally || isMostlyLeast || least == 1 && 2 * skipped <= numbers.count else { return [] }
    return stride(from: sorted[0], to: sorted[sorted.count - 1], by: least).filter { !numbers.contains($0) }
  }

  /// A missing number between two names.
  package struct Gap {
    package let name: String
    /// The indices of the names around it.
    package let previous, next: Int
  }

  /// Returns the numbers missing from `names`, for each family of names by itself: `cover.png` has no bearing on
  /// `frame1.png` to `frame9.png`. A family that does not ascend has no gaps.
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
    guard zip(numbers, numbers.dropFirst()).allSatisfy(<=) else { return [] }
    var next = 0
    return try gaps(in: Set(numbers), literally: literally).map { number in
      while numbers[next] < number { next += 1 }
      return Gap(name: numbering.name(number), previous: family[next - 1].place, next: family[next].place)
    }
  }

  /// Returns the indices of neighbors in a family of `names` that have the same number: `f01` and `f1`.
  package static func shared(among names: [String]) -> [(Int, Int)] {
    families(of: names).flatMap { places -> [(Int, Int)] in
      guard let numbers = FrameNumbering(places.map { names[$0] })?.numbers else { return [] }
      return numbers.indices.dropFirst().compactMap {
        numbers[$0 - 1] == numbers[$0] ? (places[$0 - 1], places[$0]) : nil
      }
    }.sorted { $0 < $1 }
  }

  /// Returns the index of the first of at least three `names` of which each is a family of its own, since two numbers
  /// change with every one, such as a count and a time; nil if there are none.
  package static func uncounted(among names: [String]) -> Int? {
    let parts = names.map(NumberedName.init)
    let alone = families(of: names).filter { $0.count == 1 }.flatMap { $0 }
    return Dictionary(grouping: alone) { parts[$0].texts }.values.filter { $0.count > 2 }.compactMap { $0.min() }.min()
  }

  /// Returns the indices of names that differ only in the last number that varies: `shot1_01` and `shot1_02`,
  /// `shot2_01` and `shot2_02`.
  private static func families(of names: [String]) -> [[Int]] {
    let parts = names.map(NumberedName.init)
    return Dictionary(grouping: names.indices) { parts[$0].texts }.values.flatMap { family -> [[Int]] in
      let first = parts[family[0]].numbers
      let varying = first.indices.filter { place in family.contains { parts[$0].numbers[place] != first[place] } }
      guard varying.count > 1, let last = varying.last else { return [family] }
      return Array(Dictionary(grouping: family) { Array(parts[$0].numbers[..<last]) }.values)
    }
  }
}
