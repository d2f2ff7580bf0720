/// A GLSL text of this package, embedded in the binary; the raw value is its file name.
public enum ShaderSource: String, CaseIterable, Sendable {
  /// Precision for every stage.
  case prelude = "prelude.glsl"
  /// Threadgroup size and the mask at the grid's edge.
  case compute = "compute.glsl"
  /// Samples as integers.
  case pixels = "pixels.glsl"
  /// The strip's corners.
  case fullScreen = "full_screen.vert"
  /// A point kernel as a compute function.
  case pointCompute = "point.comp"
  /// A point kernel as a fragment function.
  case pointFragment = "point.frag"
  /// Copies.
  case passthrough = "passthrough.glsl"
  /// Mixes with luma.
  case saturation = "saturation.glsl"
  /// Which entry a sample belongs to.
  case bins = "bins.glsl"
  /// Bindings of the histogram.
  case histogramSource = "histogram_source.glsl"
  /// Counts into the result.
  case histogramGlobal = "histogram_global.comp"
  /// Counts in threadgroup memory.
  case histogramShared = "histogram_shared.comp"
  /// Counts in lanes of their own.
  case histogramPrivate = "histogram_private.comp"
  /// Counts to look-up table.
  case equalizationTransform = "equalization_transform.comp"
  /// Look-up.
  case equalizationApply = "equalization_apply.glsl"

  /// The text as written in the Shaders folder.
  public var text: String {
    String(decoding: bytes, as: UTF8.self)
  }

  private var bytes: [UInt8] {
    switch self {
    case .prelude: PackageResources.prelude_glsl
    case .compute: PackageResources.compute_glsl
    case .pixels: PackageResources.pixels_glsl
    case .fullScreen: PackageResources.full_screen_vert
    case .pointCompute: PackageResources.point_comp
    case .pointFragment: PackageResources.point_frag
    case .passthrough: PackageResources.passthrough_glsl
    case .saturation: PackageResources.saturation_glsl
    case .bins: PackageResources.bins_glsl
    case .histogramSource: PackageResources.histogram_source_glsl
    case .histogramGlobal: PackageResources.histogram_global_comp
    case .histogramShared: PackageResources.histogram_shared_comp
    case .histogramPrivate: PackageResources.histogram_private_comp
    case .equalizationTransform: PackageResources.equalization_transform_comp
    case .equalizationApply: PackageResources.equalization_apply_glsl
    }
  }
}
