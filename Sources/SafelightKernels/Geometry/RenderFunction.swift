package import SafelightImage
internal import SafelightShaders

extension Pass {
  /// Lays `front`, whose first pixel is that of the frame in column `x` and row `y`, over frames like `frame`; makes
  /// the pixels of a result under `front` alone. Its alpha is multiplied by `opacity`, in 65536ths.
  package static func over(_ front: Image, x: Int, y: Int, opacity: Int, in frame: PassPicture) -> Pass {
    over(.constant(Constant(front)), of: front.size, front.pixelFormat, x: x, y: y, opacity, in: frame)
  }

  /// Lays the second picture over frames like `frame`, likewise.
  package static func overSecond(of frame: PassPicture, x: Int, y: Int, opacity: Int) -> Pass {
    over(.further(0), of: frame.secondSize(0), frame.pixelFormat, x: x, y: y, opacity, in: frame)
  }

  private static func over(
    _ front: Resource, of size: Size, _ format: PixelFormat, x: Int, y: Int, _ opacity: Int, in frame: PassPicture
  ) -> Pass {
    let whole = Region(size: frame.size)
    let area = Region(x: x, y: y, size: size).intersection(whole)
    return rendering(
      front, of: size, format, Placement(x: x, y: y), over: .picture,
      backdropIsGray: frame.pixelFormat.samplesPerPixel == 1, opacity: opacity, area: area == whole ? nil : area)
  }

  /// Draws `picture`, of `size`, as `placement` says, by its colors times alpha if `isWeighted`; over `backdrop`, if
  /// given, with its alpha times `opacity`, in 65536ths, in the pixels of `area`, if given.
  static func rendering(
    _ picture: Resource, of size: Size, _ format: PixelFormat, _ placement: Placement, isWeighted: Bool = false,
    over backdrop: Resource? = nil, backdropIsGray: Bool = false, opacity: Int = 65536, area: Region? = nil
  ) -> Pass {
    let isGray = format.samplesPerPixel == 1
    let fades = backdrop != nil && opacity < 65536
    // A gray picture is opaque, so nothing of the backdrop shows unless it fades.
    let backdrop = isGray && !fades ? nil : backdrop
    let averages = [.linear, .area].contains(placement.filter)
    let function = RenderFunction(
      filter: placement.filter, turns: placement.orientation != .up, blends: backdrop != nil, fades: fades,
      backdropIsGray: fades && backdropIsGray, sourceIsGray: isGray, depth: format.depth,
      isWeighted: averages && isWeighted && !isGray)
    return Pass(
      function, uniforms: .block(RenderFunction.Block(placement, of: size, opacity: fades ? opacity : 0)),
      inputs: [Input("source", picture, .placed(placement))] + (backdrop.map { [Input("backdrop", $0, .pixel)] } ?? []),
      area: area)
  }
}

/// `render.glsl`: draws a picture.
struct RenderFunction: BuiltInPassFunction {
  /// The block of the shader, laid out by the rules of `std140`.
  struct Block: BitwiseCopyable {
    /// a, b, c, d: upright (x, y) is stored at (ax + by, cx + dy) + the first place.
    let turn: SIMD4<Int32>
    /// The place of upright (0, 0); the last upright column and row.
    let extent: SIMD4<Int32>
    /// `n'` and `m'` of the columns and of the rows: `n'` pixels of the source become `m'`.
    let scale: SIMD4<UInt32>
    /// The column and row at which the scaled picture begins; the factor of its alpha in 65536ths if it fades.
    let corner: SIMD4<Int32>

    init(_ placement: Placement, of size: Size, opacity: Int = 0) {
      let upright = placement.orientation.uprightSize(of: size)
      let (first, right, below) = placement.orientation.places(in: size)
      turn = SIMD4(Int32(right.x), Int32(below.x), Int32(right.y), Int32(below.y))
      extent = SIMD4(Int32(first.x), Int32(first.y), Int32(upright.width - 1), Int32(upright.height - 1))
      scale = placement.scale.ratios
      corner = SIMD4(Int32(placement.x), Int32(placement.y), Int32(opacity), 0)
    }
  }

  /// Nil if the picture keeps its size.
  let filter: ImageRenderer.Filter?
  let turns: Bool
  let blends: Bool
  /// True if the picture's alpha is multiplied by a factor.
  let fades: Bool
  /// True if what shows through has one channel.
  let backdropIsGray: Bool
  let sourceIsGray: Bool
  let depth: SampleDepth
  /// True if colors are averaged times alpha.
  let isWeighted: Bool

  var name: String { "render" }
  /// The filters in the order of the shader's macro.
  private static let filters: [ImageRenderer.Filter?] = [nil, .nearest, .linear, .area]
  var constants: [ShaderAssembly.Constant] {
    [
      .init("FILTER", Self.filters.firstIndex(of: filter) ?? 0), .init("TURNS", turns), .init("BLENDS", blends),
      .init("FADES", fades), .init("BACKDROP_IS_GRAY", backdropIsGray),
      .init("SOURCE_IS_GRAY", sourceIsGray), .init("BITS", depth.rawValue), .init("IS_WEIGHTED", isWeighted),
    ]
  }

  func make(_ memory: PassMemory) {
    switch memory.output.pixelFormat.depth {
    case .bits8: make(UInt8.self, memory)
    case .bits16: make(UInt16.self, memory)
    }
  }

  private func make<Sample: UnsignedSample>(_ type: Sample.Type, _ memory: PassMemory) {
    if filter == .linear && !turns && !blends && memory.inputs[0].step == memory.output.step,
      BilinearRows(memory.block(Block.self), memory, isDeep: depth == .bits16).make(isWeighted: isWeighted)
    {
      return
    }
    let source = memory.inputs[0]
    if filter == nil && !turns && !blends && source.step == memory.output.step { return copy(type, memory) }
    let picture = ScaledPicture(
      memory.block(Block.self), filter, of: source, for: memory.region, isGray: sourceIsGray,
      isDeep: depth == .bits16)
    let samples = unsafe UnsafeBufferPointer(
      source.row(type, x: source.region.x, y: source.region.y, count: source.region.size.area))
    switch filter {
    case nil, .nearest: paint(type, memory) { x, y in unsafe picture.nearest(samples, x, y) }
    case .linear:
      // The answer is known in each of the loops.
      if isWeighted {
        paint(type, memory) { x, y in unsafe picture.linear(samples, x, y, isWeighted: true) }
      } else {
        paint(type, memory) { x, y in unsafe picture.linear(samples, x, y, isWeighted: false) }
      }
    case .area:
      if isWeighted {
        paint(type, memory) { x, y in unsafe picture.area(samples, x, y, isWeighted: true) }
      } else {
        paint(type, memory) { x, y in unsafe picture.area(samples, x, y, isWeighted: false) }
      }
    }
  }

  /// Copies the rows of a picture that is only moved.
  private func copy<Sample: UnsignedSample>(_ type: Sample.Type, _ memory: PassMemory) {
    let (region, corner) = (memory.region, memory.block(Block.self).corner)
    for y in region.y..<region.y + region.size.height {
      let made = unsafe memory.output.row(type, x: region.x, y: y, count: region.size.width)
      let row = unsafe memory.inputs[0].row(
        type, x: region.x - Int(corner.x), y: y - Int(corner.y), count: region.size.width)
      guard let made = made.baseAddress, let first = row.baseAddress else { return }
      unsafe made.update(from: first, count: row.count)
    }
  }

  /// Sets each pixel to what `front` gives for its place in the region, laid over the backdrop.
  @inline(__always)
  private func paint<Sample: UnsignedSample>(
    _ type: Sample.Type, _ memory: PassMemory, _ front: (_ x: Int, _ y: Int) -> SIMD4<UInt32>
  ) {
    let (region, step) = (memory.region, memory.output.step)
    let (maximum, opacity) = (UInt32(Sample.max), UInt32(memory.block(Block.self).corner.z))
    for y in 0..<region.size.height {
      let row = unsafe memory.output.row(type, x: region.x, y: region.y + y, count: region.size.width)
      if blends {
        let back = unsafe UnsafeBufferPointer(
          memory.inputs[1].row(type, x: region.x, y: region.y + y, count: region.size.width))
        for x in 0..<region.size.width {
          var pixel = front(x, y)
          if fades { pixel.w = (pixel.w * opacity + 32768) >> 16 }
          if !backdropIsGray {
            pixel = unsafe pixel.over(SIMD4(reading: back, at: 4 * x), maximum: maximum)
            for channel in 0..<4 { unsafe row[4 * x + channel] = Sample(truncatingIfNeeded: pixel[channel]) }
          } else {
            let gray = unsafe UInt32(back[x])
            pixel = pixel.over(SIMD4(gray, gray, gray, maximum), maximum: maximum)
            unsafe row[x] = Sample(truncatingIfNeeded: pixel.x)
          }
        }
      } else {
        for x in 0..<region.size.width {
          let pixel = front(x, y)
          for channel in 0..<step { unsafe row[step * x + channel] = Sample(truncatingIfNeeded: pixel[channel]) }
        }
      }
    }
  }
}

extension SIMD4<UInt32> {
  /// Reads four samples as they lie in memory.
  @inline(__always)
  init<Sample: UnsignedSample>(reading samples: UnsafeBufferPointer<Sample>, at index: Int) {
    unsafe self.init(
      UInt32(samples[index]), UInt32(samples[index + 1]), UInt32(samples[index + 2]), UInt32(samples[index + 3]))
  }

  /// Returns the pixel over `back` by ``ImageRenderer/Blend/sourceOver``.
  @inline(__always)
  func over(_ back: Self, maximum: UInt32) -> Self {
    let share = (back.w * (maximum - w) + maximum / 2) / maximum
    let alpha = w + share
    if alpha == 0 { return back }
    var result = (self &* Self(repeating: w) &+ back &* Self(repeating: share) &+ alpha / 2) / alpha
    result.w = alpha
    return result
  }
}
