/// Swift twins by the names of their functions: a capture holds GLSL alone, so the CPU executor finds the other body here.
///
///     var twins = TwinLibrary.kernels
///     twins.add(myFunction)
public struct TwinLibrary: Sendable {
  /// Makes the twin of a function with these macros; nil where it has none for them.
  public typealias Maker = @Sendable (_ constants: [String: String]) -> ShaderTwin?

  private var makers: [String: Maker] = [:]

  /// Makes an empty library.
  public init() {}

  /// Adds the twin of a function that has one, under its name.
  public mutating func add(_ function: ShaderFunction) {
    guard let twin = function.twin else { return }
    add(function.name) { _ in twin }
  }

  /// Adds a twin that depends on the macros of the function.
  public mutating func add(_ name: String, _ maker: @escaping Maker) { makers[name] = maker }

  /// The names of the functions that have a twin, in order.
  public var names: [String] { makers.keys.sorted() }

  /// The twin of the function called `name` with `constants`.
  func twin(_ name: String, constants: [String: String]) -> ShaderTwin? { makers[name]?(constants) }
}
