internal import SafelightImage
internal import SafelightShaders

/// The part that alpha has in the mean of pixels around another.
public enum ImageAlphaMode: Hashable, Sendable {
  /// Alpha is one more channel: the colors of transparent pixels count as much as all others.
  case channel
  /// A color counts by its alpha, so that those of transparent pixels do not show. Pictures without alpha are made as
  /// by ``channel``.
  case weighted
}

extension ImageAlphaMode: ParameterWord {
  /// The words of chains.
  public static var words: [(value: Self, word: String, summary: String)] {
    [
      (.channel, "channel", "one more channel: colors of transparent pixels count as others"),
      (.weighted, "weighted", "a color counts by its alpha"),
    ]
  }
}

extension ImageAlphaMode {
  /// Returns `passes` of `picture`; if colors count by their alpha, of a picture of 16 bits whose colors are multiplied
  /// by alpha, and divided in the end.
  func passes(for picture: PassPicture, _ passes: (PassPicture) -> [Pass]) -> [Pass] {
    guard self == .weighted, picture.image.channels.hasAlpha else { return passes(picture) }
    let image = ImageDescriptor(size: picture.size, channels: .rgba, depth: .bits16, color: picture.image.color)
    let deep = PassPicture(image)
    var inner = passes(deep)
    guard !inner.isEmpty else { return [] }
    // Each pass makes at most one temporary, so these two are free.
    let (multiplied, made) = (Pass.Resource.temporary(inner.count), Pass.Resource.temporary(inner.count + 1))
    for pass in inner.indices {
      for input in inner[pass].inputs.indices where inner[pass].inputs[input].resource == .picture {
        inner[pass].inputs[input].resource = multiplied
      }
      if inner[pass].output == .result(0) { inner[pass].output = .temporary(inner.count + 1, deep.pixelFormat) }
    }
    let depth = picture.image.depth
    return [
      Pass(
        AlphaWeight(isDivision: false, depth: depth), inputs: [.source(.pixel)],
        output: .temporary(inner.count, deep.pixelFormat))
    ] + inner + [Pass(AlphaWeight(isDivision: true, depth: depth), inputs: [Pass.Input("means", made, .pixel)])]
  }

  /// Refuses a picture whose colors are multiplied by alpha already.
  func check(_ color: ColorDescription, for filter: String) throws(SafelightError) {
    guard self == .weighted, color.alpha == .premultiplied else { return }
    throw SafelightError(
      .unsupported, "filter '\(filter)'",
      why: "the picture is tagged premultiplied, and alpha=weighted would multiply its colors by alpha once more",
      remedy: "leave alpha=weighted out: premultiplied colors count by their alpha as they are")
  }
}

/// Colors times alpha, in 16 bits, or such colors divided by alpha.
private struct AlphaWeight: PassFunction {
  let isDivision: Bool
  /// That of the kernel's picture.
  let depth: SampleDepth

  var name: String { "alpha_weight" }
  var constants: [ShaderAssembly.Constant] { [.init("IS_DIVISION", isDivision)] }

  func make(_ memory: PassMemory) {
    switch (depth, isDivision) {
    case (.bits8, false): make(memory) { (pixel: SIMD4<UInt8>) in Self.multiplied(pixel) }
    case (.bits16, false): make(memory) { (pixel: SIMD4<UInt16>) in Self.multiplied(pixel) }
    case (.bits8, true): make(memory) { pixel -> SIMD4<UInt8> in Self.divided(pixel) }
    case (.bits16, true): make(memory) { pixel -> SIMD4<UInt16> in Self.divided(pixel) }
    }
  }

  @inline(__always) private static func multiplied<Sample: UnsignedSample>(_ pixel: SIMD4<Sample>) -> SIMD4<UInt16> {
    let (pixel, maximum) = (SIMD4<UInt32>(truncatingIfNeeded: pixel), UInt32(Sample.max))
    let alpha = pixel.w &* unit(of: Sample.self)
    let colors = (pixel &* alpha &+ maximum / 2) / maximum
    return SIMD4(truncatingIfNeeded: SIMD4(colors.x, colors.y, colors.z, alpha))
  }

  @inline(__always) private static func divided<Sample: UnsignedSample>(_ pixel: SIMD4<UInt16>) -> SIMD4<Sample> {
    let (pixel, unit) = (SIMD4<UInt32>(truncatingIfNeeded: pixel), unit(of: Sample.self))
    if pixel.w == 0 { return .zero }
    let colors = (pixel &* UInt32(Sample.max) &+ pixel.w / 2) / pixel.w
    return SIMD4(truncatingIfNeeded: SIMD4(colors.x, colors.y, colors.z, (pixel.w &+ unit / 2) / unit))
  }

  /// The samples of 16 bits for one.
  @inline(__always) private static func unit<Sample: UnsignedSample>(of type: Sample.Type) -> UInt32 {
    type == UInt8.self ? 257 : 1
  }

  @inline(__always) private func make<Pixel: BitwiseCopyable, Made: BitwiseCopyable>(
    _ memory: PassMemory, _ make: (Pixel) -> Made
  ) {
    let (region, source) = (memory.region, memory.inputs[0])
    for y in region.y..<region.y + region.size.height {
      let from = unsafe UnsafeMutableRawPointer(source.pixel(x: region.x, y: y))
      let to = unsafe memory.output.pixel(x: region.x, y: y)
      for x in 0..<region.size.width {
        let pixel = unsafe from.loadUnaligned(fromByteOffset: x * MemoryLayout<Pixel>.stride, as: Pixel.self)
        unsafe to.storeBytes(of: make(pixel), toByteOffset: x * MemoryLayout<Made>.stride, as: Made.self)
      }
    }
  }
}
