internal import CKernelRows
public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

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
      The blend modes of W3C Compositing and Blending Level 1 (10.1), over the frame (5.1). All numbers are whole
      samples up to the maximum, and / rounds to the nearest, halves up. With alphas F of the frame and S of the second
      picture, which opacity in 65536ths multiplies first, of colors f and s:

          normal    blend = s
          multiply  blend = f * s / maximum
          screen    blend = f + s - f * s / maximum

          mixed = ((maximum - F) * s + F * blend) / maximum
          kept = F * (maximum - S) / maximum,  A = S + kept
          out = (S * mixed + kept * f) / A,  with alpha A

      If A is 0 the frame stays. With alpha=premultiplied, opacity multiplies s too, and

          normal    out = s + f * (maximum - S) / maximum
          multiply  out = (s * (maximum - F) + f * (maximum - S) + s * f) / maximum
          screen    out = f + s - f * s / maximum

      at most the maximum. The frames must be premultiplied then, as premultiply makes them; second pictures are
      multiplied by their alpha when they are read.

      with=PATH is a PNG file for all frames, or a folder or pattern of as many as there are frames, or more, which go
      with them by position; numbers may be missing only at the same places of both. Its pictures have the size of the
      frames. 8 bits serve frames of 16, gray ones frames in color, and alpha also opaque frames in color; not the other
      way round. Samples are taken as they are stored, whatever their color space.
      """,
    [
      .choice("mode", "the rule that joins colors", \.mode),
      .number("opacity", "the factor for the second picture's alpha", \.opacity, in: 0...1),
      .choice("alpha", "what alpha means for the colors of both", \.alpha),
    ],
    examples: [
      "blend=multiply", "blend=screen", "blend=normal", "blend=multiply:opacity=0.3",
      "blend=normal:opacity=0.7:alpha=premultiplied", "blend=multiply:alpha=premultiplied",
      "blend=screen:opacity=0.5:alpha=premultiplied",
    ], secondPicture: "the picture or the pictures laid over the frames")

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
  public func passes(for picture: PassPicture) -> [Pass] {
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
    encodePasses(to: buffer, source: primary, second: secondary, destination: destination, pipeline: pipeline)
  }
}

extension ImageBlend.Mode: ParameterWord {
  /// The words of chains.
  public static var words: [(value: Self, word: String, summary: String)] {
    [
      (.normal, "normal", "the second picture"), (.multiply, "multiply", "darkens, as one slide behind another"),
      (.screen, "screen", "lightens, as two projectors on one wall"),
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

/// Lays the second input over the first. The uniforms are the opacity in 65536ths.
private struct BlendFunction: BuiltInPassFunction {
  let mode: ImageBlend.Mode
  let isPremultiplied: Bool
  let isGray: Bool

  var name: String { "blend" }
  var constants: [ShaderAssembly.Constant] {
    [
      .init("MODE", ImageBlend.Mode.allCases.firstIndex(of: mode) ?? 0), .init("IS_PREMULTIPLIED", isPremultiplied),
      .init("IS_GRAY", isGray),
    ]
  }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch (memory.output.pixelFormat.depth, mode) {
    case (.bits8, .normal): unsafe make(memory, operations.lay_8, operations.opaque_8)
    case (.bits8, .multiply): unsafe make(memory, operations.multiply_8, operations.opaque_8)
    case (.bits8, .screen): unsafe make(memory, operations.screen_8, operations.opaque_8)
    case (.bits16, .normal): unsafe make(memory, operations.lay_16, operations.opaque_16)
    case (.bits16, .multiply): unsafe make(memory, operations.multiply_16, operations.opaque_16)
    case (.bits16, .screen): unsafe make(memory, operations.screen_16, operations.opaque_16)
    }
  }

  private func make<Sample: UnsignedSample>(
    _ memory: PassMemory,
    _ blend: (UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, Sample, Int) -> Void,
    _ isOpaque: (UnsafePointer<Sample>, Int) -> Int32
  ) {
    let (region, opacity) = (memory.region, memory.uniforms[0])
    let width = region.size.width
    let maximum = UInt32(truncatingIfNeeded: Sample.max)
    for y in region.y..<region.y + region.size.height {
      func row(_ picture: PictureMemory) -> UnsafeMutablePointer<Sample>? {
        unsafe picture.row(Sample.self, x: region.x, y: y, count: width).baseAddress
      }
      guard let made = unsafe row(memory.output), let frame = unsafe row(memory.inputs[0]),
        let second = unsafe row(memory.inputs[1])
      else { return }
      // Of opaque rows all samples are alike, alpha too.
      let isPlain = !isPremultiplied || opacity == 1 << 16
      if unsafe isPlain && (isGray || isOpaque(frame, width) != 0 && isOpaque(second, width) != 0) {
        let weight = Sample(truncatingIfNeeded: (maximum * opacity + 32768) >> 16)
        unsafe blend(made, frame, second, weight, width * memory.output.step)
      } else {
        for at in 0..<width { unsafe make(made, frame, second, at, opacity) }
      }
    }
  }

  private func make<Sample: UnsignedSample>(
    _ made: UnsafeMutablePointer<Sample>, _ frame: UnsafePointer<Sample>, _ second: UnsafePointer<Sample>, _ at: Int,
    _ opacity: UInt32
  ) {
    let maximum = UInt32(truncatingIfNeeded: Sample.max)
    let samples = isGray ? 1 : 4
    func pixel(_ row: UnsafePointer<Sample>) -> SIMD4<UInt32> {
      var pixel = SIMD4(0, 0, 0, maximum)
      for sample in 0..<samples { pixel[sample] = unsafe UInt32(truncatingIfNeeded: row[samples * at + sample]) }
      return pixel
    }
    let result = unsafe blended(pixel(frame), pixel(second), opacity, maximum)
    for sample in 0..<samples { unsafe made[samples * at + sample] = Sample(truncatingIfNeeded: result[sample]) }
  }

  /// The body in Swift; `f` is the pixel of the frame and `s` that of the second picture.
  @inline(__always)
  private func blended(
    _ f: SIMD4<UInt32>, _ s: SIMD4<UInt32>, _ opacity: UInt32, _ maximum: UInt32
  ) -> SIMD4<UInt32> {
    func divided(_ product: SIMD4<UInt32>) -> SIMD4<UInt32> { (product &+ maximum / 2) / maximum }
    var s = s
    let faded = (s &* opacity &+ 32768) &>> 16
    if isPremultiplied { s = faded } else { s.w = faded.w }
    let kept = (f.w * (maximum - s.w) + maximum / 2) / maximum
    let alpha = s.w + kept
    var made: SIMD4<UInt32>
    if isPremultiplied {
      switch mode {
      case .normal: made = s &+ divided(f &* (maximum - s.w))
      case .multiply:
        let (x, y, z) = (s &* (maximum - f.w), f &* (maximum - s.w), s &* f)
        made = x / maximum &+ y / maximum &+ z / maximum
        made &+= divided(x % maximum &+ y % maximum &+ z % maximum)
      case .screen: made = f &+ s &- divided(f &* s)
      }
      made.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: maximum))
    } else if alpha == 0 {
      return f
    } else {
      let blend =
        switch mode {
        case .normal: s
        case .multiply: divided(f &* s)
        case .screen: f &+ s &- divided(f &* s)
        }
      let mixed = divided(s &* (maximum - f.w) &+ blend &* f.w)
      made = (mixed &* s.w &+ f &* kept &+ alpha / 2) / alpha
    }
    made.w = alpha
    return made
  }
}
