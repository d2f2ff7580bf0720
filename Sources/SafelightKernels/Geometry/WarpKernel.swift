public import SafelightImage

/// A kernel whose pixels come from positions between those of a picture.
public protocol WarpKernel: PassKernel {
  /// The way in which a pixel is made of those around its position.
  var sampling: WarpSampling { get set }

  /// Returns the positions for a picture of `size`.
  ///
  /// - Throws: ``SafelightError`` if there are none, or they lie too far away.
  func map(of size: Size) throws(SafelightError) -> WarpMap

  /// True if pixels of the result can have the color.
  var showsColor: Bool { get }
}

/// The way in which a pixel of a warped picture is made of those around its position.
public struct WarpSampling: Hashable, Sendable {
  /// The ways to make pixels beyond the edges.
  public enum Edge: String, Sendable, CaseIterable {
    /// One color.
    case color
    /// The pixels at the edges.
    case clamp
    /// The picture, mirrored.
    case mirror
  }

  /// The rule by which a pixel between others is made.
  public var mode = ImageInterpolation.bilinear
  /// The pixels that are seen beyond the edges.
  public var edge = Edge.color
  /// The color beyond the edges: a name, or `#` and the bytes of red, green, blue and, if it is not opaque, alpha.
  /// Empty for transparent black where there is alpha, else black.
  public var color = ""
  /// The part that alpha has. Premultiplied colors count by their alpha as they are.
  public var alphaMode = ImageAlphaMode.weighted

  /// Makes the way that is the default.
  public init() {}
}

extension WarpSampling.Edge: ParameterWord {
  /// The edges by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.color, "color", "one color"), (.clamp, "clamp", "the pixels at the edges"),
    (.mirror, "mirror", "the picture mirrored at its outermost pixels"),
  ]

  /// The same of a picture that is padded.
  var padding: ImagePad.Edge {
    switch self {
    case .color: .color
    case .clamp: .clamp
    case .mirror: .mirror
    }
  }
}

extension WarpKernel {
  /// Only beyond the edges by default.
  public var showsColor: Bool { sampling.edge == .color }

  /// Checks the color's words.
  public func check() throws(SafelightError) { try checkColor() }

  /// Checks that the color is one, and that it is seen.
  package func checkColor() throws(SafelightError) {
    let (name, edge, color) = (Self.card.name, sampling.edge, sampling.color)
    try NamedColor.check(color, of: name)
    try ensure(
      color.isEmpty || showsColor, .usage, "\(name)=edge=\(edge.rawValue):color=\(color)",
      why: "the pixels beyond the edges are the picture's, not of a color", remedy: "leave edge or color out")
  }

  /// Refuses pictures that are too large, colors beside gray, and positions that lie too far away.
  public func check(_ image: ImageDescriptor) throws(SafelightError) { try checkWarp(of: image) }

  /// The checks that every warp has.
  func checkWarp(of image: ImageDescriptor) throws(SafelightError) {
    let made = output(of: image.size)
    for size in [image.size, made] {
      try ensure(
        max(size.width, size.height) <= 1 << 16 && size.area <= 1 << 29, .limit,
        "filter '\(Self.card.name)' of \(image.size) to \(made)",
        why: "pictures of a warp have at most 65536 columns and rows and \(1 << 29) pixels",
        remedy: "choose a smaller size, or cut the picture into parts")
    }
    try NamedColor.check(sampling.color, around: image, of: Self.card.name)
    _ = try map(of: image.size)
  }

  /// Refuses a color beside samples of limited range.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    showsColor ? try color.ofFullRange(for: Self.card.name) : color
  }

  /// One pass, between passes for alpha.
  public func passes(for picture: PassPicture) throws(SafelightError) -> [Pass] { try warpPasses(for: picture) }

  /// The passes that every warp has.
  func warpPasses(for picture: PassPicture) throws(SafelightError) -> [Pass] {
    let warp = Warp(map: try map(of: picture.size), interpolation: sampling.mode, edge: sampling.edge)
    let color = NamedColor.around(picture.image, sampling.color)
    let isPremultiplied = picture.image.color.alpha == .premultiplied
    let isWeighted =
      sampling.mode != .nearest && !isPremultiplied && picture.image.channels.hasAlpha
      && sampling.alphaMode == .weighted
    let alphaMode = isWeighted ? ImageAlphaMode.weighted : .asIs
    return alphaMode.passes(for: picture, making: output(of: picture.size)) { held in
      let samples = color.samples(in: held.image, isPremultiplied: isWeighted || isPremultiplied)
      return [.warping(held, by: warp, color: samples)]
    }
  }

  /// The parameters that all warps have.
  package static var warpParameters: [ParameterBinding<Self>] {
    [
      .choice("mode", "the pixels of which one is made", \.sampling.mode),
      .choice("edge", "what lies beyond the edges", \.sampling.edge),
      .text("color", "the color beyond the edges", \.sampling.color, form: "a color, such as white or #ff8000"),
      .choice("alpha", "the part that alpha has", \.sampling.alphaMode),
    ]
  }
}

/// The paragraphs on pixels in the help of all warps.
package let warpRules = """
  A position counts from the middle of the first pixel, as in OpenCV. It is rounded to 256ths of a pixel, halves up, and
  the pixel there is made of those around it:

      nearest    the nearest one: the position is rounded to whole pixels instead, halves up
      bilinear   four, by their distances: weights are 256ths for the columns times 256ths for the rows
      bicubic    4 by 4, by Keys' cubic with a = -1/2
      lanczos    6 by 6, by sinc(x) * sinc(x / 3)

  The weights of the last two are 1024ths for the columns times 1024ths for the rows; the greatest of an axis takes what
  rounding left over, so that all together are one. The sum is rounded once, halves up. Nothing is filtered where the
  picture shrinks: resize it first.

  Beyond the edges lies a color (black if none is given, transparent where the picture has alpha), or the picture as pad
  has it there. A color counts by its alpha, so that those of transparent pixels do not show, unless alpha=as-is: the
  picture is multiplied by alpha, in 16 bits, and divided in the end.

  All numbers are whole ones, so that every device makes the same bytes; positions are at most 4 million pixels away.
  """
