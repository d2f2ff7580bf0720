/// An integer expression of GLSL, in an `#if` or the size of an array.
package struct GLSLExpression {
  /// A number, or the name that has no known value.
  package enum Value: Hashable {
    case known(Int)
    case unknown(String)

    var number: Int? { if case .known(let number) = self { number } else { nil } }
  }

  private let tokens: [GLSLToken]
  private let lookUp: (String) -> Int?
  private var index = 0

  /// Evaluates `tokens`; `lookUp` returns the values of names.
  package static func value(of tokens: [GLSLToken], _ lookUp: (String) -> Int?) -> Value {
    withoutActuallyEscaping(lookUp) { lookUp in
      var expression = GLSLExpression(tokens: tokens, lookUp: lookUp)
      let value = expression.binary(0)
      return expression.index == tokens.count ? value : .unknown(expression.next?.text ?? "")
    }
  }

  private init(tokens: [GLSLToken], lookUp: @escaping (String) -> Int?) {
    self.tokens = tokens
    self.lookUp = lookUp
  }

  private var next: GLSLToken? { index < tokens.count ? tokens[index] : nil }

  /// The binary operators, the loosest first; nil is a division by 0.
  private static let ranks: [[String: @Sendable (Int, Int) -> Int?]] = [
    ["||": { ($0 != 0 || $1 != 0).number }],
    ["&&": { ($0 != 0 && $1 != 0).number }],
    ["|": { $0 | $1 }],
    ["^": { $0 ^ $1 }],
    ["&": { $0 & $1 }],
    ["==": { ($0 == $1).number }, "!=": { ($0 != $1).number }],
    ["<": { ($0 < $1).number }, ">": { ($0 > $1).number }, "<=": { ($0 <= $1).number }, ">=": { ($0 >= $1).number }],
    ["<<": { $0 << min(63, max(0, $1)) }, ">>": { $0 >> min(63, max(0, $1)) }],
    ["+": { $0 &+ $1 }, "-": { $0 &- $1 }],
    [
      "*": { $0 &* $1 },
      "/": { $1 == 0 ? nil : $0.dividedReportingOverflow(by: $1).partialValue },
      "%": { $1 == 0 ? nil : $0.remainderReportingOverflow(dividingBy: $1).partialValue },
    ],
  ]

  private mutating func binary(_ rank: Int) -> Value {
    guard rank < Self.ranks.count else { return unary() }
    var left = binary(rank + 1)
    while let mark = next, mark.kind == .mark, let operation = Self.ranks[rank][mark.text] {
      index += 1
      left = Self.apply(mark.text, operation, left, binary(rank + 1))
    }
    return left
  }

  private mutating func unary() -> Value {
    guard let token = next else { return .unknown("the end of the line") }
    index += 1
    switch (token.kind, token.text) {
    case (.mark, "+"): return unary()
    case (.mark, "-"): return Self.map(unary()) { 0 &- $0 }
    case (.mark, "!"): return Self.map(unary()) { ($0 == 0).number }
    case (.mark, "~"): return Self.map(unary()) { ~$0 }
    case (.mark, "("):
      let value = binary(0)
      guard next?.text == ")" else { return .unknown("(") }
      index += 1
      return value
    case (.number, let text): return Self.number(text).map { .known($0) } ?? .unknown(text)
    // int(x) and uint(x) do not change any number that is possible here.
    case (.word, "int"), (.word, "uint"): return next?.text == "(" ? unary() : .unknown(token.text)
    case (.word, let name): return lookUp(name).map { .known($0) } ?? .unknown(name)
    case (.mark, let text): return .unknown(text)
    }
  }

  private static func map(_ value: Value, _ change: (Int) -> Int) -> Value {
    value.number.map { .known(change($0)) } ?? value
  }

  private static func apply(
    _ mark: String, _ operation: (Int, Int) -> Int?, _ left: Value, _ right: Value
  ) -> Value {
    // The left side may decide without a known right side: `defined(A) && A > 1`.
    if mark == "&&", left == .known(0) { return .known(0) }
    if mark == "||", let left = left.number, left != 0 { return .known(1) }
    guard let a = left.number else { return left }
    guard let b = right.number else { return right }
    return operation(a, b).map { .known($0) } ?? .unknown("a division by 0")
  }

  /// Decimal, octal and hexadecimal literals, with or without `u`; nil for floats.
  private static func number(_ text: String) -> Int? {
    let digits = text.lowercased().hasSuffix("u") ? text.dropLast() : text[...]
    if digits.lowercased().hasPrefix("0x") { return Int(digits.dropFirst(2), radix: 16) }
    if digits.count > 1, digits.first == "0" { return Int(digits, radix: 8) }
    return Int(digits)
  }
}

extension Bool {
  /// 1 or 0, as the preprocessor counts.
  var number: Int { self ? 1 : 0 }
}

/// The layout of a block's members in memory (ES 3.1 §7.6.2.2).
package enum GLSLLayout {
  /// Arrays, their elements and structures begin at multiples of 16.
  case std140
  /// Arrays and structures are aligned as their members.
  case std430
  /// Members follow each other, the least that threadgroup memory takes.
  case tight

  struct Measure: Hashable {
    var alignment: Int
    var size: Int
  }

  /// Returns the bytes of a block, with one element of an array without a size; nil if a type or size is unknown.
  package func size(of members: [GLSLVariable], _ structures: [String: [GLSLVariable]]) -> Int? {
    var end = 0
    for member in members {
      guard let measure = measure(member, structures) else { return nil }
      end = Self.rounded(end, measure.alignment) + measure.size
    }
    return end
  }

  private func measure(_ variable: GLSLVariable, _ structures: [String: [GLSLVariable]]) -> Measure? {
    guard let element = element(variable, structures) else { return nil }
    guard variable.isArray else { return element }
    guard let count = variable.count else { return nil }
    let alignment = self == .std140 ? Self.rounded(element.alignment, 16) : element.alignment
    let product = Self.rounded(element.size, alignment).multipliedReportingOverflow(by: max(0, count))
    return product.overflow ? nil : Measure(alignment: alignment, size: product.partialValue)
  }

  private func element(_ variable: GLSLVariable, _ structures: [String: [GLSLVariable]]) -> Measure? {
    if let members = structures[variable.type] {
      guard let size = size(of: members, structures) else { return nil }
      let alignments = members.compactMap { measure($0, structures)?.alignment }
      let alignment = max(self == .std140 ? 16 : 1, alignments.max() ?? 1)
      return Measure(alignment: alignment, size: Self.rounded(size, alignment))
    }
    if let matrix = Self.matrix(variable.type) {
      let (vectors, rows) = variable.isRowMajor ? (matrix.rows, matrix.columns) : (matrix.columns, matrix.rows)
      let vector = self.vector(rows)
      let alignment = self == .std140 ? 16 : vector.alignment
      return Measure(alignment: alignment, size: Self.rounded(vector.size, alignment) * vectors)
    }
    switch variable.type {
    case "float", "int", "uint", "bool": return vector(1)
    default:
      guard let last = variable.type.last?.wholeNumberValue, (2...4).contains(last),
        ["vec", "ivec", "uvec", "bvec"].contains(variable.type.dropLast())
      else { return nil }
      return vector(last)
    }
  }

  private func vector(_ count: Int) -> Measure {
    Measure(alignment: self == .tight || count == 1 ? 4 : count == 2 ? 8 : 16, size: count * 4)
  }

  private static func matrix(_ type: String) -> (columns: Int, rows: Int)? {
    guard type.hasPrefix("mat") else { return nil }
    let numbers = type.dropFirst(3).split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard let columns = numbers.first ?? nil, let rows = numbers.last ?? nil, numbers.count <= 2,
      (2...4).contains(columns), (2...4).contains(rows)
    else { return nil }
    return (columns, rows)
  }

  private static func rounded(_ value: Int, _ alignment: Int) -> Int { (value + alignment - 1) / alignment * alignment }
}

package struct GLSLVariable: Hashable {
  package var type: String
  package var name: String
  /// True if it is an array, perhaps of arrays.
  package var isArray = false
  /// The product of its array sizes, with 1 for an outermost array without a size; nil if a size is unknown.
  var count: Int? = 1
  var isRowMajor = false
}
