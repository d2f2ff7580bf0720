public import SafelightImage

/// How the pixels of a film without any header lie, by ffmpeg's name for it (`-pix_fmt`): `rgba`, `rgb24`, `gray16le`, `yuv420p`.
public struct RawPixels: Hashable, Sendable, CustomStringConvertible {
  /// ffmpeg's name.
  public let description: String
  /// The planes that frames have; without alpha in the stream, that of frames is opaque.
  public let layout: PixelLayout
  package let samples: StoredSamples

  /// True for red, green and blue without the alpha that frames of the layout have.
  public var leavesAlphaOut: Bool { if case .withoutAlpha = samples { true } else { false } }

  /// Every one there is.
  public static let all: [RawPixels] =
    [RawPixels("rgb24", .rgba8, .withoutAlpha(.bits8)), RawPixels("rgb48le", .rgba16, .withoutAlpha(.bits16))]
    + PixelLayout.allCases.map { RawPixels($0.ffmpegName, $0, .same) }

  private init(_ name: String, _ layout: PixelLayout, _ samples: StoredSamples) {
    (description, self.layout, self.samples) = (name, layout, samples)
  }

  /// Pixels that lie as frames of `layout` have them.
  public init(_ layout: PixelLayout) { self.init(layout.ffmpegName, layout, .same) }

  /// Throws a ``SafelightError`` of kind `usage` for a name that stands for none of ``all``.
  public init(named name: String) throws(SafelightError) {
    guard let found = Self.all.first(where: { $0.description == name }) else {
      throw SafelightError(
        .usage, "pixels \(name)", why: "no such pixels are known",
        remedy: "name one of \(Self.all.map(\.description).joined(separator: ", "))")
    }
    self = found
  }
}
