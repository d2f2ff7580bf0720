/// Puts a function together: version line, constants, prelude, and its texts with their includes, each at most once.
///
/// OpenGL ES has neither includes nor specialisation constants, so constants are `#define`s and includes are pasted
/// here, when the assembly is made: later changes of files do not change it. An include is looked for in the folder of
/// the file that has it, then among the texts of this package. `#extension` lines move to the head, `#line` lines
/// go: messages point into the author's own lines without them.
public struct ShaderAssembly: Hashable, Sendable {
  /// The texts, in order.
  public let parts: [ShaderText]
  /// Constants, in the order in which they were given.
  public let constants: [Constant]

  private let body: Result<AssembledShader, ShaderIncludeError>
  /// How many lines of the body must stand at the very head.
  private let extensions: Int

  /// A macro and what it stands for.
  public struct Constant: Hashable, Sendable {
    /// The macro's name.
    public let name: String
    /// What stands for it in the text.
    public let text: String

    /// Makes an integer.
    public init(_ name: String, _ value: Int) {
      self.name = name
      text = value < 0 ? "(\(value))" : "\(value)"
    }

    /// Makes a constant of 1 or 0: a macro that is true serves `#if`, as `true` would not.
    public init(_ name: String, _ value: Bool) { self.init(name, value ? 1 : 0) }

    /// Makes an unsigned integer, which differs from an integer's text by its `u`.
    public init(_ name: String, _ value: UInt32) {
      self.name = name
      text = "\(value)u"
    }

    /// Makes a float that the compiler reads back as it is. Infinities and NaN are made from their bits, and so are the
    /// greatest floats: written as decimal numbers ANGLE takes them for infinity (Chromium 150; LibraryDeviceTests).
    public init(_ name: String, _ value: Float) {
      self.name = name
      text =
        value.magnitude < 0x1p127
        ? (value.sign == .minus ? "(\(value))" : "\(value)")
        : "uintBitsToFloat(0x\(String(value.bitPattern, radix: 16))u)"
    }
  }

  /// Puts texts of this package together.
  public init(_ sources: [ShaderSource], constants: [Constant] = []) {
    self.init([ShaderText(including: sources)], constants: constants)
  }

  /// Puts texts of a user's own together; they may include those of this package by file name.
  public init(texts: [String], constants: [Constant] = []) {
    self.init(
      texts.enumerated().map {
        ShaderText(name: texts.count == 1 ? "source" : "source \($0.offset + 1)", contents: $0.element)
      }, constants: constants)
  }

  /// Puts texts together; a fault in their includes is told by ``assembled(_:)``.
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

  /// The same texts with other constants.
  public func with(_ constants: [Constant]) -> ShaderAssembly {
    ShaderAssembly(constants: constants, of: self)
  }

  private init(constants: [Constant], of other: ShaderAssembly) {
    parts = other.parts
    self.constants = constants
    body = other.body
    extensions = other.extensions
  }

  /// The complete text and its account of lines. `extra` constants come from the dispatch.
  public func assembled(_ extra: [Constant] = []) throws(ShaderIncludeError) -> AssembledShader {
    let body = try body.get()
    let head = ["#version 310 es"].map { AssembledShader.Line(text: $0) }
    let defines = (constants + extra).map { AssembledShader.Line(text: "#define \($0.name) \($0.text)") }
    let lines = zip(body.text.lines, body.places).map { AssembledShader.Line(text: $0, place: $1) }
    return AssembledShader(
      head + lines.prefix(extensions) + defines + lines.dropFirst(extensions), files: body.files)
  }

  /// The complete text.
  public func text(_ extra: [Constant] = []) throws(ShaderIncludeError) -> String { try assembled(extra).text }
}
