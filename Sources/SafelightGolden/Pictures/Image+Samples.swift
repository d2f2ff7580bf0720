package import SafelightImage

extension Image {
  /// The same samples, of which nobody says what they mean as colours: comparisons look at samples, and a PNG cannot say everything, such as
  /// that colours are multiplied by alpha.
  package var samplesAlone: Image { replacing(bytes: bytes, color: .unspecified) }
}
