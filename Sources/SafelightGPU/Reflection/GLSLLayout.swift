/// How the members of a block lie in memory (ES 3.1 §7.6.2.2).
package enum GLSLLayout {
  /// Arrays and structures begin at multiples of 16, and so do their elements.
  case std140
  /// As they are.
  case std430
  /// One after the other, as threadgroup memory at least takes.
  case tight

  struct Measure: Hashable {
    var alignment: Int
    var size: Int
  }

  /// The bytes of a block of `members`, up to the end of the last, of which an array without a size has one element; nil
  /// where a type or a size is not known.
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

  private static func rounded(_ value: Int, _ alignment: Int) -> Int {
    (value + alignment - 1) / alignment * alignment
  }
}

/// A variable or a member of a block.
package struct GLSLVariable: Hashable {
  package var type: String
  package var name: String
  /// True for arrays, also of arrays.
  package var isArray = false
  /// Elements of all its arrays together, 1 where the outermost has no size; nil where a size is not known.
  var count: Int? = 1
  var isRowMajor = false
}
