public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// Makes red, green and blue of the luma and chroma planes of a frame; vImage's `vImageConvert_420Yp8_CbCr8ToARGB8888` and its kin.
///
/// By ITU-T H.273 with Kr and Kb of the matrix; coefficients are kept in 2⁻¹⁹. Chroma is weighted between the four nearest samples by where
/// they lie, in sixteenths that are not rounded, and clamped at the edges. With `y` sixteen times the luma above black, `b` and `r` the
/// sixteenths of chroma less its middle:
///
///     out = clamp(floor((c.y · y + c.b · b + c.r · r + 2²²) / 2²³), 0, maximum)
///
/// Luma has one coefficient for all three, so grays are grays; black and white become 0 and maximum. Layouts of 8 bits
/// become RGB of 8 bits, all others RGB of 16. Words above the largest sample, which only layouts of 10 and 12 bits on
/// the right can hold, count as the largest.
public struct ImageYCbCrToRGB: Sendable {
  /// How the planes lie.
  public let layout: PixelLayout
  /// What their samples mean: matrix, range and siting; where the siting is unspecified, it is taken as ``ChromaSiting/left``.
  public let color: ColorDescription

  private let coding: YCbCrCoding

  /// Makes the kernel. Throws a ``SafelightError`` of kind `unsupported` for layouts without chroma, and where `color` leaves matrix or
  /// range open: nothing is guessed.
  public init(device: Device, layout: PixelLayout, color: ColorDescription) throws(SafelightError) {
    coding = try YCbCrCoding(layout, color)
    self.layout = layout
    self.color = color
  }

  /// Throws a ``SafelightError`` of kind `input` where `frame` has another layout, or is tagged with another matrix, range or siting than
  /// the kernel was made for. What a frame leaves open is taken as the kernel's.
  public func check(_ frame: VideoFrame) throws(SafelightError) {
    guard frame.layout == layout, coding.agrees(with: frame.color) else {
      throw SafelightError(
        .input, "frame \(frame.index + 1)",
        why: "\(frame.layout) tagged \(frame.color), but the kernel was made for \(layout) of \(color)",
        remedy: "make an ImageYCbCrToRGB of the frame's own layout and color")
    }
  }

  /// Records the conversion.
  ///
  /// - Parameters:
  ///   - planes: textures of the layout's planes, as a `TextureCache` makes them of a frame. Words of 16 bits may be
  ///     normalized formats too.
  ///   - alpha: a picture of the destination's size and depth that gives its alpha; opaque where there is none.
  ///   - destination: of the luma's size, with one or four channels of 8 or 16 bits; one channel gets red.
  public func encode(to buffer: CommandBuffer, planes: [Texture], alpha: Texture? = nil, destination: Texture) {
    checkPlanes(planes, of: layout, picture: destination)
    if let alpha {
      trap(
        unless: alpha.size == destination.size && alpha.pixelFormat.samplesPerPixel == 4
          && alpha.pixelFormat.sampleConstants == planes[0].pixelFormat.sampleConstants,
        "alpha '\(alpha.label)' (\(alpha.size) \(alpha.pixelFormat.rawValue)) must have the destination's size, and four samples of the luma's kind"
      )
    }
    let rows = coding.decoding()
    let variant = Variant(
      plane: planes[0].pixelFormat, isPlanar: planes.count == 3, hasAlpha: alpha != nil,
      isNormalized: destination.pixelFormat.sampleKind == .normalized)
    let encoder = buffer.makeRenderCommandEncoder(RenderPassDescriptor(texture: destination), label: "Y'CbCr to RGB")
    encoder.setRenderPipelineState(Self.library[variant])
    for (index, plane) in planes.enumerated() { encoder.setFragmentTexture(plane, index: index) }
    encoder.setFragmentBytes(
      YCbCrToRGBParameters(
        red: rows.red, green: rows.green, blue: rows.blue, levels: rows.levels, siting: coding.chromaPlaces), index: 3)
    if let alpha { encoder.setFragmentTexture(alpha, index: 4) }
    encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
    encoder.endEncoding()
  }

  // MARK: Functions

  private struct Variant: Hashable, Sendable {
    var plane: PixelFormat
    var isPlanar: Bool
    var hasAlpha: Bool
    var isNormalized: Bool
  }

  private static let library = PipelineLibrary<Variant, RenderPipelineState> { variant in
    RenderPipelineState(
      fullScreen: ShaderFunction(
        name: "ycbcr_to_rgb",
        assembly: ShaderAssembly(
          [.pixels, .yCbCrToRGB],
          constants: variant.plane.sampleConstants + [
            ShaderAssembly.Constant("PLANAR", variant.isPlanar), ShaderAssembly.Constant("HAS_ALPHA", variant.hasAlpha),
            ShaderAssembly.Constant("TARGET_IS_NORMALIZED", variant.isNormalized),
          ]),
        arguments: [.sampledTexture(0), .sampledTexture(1)] + (variant.isPlanar ? [.sampledTexture(2)] : [])
          + [.bytes(3)] + (variant.hasAlpha ? [.sampledTexture(4)] : []),
        twin: twin(isPlanar: variant.isPlanar, hasAlpha: variant.hasAlpha)))
  }

  static func twin(isPlanar: Bool, hasAlpha: Bool) -> ShaderTwin {
    ShaderTwin { arguments in
      guard let conversion = YCbCrToRGBTwin(arguments, isPlanar: isPlanar, hasAlpha: hasAlpha) else {
        trap("ycbcr_to_rgb was recorded with bindings that its twin refuses; let encode and twin agree")
      }
      conversion.run()
    }
  }
}

/// The shader's block.
struct YCbCrToRGBParameters: BitwiseCopyable, Sendable {
  /// Coefficients of y, b and r.
  var red: SIMD4<Int32>
  var green: SIMD4<Int32>
  var blue: SIMD4<Int32>
  /// Black's luma, the middle of chroma, bits that samples have to move to the left, and the largest of them.
  var levels: SIMD4<Int32>
  /// ``YCbCrCoding/chromaPlaces``.
  var siting: SIMD4<Int32>
}

/// Traps where `planes` are not those of `layout` for `picture`.
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
      plane \(index) of \(layout) is '\(plane.label)', \(plane.size) \(plane.pixelFormat.rawValue); a picture of \(picture.size) \
      needs \(size) \(formats[index].rawValue), all planes normalized or none
      """)
  }
  trap(
    unless: PixelFormat.pointFormats.contains(picture.pixelFormat) && picture.pixelFormat.samplesPerPixel != 2
      && picture.pixelFormat.bytesPerSample == formats[0].bytesPerSample,
    "a picture of \(picture.pixelFormat.rawValue) cannot be that of \(layout); use rgba8Unorm for 8 bits, rgba16Uint for more"
  )
}
