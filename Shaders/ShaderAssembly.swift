/// The assembly of a function: version line, constants, prelude, and its texts with their includes, each at most once.
///
/// OpenGL ES has neither includes nor specialization constants, so constants are `#define`s, and includes are pasted
/// when the assembly is made: later changes of files do not change it. An include is searched in the folder of the
/// including file, then among the texts of this package. `#extension` lines move to the head; `#line` lines are
/// removed, since messages point into the author's lines without them.
public struct ShaderAssembly: Hashable, Sendable {
  /// The texts, in order.
  public let parts: [ShaderText]
  /// Constants, in the order in which they were given.
  public private(set) var constants: [Constant]

  private let body: Result<AssembledShader, ShaderIncludeError>
  /// The number of the body's lines that must come first.
  private let extensions: Int

  /// A macro and its value.
  public struct Constant: Hashable, Sendable {
    /// The macro's name.
    public let name: String
    /// The macro's text.
    public let text: String

    /// Makes an integer.
    public init(_ name: String, _ value: Int) {
      self.name = name
      text = value < 0 ? "(\(value))" : "\(value)"
    }

    /// Makes a constant of 1 or 0, which `#if` accepts, unlike `true`.
    public init(_ name: String, _ value: Bool) { self.init(name, value ? 1 : 0) }

    /// Makes an unsigned integer, with the suffix `u`.
    public init(_ name: String, _ value: UInt32) {
      self.name = name
      text = "\(value)u"
    }

    /// Makes a float that the compiler reads back exactly. Infinities and NaN are written as bits, and so are the
    /// greatest floats, whose decimal numbers ANGLE takes for infinity (Chromium 150; LibraryDeviceTests).
    public init(_ name: String, _ value: Float) {
      self.name = name
      text =
        value.magnitude < 0x1p127
        ? (value.sign == .minus ? "(\(value))" : "\(value)")
        : "uintBitsToFloat(0x\(String(value.bitPattern, radix: 16))u)"
    }
  }

  /// Assembles texts of this package.
  package init(_ sources: [ShaderSource], constants: [Constant] = []) {
    self.init([ShaderText(including: sources)], constants: constants)
  }

  /// Assembles a user's texts, which may include those of this package by file name.
  public init(texts: [String], constants: [Constant] = []) {
    self.init(
      texts.enumerated().map {
        ShaderText(name: texts.count == 1 ? "source" : "source \($0.offset + 1)", contents: $0.element)
      }, constants: constants)
  }

  /// Assembles texts; ``assembled(_:)`` throws a fault in their includes.
  public init(_ parts: [ShaderText], constants: [Constant] = []) {
    self.parts = parts
    self.constants = constants
    var inclusion = ShaderInclusion()
    do throws(ShaderIncludeError) {
      try inclusion.append(ShaderText(.prelude))
      for part in parts { try inclusion.append(part) }
      body = .success(AssembledShader(inclusion.extensions + inclusion.lines, files: inclusion.files))
    } catch {
      body = .failure(error)
    }
    extensions = inclusion.extensions.count
  }

  /// Returns an assembly of the same texts with other constants.
  public func with(_ constants: [Constant]) -> ShaderAssembly {
    var assembly = self
    assembly.constants = constants
    return assembly
  }

  /// Returns the complete text with the origin of each line; `extra` constants come from the dispatch.
  public func assembled(_ extra: [Constant] = []) throws(ShaderIncludeError) -> AssembledShader {
    let body = try body.get()
    let head = ["#version 310 es"].map { AssembledShader.Line(text: $0) }
    let defines = (constants + extra).map { AssembledShader.Line(text: "#define \($0.name) \($0.text)") }
    let lines = zip(body.text.lines, body.places).map { AssembledShader.Line(text: $0, place: $1) }
    return AssembledShader(
      head + lines.prefix(extensions) + defines + lines.dropFirst(extensions), files: body.files)
  }

  /// Returns the complete text.
  public func text(_ extra: [Constant] = []) throws(ShaderIncludeError) -> String { try assembled(extra).text }
}
