public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A kernel that makes the luma and chroma planes of a frame from red, green and blue; vImage's
/// `vImageConvert_ARGB8888To420Yp8_CbCr8` and related functions.
///
/// Converts by ITU-T H.273 with Kr and Kb of the matrix; coefficients are kept in 2⁻¹⁹. Chroma that pixels share is
/// made of their weighted mean; the page Y'CbCr has the weights and the formula. Pixels beyond the edge repeat those at
/// the edge. Grays have the middle chroma; black and white have the range's ends. Alpha is dropped.
public struct ImageRGBToYCbCr: Sendable {
  /// The layout of the planes.
  public let layout: PixelLayout
  /// The meaning of the samples: matrix, range and siting. An unspecified siting is taken as ``ChromaSiting/left``.
  public let color: ColorDescription

  private let coding: YCbCrCoding
  private let weights: (columns: SIMD4<Int32>, rows: SIMD4<Int32>)

  /// Makes the kernel.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` for layouts without chroma, if `color` leaves matrix or range
  ///   open, and for sitings on the second of two columns or rows.
  public init(device: Device, layout: PixelLayout, color: ColorDescription) throws(SafelightError) {
    coding = try YCbCrCoding(layout, color)
    guard let weights = coding.chromaWeights else {
      throw SafelightError(
        .unsupported, "conversion to \(layout)", why: "its chroma siting cannot be \(color.siting)",
        remedy: "use left, center, topLeft or top")
    }
    self.weights = weights
    self.layout = layout
    self.color = color
  }

  /// Records the conversion, with a pass for each plane.
  ///
  /// - Parameters:
  ///   - source: A texture of one channel, which is gray, or four; of 8 bits for layouts of 8 bits, else of 16.
  ///   - planes: The textures of the layout's planes. Words of 16 bits may also be normalized.
  public func encode(to buffer: CommandBuffer, source: Texture, planes: [Texture]) {
    checkPlanes(planes, of: layout, picture: source)
    let rows = coding.encoding()
    let step = coding.layout.subsampling.step
    for (index, plane) in planes.enumerated() {
      let first = index == 0 ? rows.luma : index == 1 ? rows.blue : rows.red
      let spacing = index == 0 ? Size(1, 1) : step
      let whole = SIMD4<Int32>(0, 4, 0, 0)
      let function = RGBToYCbCrFunction(
        source: source.pixelFormat, isNormalized: plane.pixelFormat.sampleKind == .normalized)
      buffer.fullScreen("RGB to Y'CbCr, plane \(index)", to: plane) { encoder in
        encoder.setRenderPipelineState(function.renderPipeline)
        encoder.setFragmentTexture(source, index: 0)
        encoder.setFragmentBytes(
          RGBToYCbCrFunction.Block(
            first: first, second: rows.red,
            spacing: SIMD4(
              Int32(spacing.width), Int32(spacing.height), Int32(coding.largest), Int32(coding.layout.shift)),
            columns: index == 0 ? whole : weights.columns, rows: index == 0 ? whole : weights.rows), index: 1)
      }
    }
  }
}

/// `rgb_to_ycbcr.frag`.
struct RGBToYCbCrFunction: SampledFunction {
  struct Block: BitwiseCopyable, Sendable {
    /// Coefficients of red, green and blue, and the zero of the plane's first channel.
    var first: SIMD4<Int32>
    var second: SIMD4<Int32>
    /// Pixels from sample to sample, across and down; the largest sample; the bits by which it lies to the left.
    var spacing: SIMD4<Int32>
    var columns: SIMD4<Int32>
    var rows: SIMD4<Int32>
  }

  var source: PixelFormat
  var isNormalized: Bool

  static let shaders = [ShaderSource.rgbToYCbCr]
  var sources: [ShaderSource] { [.pixels, .rgbToYCbCr] }
  var constants: [ShaderAssembly.Constant] {
    source.sampleConstants + [
      .init("SOURCE_IS_GRAY", source.samplesPerPixel == 1), .init("TARGET_IS_NORMALIZED", isNormalized),
    ]
  }
  var arguments: [ShaderArgument] { [.sampledTexture(0), .bytes(1)] }

  static func captured(_ call: CapturedCall) -> Self? {
    guard let target = call.arguments.colorAttachment?.pixelFormat, let format = call.texture(0)?.pixelFormat,
      let block = call.block(Block.self, 1), case let spacing = block.spacing,
      PixelFormat.pictureFormats.contains(format), PixelFormat.pointFormats.contains(target),
      target.samplesPerPixel <= 2, target.bytesPerSample == format.bytesPerSample, (1...2).contains(spacing.x),
      (1...2).contains(spacing.y), (0...8).contains(spacing.w), (0...65535).contains(spacing.z),
      Int(spacing.z) << Int(spacing.w) <= format.maximum, Self.sumToFour(block.columns), Self.sumToFour(block.rows),
      Self.holds(block.first, format.maximum), Self.holds(block.second, format.maximum),
      call[isSet: "SOURCE_IS_GRAY"] == (format.samplesPerPixel == 1),
      call[isSet: "TARGET_IS_NORMALIZED"] == (target.sampleKind == .normalized)
    else { return nil }
    return Self(source: format, isNormalized: target.sampleKind == .normalized)
  }

  private static func sumToFour(_ weights: SIMD4<Int32>) -> Bool {
    (0..<3).allSatisfy { (0...4).contains(weights[$0]) } && weights[0] + weights[1] + weights[2] == 4
  }

  /// Returns whether no sum of samples up to `maximum` with these coefficients overflows.
  private static func holds(_ row: SIMD4<Int32>, _ maximum: Int) -> Bool {
    (0...65535).contains(row.w) && YCbCrCoding.holds(row, reach: SIMD3(repeating: 16 * maximum))
  }

  func run<Sample: UnsignedSample>(_ type: Sample.Type, _ arguments: TwinArguments) {
    guard let target = arguments.colorAttachment else { return }
    let (source, block) = (arguments.texture(0), arguments.value(Block.self, 1))
    unsafe source.withSamples(of: type) { samples in
      unsafe target.withMutableSamples(of: type) { made in
        unsafe fill(made, target.size, target.pixelFormat.samplesPerPixel, from: samples, source.size, block)
      }
    }
  }

  /// Paints a plane: the shader's sums, in integers of 64 bits.
  private func fill<Sample: UnsignedSample>(
    _ target: UnsafeMutableBufferPointer<Sample>, _ planeSize: Size, _ channels: Int,
    from source: UnsafeBufferPointer<Sample>, _ size: Size, _ block: Block
  ) {
    let samples = self.source.samplesPerPixel
    let (green, blue) = samples == 4 ? (1, 2) : (0, 0)
    let rows = [block.first, block.second]
    let (largest, shift) = (Int(block.spacing.z), Int(block.spacing.w))
    for y in 0..<planeSize.height {
      for x in 0..<planeSize.width {
        let (firstX, firstY) = (Int(block.spacing.x) * x, Int(block.spacing.y) * y)
        var sum = SIMD3<Int>.zero
        for down in 0..<3 where block.rows[down] != 0 {
          let line = min(max(firstY + down - 1, 0), size.height - 1) * size.width
          for across in 0..<3 where block.columns[across] != 0 {
            let pixel = (line + min(max(firstX + across - 1, 0), size.width - 1)) * samples
            let weight = Int(block.columns[across] &* block.rows[down])
            let colors = unsafe SIMD3(Int(source[pixel]), Int(source[pixel + green]), Int(source[pixel + blue]))
            sum &+= weight &* colors
          }
        }
        for channel in 0..<channels {
          let row = rows[channel]
          let mixed = (Int(row.x) * sum.x + Int(row.y) * sum.y + Int(row.z) * sum.z + (1 << 22)) >> 23
          let sample = min(max(mixed + Int(row.w), 0), largest) << shift
          unsafe target[(y * planeSize.width + x) * channels + channel] = Sample(sample)
        }
      }
    }
  }
}
