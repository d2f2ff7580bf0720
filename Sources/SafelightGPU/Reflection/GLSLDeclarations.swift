/// The declarations of a text outside its functions that concern bindings and memory.
///
/// This is not a compiler: a text with errors gives some list, and the compiler reports the errors next.
package struct GLSLDeclarations {
  /// A uniform or buffer block.
  package struct Block: Hashable {
    package let name: String
    package let qualifiers: GLSLQualifiers
    package let members: [GLSLVariable]
    /// The number of instances of an array of blocks; nil for a single block, or an unknown size.
    let count: Int?
  }

  /// A variable with its qualifiers.
  package struct Global: Hashable {
    package let variable: GLSLVariable
    let qualifiers: GLSLQualifiers
  }

  package private(set) var blocks: [Block] = []
  package private(set) var uniforms: [Global] = []
  /// The inputs: attributes of a vertex function, varyings of a fragment function.
  private(set) var inputs: [Global] = []
  /// The outputs that a fragment function also reads.
  private(set) var fetchedOutputs: [Global] = []
  private(set) var sharedVariables: [GLSLVariable] = []
  package private(set) var structures: [String: [GLSLVariable]] = [:]
  /// The names of all that is declared: functions, variables, blocks, structures, and the members of those.
  package private(set) var names: Set<String> = []
  /// The words of `layout(…) in;`, which apply to the whole function.
  private(set) var inputLayout: Set<String> = []

  private var constants: [String: Int] = [:]
  /// The default layouts of blocks that follow: `layout(std430) buffer;`.
  private var defaults: [String: GLSLQualifiers] = [:]
  private let tokens: [GLSLToken]
  private var index = 0

  package init(_ tokens: [GLSLToken]) {
    self.tokens = tokens
    while index < tokens.count { declaration() }
  }

  private var next: String? { index < tokens.count ? tokens[index].text : nil }

  private mutating func take() -> String? {
    defer { index += 1 }
    return next
  }

  private mutating func declaration() {
    switch next {
    case ";", "}": index += 1
    case "{": skipBraces()
    case "precision": skipStatement()
    default:
      let qualifiers = qualifiers()
      guard let word = take(), word != ";" else {
        defaults[qualifiers.storage] = qualifiers
        if qualifiers.storage == "in" { inputLayout.formUnion(qualifiers.layout.keys) }
        return
      }
      if word == "struct" {
        structure()
      } else if next == "{", !qualifiers.storage.isEmpty {
        block(word, qualifiers)
      } else {
        variables(of: word, qualifiers)
      }
    }
  }

  private mutating func qualifiers() -> GLSLQualifiers {
    var qualifiers = GLSLQualifiers()
    while let word = next {
      if word == "layout" {
        index += 1
        layout(&qualifiers)
      } else if GLSLQualifiers.known.contains(word) {
        qualifiers.words.insert(word)
        index += 1
      } else {
        break
      }
    }
    return qualifiers
  }

  private mutating func layout(_ qualifiers: inout GLSLQualifiers) {
    guard next == "(" else { return }
    index += 1
    while let word = take(), word != ")" {
      guard word != "," else { continue }
      qualifiers.layout[word] = .some(nil)
      guard next == "=" else { continue }
      index += 1
      qualifiers.layout[word] = .some(value(until: [",", ")"]))
    }
  }

  private mutating func structure() {
    let name = next == "{" ? "" : take() ?? ""
    guard next == "{" else { return skipStatement() }
    names.insert(name)
    structures[name] = members()
    skipStatement()
  }

  private mutating func block(_ name: String, _ own: GLSLQualifiers) {
    let qualifiers = own.filled(from: defaults[own.storage])
    var members = members()
    if qualifiers.layout.keys.contains("row_major") {
      for place in members.indices { members[place].isRowMajor = true }
    }
    var instance = GLSLVariable(type: name, name: name)
    names.insert(name)
    if let word = next, word != ";" {
      names.insert(word)
      index += 1
      extent(&instance)
    }
    blocks.append(
      Block(name: name, qualifiers: qualifiers, members: members, count: instance.isArray ? instance.count : nil))
    skipStatement()
  }

  /// Reads the members between braces, and the closing brace.
  private mutating func members() -> [GLSLVariable] {
    index += 1
    var members: [GLSLVariable] = []
    while let word = next, word != "}" {
      let qualifiers = qualifiers()
      guard let type = take(), type != ";" else { continue }
      members += list(of: type, qualifiers)
      index += next == ";" ? 1 : 0
    }
    index += 1
    return members
  }

  private mutating func variables(of type: String, _ qualifiers: GLSLQualifiers) {
    let found = list(of: type, qualifiers)
    // A function: its parameters, then a body or none.
    if next == "(" {
      while let word = take(), word != ")" {}
      if next == "{" { skipBraces() }
      return
    }
    switch qualifiers.storage {
    case "uniform": uniforms += found.map { Global(variable: $0, qualifiers: qualifiers) }
    case "shared": sharedVariables += found
    case "in": inputs += found.map { Global(variable: $0, qualifiers: qualifiers) }
    case "inout": fetchedOutputs += found.map { Global(variable: $0, qualifiers: qualifiers) }
    default: break
    }
    skipStatement()
  }

  /// Reads names of one type, separated by commas; stops at the end of the list.
  private mutating func list(of type: String, _ qualifiers: GLSLQualifiers) -> [GLSLVariable] {
    var model = GLSLVariable(type: type, name: "")
    extent(&model)
    model.isRowMajor = qualifiers.layout.keys.contains("row_major")
    var found: [GLSLVariable] = []
    while let name = next, index < tokens.count, tokens[index].kind == .word {
      index += 1
      names.insert(name)
      var variable = model
      variable.name = name
      extent(&variable)
      if next == "=" {
        index += 1
        let value = value(until: [",", ";"])
        if qualifiers.isConstant { constants[name] = value }
      }
      if next == "(" { return [] }
      found.append(variable)
      guard next == "," else { break }
      index += 1
    }
    return found
  }

  /// Reads any number of `[n]`.
  private mutating func extent(_ variable: inout GLSLVariable) {
    while next == "[" {
      index += 1
      let isOpen = next == "]"
      let count = isOpen ? 1 : value(until: ["]"])
      index += 1
      variable.isArray = true
      variable.count = count.flatMap { count in
        variable.count.flatMap { known in
          let product = known.multipliedReportingOverflow(by: count)
          return product.overflow ? nil : product.partialValue
        }
      }
    }
  }

  /// Reads an expression up to one of `ends`, exclusive; nil if its value is unknown.
  private mutating func value(until ends: Set<String>) -> Int? {
    let start = index
    var depth = 0
    while let word = next {
      if depth == 0 && ends.contains(word) { break }
      if ["(", "[", "{"].contains(word) { depth += 1 }
      if [")", "]", "}"].contains(word) { depth -= 1 }
      if depth < 0 { break }
      index += 1
    }
    return GLSLExpression.value(of: Array(tokens[start..<index])) { name in
      // A length that was not set counts as 0.
      constants[name] ?? (name.hasPrefix(GLSLPreprocessor.threadgroupMemoryPrefix) ? 0 : nil)
    }.number
  }

  private mutating func skipStatement() {
    while let word = next {
      if word == "{" {
        skipBraces()
        continue
      }
      index += 1
      if word == ";" { break }
    }
  }

  private mutating func skipBraces() {
    var depth = 0
    while let word = take() {
      if word == "{" { depth += 1 }
      if word == "}" { depth -= 1 }
      if depth == 0 { break }
    }
  }
}

/// The qualifiers of a declaration.
package struct GLSLQualifiers: Hashable {
  /// The words before the type.
  var words: Set<String> = []
  /// The words of `layout(…)`, with their values if any is known.
  var layout: [String: Int?] = [:]

  private static let storages = ["uniform", "buffer", "shared", "in", "out", "inout"]
  static let known = Set(storages).union([
    "const", "readonly", "writeonly", "coherent", "volatile", "restrict", "highp", "mediump", "lowp", "flat", "smooth",
    "centroid", "precise", "invariant", "patch", "sample",
  ])

  /// `uniform`, `buffer`, `shared`, `in`, `out`, `inout`, or empty.
  var storage: String { Self.storages.first(where: words.contains) ?? "" }
  package var isReadOnly: Bool { words.contains("readonly") }
  var isWriteOnly: Bool { words.contains("writeonly") }
  var isConstant: Bool { words.contains("const") }

  /// Returns these qualifiers with the missing ones of `defaults`.
  func filled(from defaults: GLSLQualifiers?) -> GLSLQualifiers {
    guard let defaults else { return self }
    var filled = self
    let others = defaults.layout.filter { memory == nil || ($0.key != "std140" && $0.key != "std430") }
    filled.layout.merge(others) { own, _ in own }
    return filled
  }

  /// The `binding`, by default 0; nil if its value is unknown.
  package var binding: Int? { layout["binding"].map { $0 } ?? 0 }

  /// The `location`, by default 0.
  var location: Int { (layout["location"] ?? nil) ?? 0 }

  /// The layout of a block; nil if the driver chooses it.
  package var memory: GLSLLayout? {
    layout.keys.contains("std430") ? .std430 : layout.keys.contains("std140") ? .std140 : nil
  }
}
