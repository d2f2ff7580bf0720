package import SafelightGPU
internal import SafelightImage
public import SafelightShaders

/// A function of passes with two bodies that make the same: a shader's in GLSL, and its twin in Swift.
///
/// The properties of a function are compiled in: equal functions share a program. All else both bodies read from the
/// uniforms and the inputs of their pass.
///
/// The body of a function that makes pixels defines `uvec4 pointKernel(uvec4 pixel)`, which gets the first input's
/// pixel at the position that is made and returns the new one: integers from 0 to `MAXIMUM`. The body of a function
/// that makes numbers defines `void begin()`, which all threads of a threadgroup call, `void take(uvec4 pixel)` for
/// each pixel of a thread, and `void give()`, by which all hand on what they know at the end, through the functions of
/// ``Pass/Numbers``.
public protocol PassFunction: Hashable, Sendable {
  /// The name in captures and labels: a word of GLSL.
  var name: String { get }
  /// The shader's body.
  var body: ShaderText { get }
  /// Macros of the body; none by default.
  var constants: [ShaderAssembly.Constant] { get }

  /// The twin: makes the pixels of `memory`'s region, or adds to the numbers what its pixels give. Several calls work
  /// at once, each on rows of its own.
  func make(_ memory: PassMemory)
}

/// A function of this package, which may choose what functions of other packages cannot.
package protocol BuiltInPassFunction: PassFunction {
  /// The order of pixels.
  var kind: Pass.Kind { get }
  /// The body with texts around it.
  var texts: [ShaderText] { get }

  /// The same function in other ways, for devices that differ in what is fast; all make the same.
  var variants: [Self] { get }
  /// Returns the one of ``variants`` that is fastest on a device.
  func variant(on device: DeviceInfo) -> Self

  /// False if the function runs only on OpenGL ES, so that ``PassFunction/make(_:)`` is never called.
  var hasTwin: Bool { get }

  /// Returns a pass that makes what `next` makes of the pixels of `pass`, which has this function; nil if only both
  /// passes do. Both have the kind ``Pass/Kind/pixels``, and `next` reads each pixel at its place.
  func joined(_ pass: Pass, with next: Pass) -> Pass?
}

extension PassFunction {
  /// None by default.
  public var constants: [ShaderAssembly.Constant] { [] }
}

extension BuiltInPassFunction {
  /// This package's file with the function's name.
  package var body: ShaderText {
    guard let source = ShaderSource(named: name) else {
      trap("the function '\(name)' has no \(name).glsl in Shaders/; add it, or give the function a body")
    }
    return ShaderText(source)
  }
  package var kind: Pass.Kind { .pixels }
  package var texts: [ShaderText] { [body] }
  package var variants: [Self] { [self] }
  package func variant(on device: DeviceInfo) -> Self { self }
  package var hasTwin: Bool { true }
  package func joined(_ pass: Pass, with next: Pass) -> Pass? { nil }
}

extension [UInt8] {
  /// The bytes of a std140 block, whole vectors.
  static func block<Block: BitwiseCopyable>(_ block: Block) -> [UInt8] {
    if Block.self == NoUniforms.self { return [] }
    let bytes = unsafe Swift.withUnsafeBytes(of: block) { unsafe Array($0) }
    return bytes + [UInt8](repeating: 0, count: (16 - bytes.count % 16) % 16)
  }

  /// The bytes of 32-bit words, for a std140 block.
  static func words(_ words: [Int]) -> [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
  }
}
