internal import SafelightImage
internal import SafelightShaders

/// Values for the constants of a function; Metal's `MTLFunctionConstantValues`.
///
/// GLSL has no constants that are set after compilation: each becomes a `#define` in front of the text.
public struct FunctionConstantValues: Hashable, Sendable {
  private var values: [String: ShaderAssembly.Constant] = [:]

  /// Makes an empty set.
  public init() {}

  /// Sets an integer.
  public mutating func setConstantValue(_ value: Int32, withName name: String) {
    set(ShaderAssembly.Constant(name, Int(value)))
  }

  /// Sets an unsigned integer, written with `u`; for `#if` take an integer.
  public mutating func setConstantValue(_ value: UInt32, withName name: String) {
    set(ShaderAssembly.Constant(name, value))
  }

  /// Sets a float, every value of which the text gives back.
  public mutating func setConstantValue(_ value: Float, withName name: String) {
    set(ShaderAssembly.Constant(name, value))
  }

  /// Sets 1 or 0: `#if NAME`, and `bool(NAME)` in an expression.
  public mutating func setConstantValue(_ value: Bool, withName name: String) {
    set(ShaderAssembly.Constant(name, value))
  }

  private mutating func set(_ constant: ShaderAssembly.Constant) {
    let name = constant.name.utf8
    let isWord = name.allSatisfy { byte in
      byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 32)
    }
    trap(
      unless: isWord && name.first.map { $0 > UInt8(ascii: "9") } == true && !constant.name.hasPrefix("GL_")
        && !constant.name.contains("__"),
      "'\(constant.name)' cannot name a constant; use letters, digits and single underscores, not GL_ at the head")
    values[constant.name] = constant
  }

  /// In one order, so that equal sets give equal texts.
  var constants: [ShaderAssembly.Constant] { values.sorted { $0.key < $1.key }.map(\.value) }
}
