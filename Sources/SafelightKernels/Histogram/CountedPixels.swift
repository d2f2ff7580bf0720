package import SafelightImage

/// The pixels of a picture that are counted, if it has straight alpha; of other pictures all are.
///
/// The colors of a pixel of alpha 0 are never seen: they are what a program happened to leave there, and would decide
/// the result for a sprite on a transparent ground. Its alpha always counts.
public enum CountedPixels: String, Sendable, CaseIterable, Codable {
  /// Those of alpha above 0, partly transparent ones as much as others.
  case visible
  /// All.
  case all
}

extension CountedPixels {
  /// True if functions leave out the colors of pixels of `format` whose alpha is 0.
  func countsVisible(of format: PixelFormat) -> Bool { self == .visible && format.samplesPerPixel == 4 }

  /// True if functions leave out the colors of pixels of `picture` whose alpha is 0.
  func leavesOutPixels(of picture: PassPicture) -> Bool {
    picture.image.mayHidePixels && countsVisible(of: picture.pixelFormat)
  }
}

extension CountedPixels: ParameterWord {
  /// The choices, by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.visible, "those of alpha above 0, if alpha is straight"), (.all, "those of alpha 0 too"),
  ].map { ($0, $0.rawValue, $1) }
}

extension ImageDescriptor {
  /// True if the picture may have pixels that are not seen: of alpha 0, where alpha is straight. Where colors are
  /// multiplied by alpha, those pixels are black by right, and count.
  package var mayHidePixels: Bool { channels.hasAlpha && color.alpha != .premultiplied && color.alpha != .opaque }
}
