internal import CKernelRows
internal import SafelightImage
internal import SafelightShaders

/// Lays the second input over the first. The uniforms are the opacity in 65536ths.
struct BlendFunction: BuiltInPassFunction {
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
    switch memory.output.pixelFormat.depth {
    case .bits8: unsafe make(memory, mode.operation8(operations), operations.opaque_8)
    case .bits16: unsafe make(memory, mode.operation16(operations), operations.opaque_16)
    }
  }

  private func make<Sample: UnsignedSample>(
    _ memory: PassMemory, _ blend: PairOperation<Sample>?, _ isOpaque: (UnsafePointer<Sample>, Int) -> Int32
  ) {
    let (width, opacity) = (memory.region.size.width, memory.uniforms[0])
    let (step, colors) = (memory.output.step, memory.output.colorBits)
    let weight = Sample(truncatingIfNeeded: (UInt32(truncatingIfNeeded: Sample.max) * opacity + 32768) >> 16)
    let isPlain = !isPremultiplied || opacity == 1 << 16
    unsafe memory.forEachPairOfRows(Sample.self) { made, frame, second in
      let isOpaque = unsafe isGray || isOpaque(frame, width) != 0 && isOpaque(second, width) != 0
      if let blend = unsafe blend, isPlain, isOpaque {
        unsafe blend(made, frame, second, weight, colors, width * step)
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
      if isGray {
        let gray = unsafe UInt32(truncatingIfNeeded: row[at])
        return SIMD4(gray, gray, gray, maximum)
      }
      var pixel = SIMD4<UInt32>()
      for sample in 0..<4 { pixel[sample] = unsafe UInt32(truncatingIfNeeded: row[4 * at + sample]) }
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
    let mixture = BlendMixture(maximum: maximum)
    func divided(_ product: SIMD4<UInt32>) -> SIMD4<UInt32> { mixture.divided(product) }
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
      // Of the other modes only screen comes here.
      default: made = mixture.of(f, s, by: .screen)
      }
      made.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: maximum))
    } else if alpha == 0 {
      return f
    } else {
      let blend = mixture.of(f, s, by: mode)
      let mixed = divided(s &* (maximum - f.w) &+ blend &* f.w)
      made = (mixed &* s.w &+ f &* kept &+ alpha / 2) / alpha
    }
    made.w = alpha
    return made
  }
}

extension ImageBlend.Mode {
  /// The operation for opaque rows of 8 bits; nil for modes that have none.
  fileprivate func operation8(_ operations: CKernelRows) -> PairOperation<UInt8>? {
    switch self {
    case .normal: unsafe operations.lay_8
    case .multiply: unsafe operations.multiply_8
    case .screen: unsafe operations.screen_8
    case .overlay: unsafe operations.overlay_8
    case .darken: unsafe operations.darken_8
    case .lighten: unsafe operations.lighten_8
    case .hardLight: unsafe operations.hard_light_8
    case .difference: unsafe operations.difference_8
    case .exclusion: unsafe operations.exclusion_8
    case .colorDodge, .colorBurn, .softLight, .hue, .saturation, .color, .luminosity: nil
    }
  }

  /// The operation for opaque rows of 16 bits.
  fileprivate func operation16(_ operations: CKernelRows) -> PairOperation<UInt16>? {
    switch self {
    case .normal: unsafe operations.lay_16
    case .multiply: unsafe operations.multiply_16
    case .screen: unsafe operations.screen_16
    case .overlay: unsafe operations.overlay_16
    case .darken: unsafe operations.darken_16
    case .lighten: unsafe operations.lighten_16
    case .hardLight: unsafe operations.hard_light_16
    case .difference: unsafe operations.difference_16
    case .exclusion: unsafe operations.exclusion_16
    case .colorDodge, .colorBurn, .softLight, .hue, .saturation, .color, .luminosity: nil
    }
  }
}
