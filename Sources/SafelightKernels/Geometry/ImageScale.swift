public import SafelightGPU
public import SafelightImage

/// A scale and a translation of a picture, both from its upper left corner; Metal Performance Shaders'
/// `MPSScaleTransform`.
///
/// The point of the source in column `x` and row `y` goes to `x · scaleX + translateX` and `y · scaleY + translateY` in
/// the destination, where points count from the corner, so that pixel `i` has its middle at `i + 1/2`. So the
/// destination shows columns from `−translateX / scaleX` on, `width / scaleX` of them, and rows likewise.
public struct ScaleTransform: Hashable, Sendable {
  /// The pixels of the destination to each pixel of the source, above 0.
  public var scaleX, scaleY: Double
  /// The column and the row of the destination in which the source begins.
  public var translateX, translateY: Double

  /// Makes a transform, by default that which leaves a picture as it is.
  public init(scaleX: Double = 1, scaleY: Double = 1, translateX: Double = 0, translateY: Double = 0) {
    (self.scaleX, self.scaleY, self.translateX, self.translateY) = (scaleX, scaleY, translateX, translateY)
  }
}

/// A kernel that scales a picture, or a part of it, into another or a part of that; Metal Performance Shaders'
/// `MPSImageScale`.
public protocol ImageScale: Sendable {
  /// The part of the source that the destination shows; nil for all of it (`scaleTransform`).
  var scaleTransform: ScaleTransform? { get set }
  /// The pixels of the destination that are written, clipped to it, while others stay; nil for all (`clipRect`).
  var clipRect: Region? { get set }

  /// Makes the kernel.
  init(device: Device)

  /// Records the scaling of `source` to `destination`.
  ///
  /// - Parameters:
  ///   - source: A texture of `rgba8Unorm`, `bgra8Unorm`, `r8Unorm`, `rgba16Uint` or `r16Uint`.
  ///   - destination: A texture of the same format, of any size. Never the source or a view of it.
  ///   - pipeline: The pipeline that runs; both give the same bytes.
  /// - Throws: ``SafelightError`` of kind `unsupported` for textures of two formats, which it names, and for positions
  ///   more than 4 million pixels away; of kind `limit` for sizes beyond the rule's arithmetic: a bilinear scale
  ///   without a transform by a ratio beyond 32 bits, and a Lanczos scale in which 2000 or more columns or rows would
  ///   have a weight in one pixel.
  func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, pipeline: PipelineKind
  ) throws(SafelightError)
}

extension ImageScale {
  /// Records the scaling of `source` to `destination` in the pipeline that was measured to be faster.
  public func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture
  ) throws(SafelightError) {
    try encode(to: buffer, source: source, destination: destination, pipeline: .automatic)
  }
}

/// A kernel that scales a picture, or a part of it, with four pixels for each that is made; Metal Performance Shaders'
/// `MPSImageBilinearScale`, exact to the last bit on every device.
///
/// Without a transform the rule is that of ``ImageResize/Mode/bilinear``, OpenCV's `INTER_LINEAR_EXACT`. With one, the
/// middle of pixel `i` lies `i · step + first` pixels from the middle of the source's first, with
///
///     step  = 1 / scale                                both in doubles, and rounded to 2⁻⁴⁰, halves away from 0
///     first = (1/2 − translate) / scale − 1/2
///
/// The sum is rounded to 256ths of a pixel, halves up. Weights are 256ths for the columns times 256ths for the rows, in
/// 8 and in 16 bits; the sum of four products is rounded once, halves up. That is the rule of ``ImageAffine``.
///
/// Beyond the edges lie the pixels at the edges. Where a picture becomes less than half as large, pixels are left out;
/// ``ImageLanczosScale`` takes all. Each channel is scaled by itself, so the color of transparent pixels counts.
public struct ImageBilinearScale: ImageScale {
  /// The part of the source that the destination shows; nil for all of it (`scaleTransform`).
  public var scaleTransform: ScaleTransform?
  /// The pixels of the destination that are written, clipped to it, while others stay; nil for all (`clipRect`).
  public var clipRect: Region?
  private let last = LastScale()

  /// Makes the kernel.
  public init(device: Device) {}

  /// Records the scaling of `source` to `destination`.
  public func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, pipeline: PipelineKind
  ) throws(SafelightError) {
    try ScaleCall(.bilinear, scaleTransform, clipRect, destination)
      .encode(source, to: destination, buffer, pipeline, last)
  }
}

/// A kernel that scales a picture, or a part of it, by a windowed sinc, the sharpest rule; Metal Performance Shaders'
/// `MPSImageLanczosScale`, exact to the last bit on every device.
///
/// The rule is that of ``ImageResize/Mode/lanczos``, Pillow's
///
///     image.resize((width, height), LANCZOS, box=(left, top, left + columns, top + rows))
///
/// with `left = −translateX / scaleX`, `columns = width / scaleX`, and rows likewise; Metal's lobes are not published.
/// In 8 bits each channel has Pillow's bytes where the box lies in the picture and Pillow's floats of 32 bits hold its
/// numbers. Pillow refuses other boxes; here a pixel whose middle lies beyond an edge is made as if it lay on the edge.
/// Pixels beyond the edges have no weight. Weights have 22 bits; the CPU works them out in double precision, once for
/// calls with the same numbers and sizes that follow one another.
///
/// Where a picture becomes smaller, as many more pixels have a weight. Each channel is scaled by itself, so the color
/// of transparent pixels counts.
public struct ImageLanczosScale: ImageScale {
  /// The part of the source that the destination shows; nil for all of it (`scaleTransform`).
  public var scaleTransform: ScaleTransform?
  /// The pixels of the destination that are written, clipped to it, while others stay; nil for all (`clipRect`).
  public var clipRect: Region?
  private let last = LastScale()

  /// Makes the kernel.
  public init(device: Device) {}

  /// Records the scaling of `source` to `destination`.
  public func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, pipeline: PipelineKind
  ) throws(SafelightError) {
    try ScaleCall(.lanczos, scaleTransform, clipRect, destination)
      .encode(source, to: destination, buffer, pipeline, last)
  }
}
