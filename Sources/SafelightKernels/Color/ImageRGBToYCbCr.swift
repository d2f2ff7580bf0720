public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// Makes the luma and chroma planes of a frame from red, green and blue; vImage's `vImageConvert_ARGB8888To420Yp8_CbCr8` and its kin.
///
/// By ITU-T H.273 with Kr and Kb of the matrix; coefficients are kept in 2⁻¹⁹. Chroma that pixels share is made of
/// their weighted mean: where it lies on a column, of that and its neighbors by 1 : 2 : 1, between two columns of both
/// alike; so for rows. Pixels beyond the edge are those of the edge. With `r`, `g` and `b` the sums of sixteen such
/// weights, not rounded:
///
///     out = clamp(floor((c.r · r + c.g · g + c.b · b + 2²²) / 2²³) + zero, 0, largest)
///
/// Grays have the middle chroma; black and white have the range's ends. Alpha is left out.
public struct ImageRGBToYCbCr: Sendable {
  /// How the planes lie.
  public let layout: PixelLayout
  /// What their samples mean: matrix, range and siting; where the siting is unspecified, it is taken as ``ChromaSiting/left``.
  public let color: ColorDescription

  private let coding: YCbCrCoding
  private let weights: (columns: SIMD4<Int32>, rows: SIMD4<Int32>)

  /// Makes the kernel. Throws a ``SafelightError`` of kind `unsupported` for layouts without chroma, and where `color` leaves matrix or
  /// range open.
  public init(device: Device, layout: PixelLayout, color: ColorDescription) throws(SafelightError) {
    coding = try YCbCrCoding(layout, color)
    guard let weights = coding.chromaWeights else {
      throw SafelightError(
        .unsupported, "conversion to \(layout)", why: "its chroma would lie \(color.siting)",
        remedy: "use left, center, topLeft or top")
    }
    self.weights = weights
    self.layout = layout
    self.color = color
  }

  /// Records the conversion, a pass for each plane.
  ///
  /// - Parameters:
  ///   - source: one channel, which is gray, or four; of 8 bits for layouts of 8 bits, else of 16.
  ///   - planes: textures of the layout's planes. Words of 16 bits may be normalized formats too.
  public func encode(to buffer: CommandBuffer, source: Texture, planes: [Texture]) {
    checkPlanes(planes, of: layout, picture: source)
    let rows = coding.encoding()
    let step = coding.layout.subsampling.step
    for (index, plane) in planes.enumerated() {
      let first = index == 0 ? rows.luma : index == 1 ? rows.blue : rows.red
      let spacing = index == 0 ? Size(1, 1) : step
      let whole = SIMD4<Int32>(0, 4, 0, 0)
      let variant = Variant(
        source: source.pixelFormat, isNormalized: plane.pixelFormat.sampleKind == .normalized)
      let encoder = buffer.makeRenderCommandEncoder(
        RenderPassDescriptor(texture: plane), label: "RGB to Y'CbCr, plane \(index)")
      encoder.setRenderPipelineState(Self.library[variant])
      encoder.setFragmentTexture(source, index: 0)
      encoder.setFragmentBytes(
        RGBToYCbCrParameters(
          first: first, second: rows.red,
          spacing: SIMD4(
            Int32(spacing.width), Int32(spacing.height), Int32(coding.largest), Int32(coding.layout.shift)),
          columns: index == 0 ? whole : weights.columns, rows: index == 0 ? whole : weights.rows), index: 1)
      encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
      encoder.endEncoding()
    }
  }

  // MARK: Functions

  private struct Variant: Hashable, Sendable {
    var source: PixelFormat
    var isNormalized: Bool
  }

  private static let library = PipelineLibrary<Variant, RenderPipelineState> { variant in
    RenderPipelineState(
      fullScreen: ShaderFunction(
        name: "rgb_to_ycbcr",
        assembly: ShaderAssembly(
          [.pixels, .rgbToYCbCr],
          constants: variant.source.sampleConstants + [
            ShaderAssembly.Constant("SOURCE_IS_GRAY", variant.source.samplesPerPixel == 1),
            ShaderAssembly.Constant("TARGET_IS_NORMALIZED", variant.isNormalized),
          ]),
        arguments: [.sampledTexture(0), .bytes(1)],
        twin: twin))
  }

  static let twin = ShaderTwin { arguments in
    guard let conversion = RGBToYCbCrTwin(arguments) else {
      trap("rgb_to_ycbcr was recorded with bindings that its twin refuses; let encode and twin agree")
    }
    conversion.run()
  }
}

/// The shader's block.
struct RGBToYCbCrParameters: BitwiseCopyable, Sendable {
  /// Coefficients of red, green and blue, and the zero of the plane's first channel.
  var first: SIMD4<Int32>
  var second: SIMD4<Int32>
  /// Pixels from sample to sample, across and down; the largest sample; bits by which it lies to the left.
  var spacing: SIMD4<Int32>
  /// ``YCbCrCoding/chromaWeights``.
  var columns: SIMD4<Int32>
  var rows: SIMD4<Int32>
}
