/// The pixels that a kernel takes for those beyond the edges of a picture; Metal Performance Shaders'
/// `MPSImageEdgeMode`.
public enum ImageEdgeMode: Hashable, Sendable {
  /// Zeros. A picture without alpha stays opaque.
  case zero
  /// The pixels at the edges.
  case clamp
}

extension ImageEdgeMode: ParameterWord {
  /// The words of chains.
  public static var words: [(value: Self, word: String, summary: String)] {
    [(.clamp, "clamp", "the pixels at the edges"), (.zero, "zero", "zeros; a picture without alpha stays opaque")]
  }
}
