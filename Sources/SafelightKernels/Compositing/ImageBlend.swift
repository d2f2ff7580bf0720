public import SafelightGPU
public import SafelightImage

/// A kernel that lays a second picture over a picture; with ``Mode/multiply`` and opaque pictures Metal Performance
/// Shaders' `MPSImageMultiply`. The formula is on its ``card``.
public struct ImageBlend: PassKernel {
  /// The rule that joins the colors of two opaque pixels.
  public enum Mode: Sendable, CaseIterable {
    /// The color of the second picture.
    case normal
    /// The product, which is nowhere lighter than either.
    case multiply
    /// The inverse of the product of the inverses, which is nowhere darker than either.
    case screen
    /// The product where the frame is dark, the screen where it is light.
    case overlay
    /// The lesser of both samples.
    case darken
    /// The greater of both samples.
    case lighten
    /// The frame divided by the inverse of the second picture.
    case colorDodge
    /// The inverse of the frame's inverse divided by the second picture.
    case colorBurn
    /// The product where the second picture is dark, the screen where it is light.
    case hardLight
    /// The frame darkened or lightened by the second picture, softly.
    case softLight
    /// The distance of both samples.
    case difference
    /// The difference, with less contrast.
    case exclusion
    /// The hue of the second picture, with the frame's saturation and luminosity.
    case hue
    /// The saturation of the second picture, with the frame's hue and luminosity.
    case saturation
    /// The hue and the saturation of the second picture, with the frame's luminosity.
    case color
    /// The luminosity of the second picture, with the frame's hue and saturation.
    case luminosity
  }

  /// The ways in which the colors of both pictures depend on alpha.
  public enum Alpha: Sendable {
    /// Colors are those of the opaque part of a pixel.
    case straight
    /// Colors are multiplied by alpha.
    case premultiplied
  }

  /// The rule that joins colors.
  public var mode = Mode.normal
  /// The factor for the alpha of the second picture, from 0 to 1; taken in 65536ths.
  public var opacity = 1.0
  /// The way in which the colors of both pictures depend on alpha.
  public var alpha = Alpha.straight

  /// Makes a kernel that lays a picture with straight alpha over another.
  public init() {}

  /// Makes the kernel.
  public init(device: Device, mode: Mode, opacity: Double = 1, alpha: Alpha = .straight) {
    (self.mode, self.opacity, self.alpha) = (mode, opacity, alpha)
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "blend", "lays a second picture or sequence over the frames, by a blend mode",
    discussion: """
      The blend modes of W3C Compositing and Blending Level 1 (10.1, 10.2), over the frame (5.1). All numbers are whole
      samples up to the maximum, and / rounds to the nearest, halves up. Of the colors f of the frame and s of the
      second picture:

          normal       blend = s
          multiply     blend = f * s / maximum
          screen       blend = f + s - f * s / maximum
          overlay      blend = hard-light with f and s exchanged
          darken       blend = min(f, s)
          lighten      blend = max(f, s)
          color-dodge  blend = min(maximum, f * maximum / (maximum - s)); 0 if f is 0, else the maximum if s is
          color-burn   blend = maximum - (color-dodge of maximum - f and maximum - s)
          hard-light   blend = f * 2s / maximum               if 2s <= maximum, else
                             = f + t - f * t / maximum        with t = 2s - maximum
          soft-light   blend = f - (maximum - 2s) * (f * (maximum - f) / maximum) / maximum
                                                              if 2s <= maximum, else
                             = f + (2s - maximum) * (d - f) / maximum
                         d   = the root of f * maximum, to the nearest, but if 4f <= maximum
                             = 4f - (3q - q * 4f / maximum) / 4    with q = 4f * 4f / maximum
          difference   blend = max(f, s) - min(f, s)
          exclusion    blend = (f * (maximum - s) + s * (maximum - f)) / maximum

          hue          blend = lit(s, R(f), L(f))
          saturation   blend = lit(f, R(s), L(f))
          color        blend = lit(s, R(s), L(f))
          luminosity   blend = lit(f, R(f), L(s))

      With the luminosity L(c) = 30 * red + 59 * green + 11 * blue, in hundredths, the least sample n and the greatest
      sample x of a color c, and R(c) = x - n, each sample v of lit(c, R, L) is

          L * (v - n) / (L(c) - 100n)                       if L * (x - n) < R * (L(c) - 100n),
          maximum - K * (x - v) / (100x - L(c))             if K * (x - n) < R * (100x - L(c)), K = 100 * maximum - L,
          (L + 100e - L(e)) / 100                           else, with e = (v - n) * R / (x - n), or 0 of a gray

      which is W3C's SetLum and SetSat in one step, without roundings between. Gray pictures are equal red, green and
      blue: hue, saturation and color leave a gray frame as it is, and luminosity takes the second picture. No mode is
      off by more than a sample from the formula in real numbers.

      With alphas F of the frame and S of the second picture, which opacity in 65536ths multiplies first:

          mixed = ((maximum - F) * s + F * blend) / maximum
          kept = F * (maximum - S) / maximum,  A = S + kept
          out = (S * mixed + kept * f) / A,  with alpha A

      If A is 0 the frame stays. alpha=premultiplied is for three modes; opacity multiplies s too, and

          normal    out = s + f * (maximum - S) / maximum
          multiply  out = (s * (maximum - F) + f * (maximum - S) + s * f) / maximum
          screen    out = f + s - f * s / maximum

      at most the maximum. The frames must be premultiplied then, as premultiply makes them; second pictures are
      multiplied by their alpha when they are read.

      \(secondPictures)
      """,
    [
      .choice("mode", "the rule that joins colors", \.mode),
      .number("opacity", "the factor for the second picture's alpha", \.opacity, in: 0...1),
      .choice("alpha", "what alpha means for the colors of both", \.alpha),
    ],
    examples: [
      "blend=multiply", "blend=screen", "blend=normal", "blend=multiply:opacity=0.3",
      "blend=normal:opacity=0.7:alpha=premultiplied", "blend=multiply:alpha=premultiplied",
      "blend=screen:opacity=0.5:alpha=premultiplied", "blend=overlay:opacity=0.6", "blend=darken", "blend=lighten",
      "blend=color-dodge", "blend=color-burn", "blend=hard-light", "blend=soft-light", "blend=difference",
      "blend=exclusion", "blend=hue", "blend=saturation", "blend=color", "blend=luminosity:opacity=0.8",
    ], secondPicture: "the picture or the pictures laid over the frames")

  /// Refuses modes that are for straight alpha alone.
  public func check() throws(SafelightError) {
    let word = Mode.words.first { $0.value == mode }?.word ?? ""
    try ensure(
      alpha == .straight || [.normal, .multiply, .screen].contains(mode), .usage, "blend=\(word):alpha=premultiplied",
      why: "this mode mixes colors that are not multiplied by alpha",
      remedy: "write unpremultiply,blend=\(word):with=PATH,premultiply")
  }

  /// Requires the alpha that ``alpha`` states, if the picture states one, and full range.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    guard color.alpha != (alpha == .straight ? .premultiplied : .straight) else {
      throw SafelightError(
        .unsupported, "filter 'blend'", why: "the frame's alpha is \(color.alpha), and that of the call \(alpha)",
        remedy: alpha == .straight ? "write alpha=premultiplied" : "put premultiply before it, or leave alpha out")
    }
    var color = try color.ofFullRange(for: "blend")
    if alpha == .premultiplied { color.alpha = .premultiplied }
    return color
  }

  /// One pass.
  public func passes(for picture: PassPicture) throws(SafelightError) -> [Pass] {
    try check()
    let isGray = picture.pixelFormat.samplesPerPixel == 1
    let function = BlendFunction(mode: mode, isPremultiplied: alpha == .premultiplied, isGray: isGray)
    return [
      Pass(
        function, uniforms: .words([Int((opacity * 65536).rounded()), 0, 0, 0]),
        inputs: [.source(.pixel), .second(.pixel)])
    ]
  }

  /// Records the kernel: `secondary` over `primary`. All textures need the same size and format, and the destination
  /// other memory.
  public func encode(
    to buffer: CommandBuffer, primary: Texture, secondary: Texture, destination: Texture,
    pipeline: PipelineKind = .automatic
  ) {
    encodePasses(to: buffer, source: primary, seconds: [secondary], destination: destination, pipeline: pipeline)
  }
}

extension ImageBlend.Mode: ParameterWord {
  /// The words of chains.
  public static var words: [(value: Self, word: String, summary: String)] {
    [
      (.normal, "normal", "the second picture"), (.multiply, "multiply", "darkens, as one slide behind another"),
      (.screen, "screen", "lightens, as two projectors on one wall"),
      (.overlay, "overlay", "multiplies dark parts of the frame, screens light ones"),
      (.darken, "darken", "the darker of both"), (.lighten, "lighten", "the lighter of both"),
      (.colorDodge, "color-dodge", "lightens the frame to show the second picture"),
      (.colorBurn, "color-burn", "darkens the frame to show the second picture"),
      (.hardLight, "hard-light", "multiplies where the second picture is dark, screens where it is light"),
      (.softLight, "soft-light", "darkens and lightens softly"),
      (.difference, "difference", "the distance of both"),
      (.exclusion, "exclusion", "the difference, with less contrast"),
      (.hue, "hue", "the second picture's hue alone"),
      (.saturation, "saturation", "the second picture's saturation alone"),
      (.color, "color", "the second picture's hue and saturation"),
      (.luminosity, "luminosity", "the second picture's luminosity alone"),
    ]
  }
}

extension ImageBlend.Alpha: ParameterWord {
  /// The words of chains.
  public static var words: [(value: Self, word: String, summary: String)] {
    [
      (.straight, "straight", "colors do not depend on it, as in PNG files"),
      (.premultiplied, "premultiplied", "colors are multiplied by it"),
    ]
  }
}
