/// How the texts of a library are read; Metal's `MTLCompileOptions`.
public struct CompileOptions: Hashable, Sendable {
  /// Macros for all functions; a function's own constants go before them.
  public var preprocessorMacros = FunctionConstantValues()
  /// The folder in which a text that came as a string looks for its includes; nil for none.
  public var includeFolder: String?
  /// The name in messages of a text that came as a string, and of its function where it marks none.
  public var name = "source"

  /// Makes options.
  public init() {}
}
