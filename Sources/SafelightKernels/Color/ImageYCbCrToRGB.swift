public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A kernel that makes red, green and blue of the luma and chroma planes of a frame; vImage's
/// `vImageConvert_420Yp8_CbCr8ToARGB8888` and related functions.
///
/// Converts by ITU-T H.273 with Kr and Kb of the matrix; coefficients are kept in 2⁻¹⁹. Chroma is interpolated between
/// the four nearest samples by their places, in sixteenths that are not rounded, and clamped at the edges; the page
/// Y'CbCr has the formula. Luma has one coefficient for all three, so grays stay gray; black and white become 0 and
/// maximum. Layouts of 8 bits become RGB of 8 bits, all others RGB of 16. Words above the largest sample, possible only
/// in right-aligned layouts of 10 and 12 bits, count as the largest.
public struct ImageYCbCrToRGB: Sendable {
  /// The layout of the planes.
  public let layout: PixelLayout
  /// The meaning of the samples: matrix, range and siting. An unspecified siting is taken as ``ChromaSiting/left``.
  public let color: ColorDescription

  private let coding: YCbCrCoding

  /// Makes the kernel.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` for layouts without chroma, and if `color` leaves matrix or
  ///   range open: nothing is guessed.
  public init(device: Device, layout: PixelLayout, color: ColorDescription) throws(SafelightError) {
    coding = try YCbCrCoding(layout, color)
    self.layout = layout
    self.color = color
  }

  /// Checks a frame, whose unspecified tags are taken as the kernel's.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if `frame` has another layout, matrix, range or siting than the
  ///   kernel.
  public func check(_ frame: VideoFrame) throws(SafelightError) {
    try ensure(
      frame.layout == layout && coding.agrees(with: frame.color), .input, "frame \(frame.index + 1)",
      why: "it is \(frame.layout) tagged \(frame.color), but the kernel was made for \(layout) of \(color)",
      remedy: "make an ImageYCbCrToRGB for the frame's own layout and color")
  }

  /// Records the conversion.
  ///
  /// - Parameters:
  ///   - planes: The textures of the layout's planes, as a `TextureCache` makes them of a frame. Words of 16 bits may
  ///     also be normalized.
  ///   - alpha: A picture of the destination's size and depth whose alpha is taken; nil for an opaque result.
  ///   - destination: A texture of the luma's size with one or four channels of 8 or 16 bits; one channel gets red.
  public func encode(to buffer: CommandBuffer, planes: [Texture], alpha: Texture? = nil, destination: Texture) {
    checkPlanes(planes, of: layout, picture: destination)
    if let alpha {
      trap(
        unless: alpha.size == destination.size && alpha.pixelFormat.samplesPerPixel == 4
          && alpha.pixelFormat.sampleConstants == planes[0].pixelFormat.sampleConstants,
        """
        alpha '\(alpha.label)' (\(alpha.size) \(alpha.pixelFormat.rawValue)) must have the destination's size, and \
        four samples of the luma's kind
        """)
    }
    let function = YCbCrToRGBFunction(
      plane: planes[0].pixelFormat, isPlanar: planes.count == 3, hasAlpha: alpha != nil,
      isNormalized: destination.pixelFormat.sampleKind == .normalized)
    buffer.fullScreen("Y'CbCr to RGB", to: destination) { encoder in
      encoder.setRenderPipelineState(function.renderPipeline)
      for (index, plane) in planes.enumerated() { encoder.setFragmentTexture(plane, index: index) }
      encoder.setFragmentBytes(coding.decoding, index: 3)
      if let alpha { encoder.setFragmentTexture(alpha, index: 4) }
    }
  }
}

/// `ycbcr_to_rgb.frag`.
struct YCbCrToRGBFunction: SampledFunction {
  struct Block: BitwiseCopyable, Sendable {
    /// Coefficients of y, b and r.
    var red: SIMD4<Int32>
    var green: SIMD4<Int32>
    var blue: SIMD4<Int32>
    /// Black's luma, the middle of chroma, the bits by which samples move to the left, and the largest of them.
    var levels: SIMD4<Int32>
    /// Quarters of a chroma sample from one pixel to the next, across and down, and from the first sample back to the
    /// first pixel.
    var siting: SIMD4<Int32>
  }

  var plane: PixelFormat
  var isPlanar: Bool
  var hasAlpha: Bool
  var isNormalized: Bool

  static let shaders = [ShaderSource.yCbCrToRGB]
  var sources: [ShaderSource] { [.pixels, .yCbCrToRGB] }
  var constants: [ShaderAssembly.Constant] {
    plane.sampleConstants + [
      .init("PLANAR", isPlanar), .init("HAS_ALPHA", hasAlpha), .init("TARGET_IS_NORMALIZED", isNormalized),
    ]
  }
  var arguments: [ShaderArgument] {
    [.sampledTexture(0), .sampledTexture(1)] + (isPlanar ? [.sampledTexture(2)] : []) + [.bytes(3)]
      + (hasAlpha ? [.sampledTexture(4)] : [])
  }

  static func captured(_ call: CapturedCall) -> Self? {
    guard let isPlanar = call[isSet: "PLANAR"], let hasAlpha = call[isSet: "HAS_ALPHA"], let luma = call.texture(0),
      let chroma = call.texture(1), let target = call.arguments.colorAttachment, let block = call.block(Block.self, 3),
      let redChroma = isPlanar ? call.texture(2) : chroma,
      case let alpha = hasAlpha ? call.texture(4) : nil, !hasAlpha || alpha != nil
    else { return nil }
    let isNormalized = target.pixelFormat.sampleKind == .normalized
    let siting = block.siting
    let (depth, kind) = (target.pixelFormat.bytesPerSample, luma.pixelFormat.sampleKind)
    // Sixteenths of the sample farthest from black, and from the middle.
    func farthest(_ zero: Int32) -> Int { 16 * max(abs(Int(zero)), abs(target.pixelFormat.maximum - Int(zero))) }
    let chromaReach = farthest(block.levels.y)
    let reach = SIMD3(farthest(block.levels.x), chromaReach, chromaReach)
    let planes = [luma, chroma, redChroma] + (alpha.map { [$0] } ?? [])
    guard
      planes.allSatisfy({ $0.pixelFormat.bytesPerSample == depth && $0.pixelFormat.sampleKind == kind }),
      kind != .float, luma.size == target.size, chroma.size == redChroma.size,
      luma.pixelFormat.samplesPerPixel == 1, chroma.pixelFormat.samplesPerPixel == (isPlanar ? 1 : 2),
      redChroma.pixelFormat == chroma.pixelFormat, PixelFormat.pictureFormats.contains(target.pixelFormat),
      alpha.map({ $0.size == target.size && $0.pixelFormat.samplesPerPixel == 4 }) ?? true,
      (0..<2).allSatisfy({ [2, 4].contains(siting[$0]) && [0, 1, 2].contains(siting[$0 + 2]) }),
      (0...8).contains(block.levels.z), (0...65535).contains(block.levels.w),
      Int(block.levels.w) << Int(block.levels.z) <= target.pixelFormat.maximum,
      [block.red, block.green, block.blue].allSatisfy({ YCbCrCoding.holds($0, reach: reach) }),
      call[isSet: "TARGET_IS_NORMALIZED"] == isNormalized
    else { return nil }
    return Self(plane: luma.pixelFormat, isPlanar: isPlanar, hasAlpha: hasAlpha, isNormalized: isNormalized)
  }

  func run<Sample: UnsignedSample>(_ type: Sample.Type, _ arguments: TwinArguments) {
    guard let target = arguments.colorAttachment else { return }
    let block = arguments.value(Block.self, 3)
    let (luma, chroma) = (arguments.texture(0), arguments.texture(1))
    unsafe luma.withSamples(of: type) { luma in
      unsafe chroma.withSamples(of: type) { blue in
        unsafe (isPlanar ? arguments.texture(2) : chroma).withSamples(of: type) { red in
          unsafe target.withMutableSamples(of: type) { samples in
            unsafe fill(
              samples, of: target.pixelFormat.samplesPerPixel, target.size, luma: luma, blue: blue, red: red,
              chroma.size, block)
          }
        }
      }
    }
    guard hasAlpha, target.pixelFormat.samplesPerPixel == 4 else { return }
    unsafe arguments.texture(4).withSamples(of: type) { alpha in
      unsafe target.withMutableSamples(of: type) { target in
        for index in stride(from: 3, to: target.count, by: 4) { unsafe target[index] = alpha[index] }
      }
    }
  }

  /// Paints the colors and opaque alpha: the shader's sums, in integers of 64 bits.
  private func fill<Sample: UnsignedSample>(
    _ target: UnsafeMutableBufferPointer<Sample>, of samples: Int, _ size: Size, luma: UnsafeBufferPointer<Sample>,
    blue: UnsafeBufferPointer<Sample>, red: UnsafeBufferPointer<Sample>, _ chromaSize: Size, _ block: Block
  ) {
    // In pairs, red differences follow blue ones.
    let (spacing, redOffset) = isPlanar ? (1, 0) : (2, 1)
    let (zero, middle) = (Int(block.levels.x), Int(block.levels.y))
    let (shift, largest) = (Int(block.levels.z), Int(block.levels.w))
    let (stepX, stepY) = (Int(block.siting.x), Int(block.siting.y))
    let (offsetX, offsetY) = (Int(block.siting.z), Int(block.siting.w))
    let rows = [block.red, block.green, block.blue].map { (Int($0.x), Int($0.y), Int($0.z)) }
    for y in 0..<size.height {
      let down = stepY * y - offsetY
      let above = min(max(down >> 2, 0), chromaSize.height - 1) * chromaSize.width
      let below = min(max((down >> 2) + 1, 0), chromaSize.height - 1) * chromaSize.width
      let lower = down & 3
      for x in 0..<size.width {
        let across = stepX * x - offsetX
        let left = min(max(across >> 2, 0), chromaSize.width - 1)
        let right = min(max((across >> 2) + 1, 0), chromaSize.width - 1)
        let farther = across & 3
        func sixteenths(_ plane: UnsafeBufferPointer<Sample>, _ offset: Int) -> Int {
          func sample(_ index: Int) -> Int { unsafe min(Int(plane[index * spacing + offset]), largest) << shift }
          let upper = (4 - farther) * sample(above + left) + farther * sample(above + right)
          if lower == 0 { return 4 * upper }
          return (4 - lower) * upper + lower * ((4 - farther) * sample(below + left) + farther * sample(below + right))
        }
        let pixel = y * size.width + x
        let light = 16 * (unsafe (min(Int(luma[pixel]), largest) << shift) - zero)
        let (b, r) = unsafe (sixteenths(blue, 0) - 16 * middle, sixteenths(red, redOffset) - 16 * middle)
        func mixed(_ row: (Int, Int, Int)) -> Sample {
          let sum = (row.0 * light + row.1 * b + row.2 * r + (1 << 22)) >> 23
          return Sample(min(max(sum, 0), Int(Sample.max)))
        }
        unsafe target[pixel * samples] = mixed(rows[0])
        guard samples == 4 else { continue }
        unsafe target[pixel * 4 + 1] = mixed(rows[1])
        unsafe target[pixel * 4 + 2] = mixed(rows[2])
        unsafe target[pixel * 4 + 3] = Sample.max
      }
    }
  }
}

/// Traps unless `planes` are those of `layout` for `picture`.
func checkPlanes(_ planes: [Texture], of layout: PixelLayout, picture: Texture) {
  let formats = layout.planeFormats
  trap(unless: planes.count == formats.count, "\(layout) has \(formats.count) planes; \(planes.count) were given")
  for (index, plane) in planes.enumerated() {
    let size = layout.planeSize(index, of: picture.size)
    trap(
      unless: plane.size == size && plane.pixelFormat.samplesPerPixel == formats[index].samplesPerPixel
        && plane.pixelFormat.bytesPerSample == formats[index].bytesPerSample
        && plane.pixelFormat.sampleKind == planes[0].pixelFormat.sampleKind && plane.pixelFormat.sampleKind != .float,
      """
      plane \(index) of \(layout) is '\(plane.label)', \(plane.size) \(plane.pixelFormat.rawValue); a picture of \
      \(picture.size) needs \(size) \(formats[index].rawValue), and either all planes or none must be normalized
      """)
  }
  trap(
    unless: PixelFormat.pictureFormats.contains(picture.pixelFormat)
      && picture.pixelFormat.bytesPerSample == formats[0].bytesPerSample,
    "a picture of \(picture.pixelFormat.rawValue) cannot hold a frame of \(layout); use rgba8Unorm for 8 bits, "
      + "rgba16Uint for more")
}
