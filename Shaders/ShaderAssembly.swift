/// Puts a function together: version line, constants, prelude, and its texts with their includes, each at most once.
///
/// OpenGL ES has neither includes nor specialisation constants, so constants are `#define`s and includes are pasted
/// here.
public struct ShaderAssembly: Hashable, Sendable {
  /// The texts, in order.
  public let parts: [String]
  /// Constants, in the order in which they were given.
  public let constants: [Constant]

  /// A name and its value.
  public struct Constant: Hashable, Sendable {
    /// The macro's name.
    public let name: String
    /// The value; true is 1.
    public let value: Int

    /// Makes a constant.
    public init(_ name: String, _ value: Int) {
      self.name = name
      self.value = value
    }

    /// Makes a constant of 1 or 0.
    public init(_ name: String, _ value: Bool) { self.init(name, value ? 1 : 0) }
  }

  /// Puts texts of this package together.
  public init(_ sources: [ShaderSource], constants: [Constant] = []) {
    self.init(texts: sources.map(\.text), constants: constants)
  }

  /// Puts texts of a user's own together; they may include those of this package by file name.
  public init(texts: [String], constants: [Constant] = []) {
    parts = texts
    self.constants = constants
  }

  /// The complete text. `extra` constants come from the dispatch.
  public func text(_ extra: [Constant] = []) -> String {
    var included: Set<ShaderSource> = []
    let body = ([ShaderSource.prelude.text] + parts).map { Self.expand($0, &included) }
    let defines = (constants + extra).map { "#define \($0.name) \($0.value)" }
    return (["#version 310 es"] + defines + body).joined(separator: "\n")
  }

  private static func expand(_ text: String, _ included: inout Set<ShaderSource>) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.hasPrefix("#include \""), let name = line.split(separator: "\"").dropFirst().first,
        let source = ShaderSource(rawValue: String(name))
      else { return String(line) }
      return included.insert(source).inserted ? expand(source.text, &included) : ""
    }.joined(separator: "\n")
  }
}
