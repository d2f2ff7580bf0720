internal import SafelightGLES
package import SafelightImage

extension FunctionReflection {
  /// Throws where the arguments that `function` states are not those of its GLSL.
  func check(stated: [ShaderArgument], of function: String) throws(SafelightError) {
    for statement in stated {
      if let declared = arguments.first(where: { $0.binding.isSame(as: statement) }) {
        try check(statement, declared, of: function)
      } else {
        throw missing(statement, of: function)
      }
    }
    for declared in arguments where !stated.contains(where: { $0.isSame(as: declared.binding) }) {
      throw SafelightError(
        .usage, "'\(function)'",
        why:
          "its GLSL declares \(declared.binding.noun) \(declared.index) '\(declared.name)', which its arguments lack",
        remedy: "add .\(declared.binding) to them, or leave them out to have them read from the GLSL")
    }
  }

  /// A buffer may be stated as written that is only read, a texture as read that is only written: barriers then do more than they
  /// must. Never the other way.
  private func check(
    _ statement: ShaderArgument, _ declared: Argument, of function: String
  ) throws(SafelightError) {
    if case .storageTexture = statement, case .readWriteTexture = declared.binding {
      throw SafelightError(
        .usage, "'\(function)'",
        why:
          "its arguments say that texture \(declared.index) '\(declared.name)' is only written, its GLSL may read it",
        remedy: "declare it writeonly, or state .readWriteTexture(\(declared.index))")
    }
    guard case .readBuffer = statement, case .storageBuffer = declared.binding else { return }
    throw SafelightError(
      .usage, "'\(function)'",
      why: "its arguments say that buffer \(declared.index) '\(declared.name)' is only read, its GLSL may write it",
      remedy: "declare it readonly, or state .storageBuffer(\(declared.index))")
  }

  private func missing(_ statement: ShaderArgument, of function: String) -> SafelightError {
    let others = arguments.filter { $0.binding.noun == statement.noun && $0.index == statement.index }
    if let other = others.first {
      return SafelightError(
        .usage, "'\(function)'",
        why: "its arguments state .\(statement), but '\(other.name)' is a \(other.type)",
        remedy: "state .\(other.binding)")
    }
    return SafelightError(
      .usage, "'\(function)'",
      why: "its arguments state \(statement.noun) \(statement.index), which its GLSL does not declare",
      remedy: "declare it with layout(binding = \(statement.index)), or take it out of the arguments")
  }

  /// Throws where the driver's account of a program has what this one lacks, or has it otherwise.
  ///
  /// The driver leaves out what no code uses.
  package func check(against resources: [ProgramResource], of function: String) throws(SafelightError) {
    for resource in resources where resource.kind != .uniform {
      for element in 0..<resource.count {
        let found = arguments.contains { $0.agrees(with: resource, element: element) }
        guard !found else { continue }
        let size = resource.dataSize > 0 ? " of \(resource.dataSize) bytes" : ""
        throw SafelightError(
          .driver, "'\(function)'",
          why: """
            the driver found a \(resource.kind.rawValue) \(resource.type) '\(resource.name)' at \(resource.index)\(size), \
            which was not found in its text
            """, remedy: "write the declaration plainly, with its layout; a built-in function: report it")
      }
    }
  }
}

extension FunctionReflection.Argument {
  fileprivate func agrees(with resource: ProgramResource, element: Int) -> Bool {
    guard index == resource.index + element else { return false }
    switch (resource.kind, binding) {
    case (.sampler, .sampledTexture), (.image, .storageTexture), (.image, .readWriteTexture):
      return type == resource.type
    case (.uniformBlock, .bytes), (.storageBlock, .readBuffer), (.storageBlock, .storageBuffer):
      // Some drivers round up to 16.
      return name == resource.name
        && (dataSize.map { resource.dataSize == $0 || resource.dataSize == ($0 + 15) / 16 * 16 } ?? true)
    default: return false
    }
  }
}

extension ShaderArgument {
  /// Whether both are the same binding, be it read or written.
  fileprivate func isSame(as other: ShaderArgument) -> Bool { rank == other.rank && index == other.index }
}
