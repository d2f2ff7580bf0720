/// An include that cannot be followed.
public struct ShaderIncludeError: Error, Hashable, Sendable {
  /// The line, with the lines that included its file: `blur.glsl:3, included from soften.comp:1`.
  public let place: String
  /// What is wrong with it.
  public let why: String
  /// What to do.
  public let remedy: String
}
