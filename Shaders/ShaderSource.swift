internal import Glibc

/// A GLSL text of this package, embedded in the binary; the raw value is its path in the Shaders folder, and its first
/// lines describe it.
///
/// If the variable `SAFELIGHT_SHADERS` is set to a folder, texts are read from there instead, so that a shader can be
/// changed without a build.
package enum ShaderSource: String, CaseIterable, Sendable {
  case prelude = "Common/prelude.glsl"
  case compute = "Common/compute.glsl"
  case pixels = "Common/pixels.glsl"
  case single = "Common/single.glsl"
  case portion = "Common/portion.glsl"
  case vertex = "Common/vertex.glsl"
  case clipSpace = "Common/clip_space.vert"
  case fullScreen = "Common/full_screen.vert"
  case pointCompute = "Common/point.comp"
  case pointFragment = "Common/point.frag"
  case userBegin = "Common/user_begin.glsl"
  case userEnd = "Common/user_end.glsl"
  case reduction = "Common/reduction.comp"
  case mean = "Statistics/mean.glsl"
  case window = "Common/window.glsl"
  case median = "Window/median.glsl"
  case passthrough = "Copy/passthrough.glsl"
  case grayMix = "Color/gray_mix.glsl"
  case saturation = "Color/saturation.glsl"
  case vibrance = "Color/vibrance.glsl"
  case colorMatrix = "Color/color_matrix.glsl"
  case premultiply = "Color/premultiply.glsl"
  case unpremultiply = "Color/unpremultiply.glsl"
  case yCbCrToRGB = "Color/ycbcr_to_rgb.frag"
  case rgbToYCbCr = "Color/rgb_to_ycbcr.frag"
  case lookup = "Tone/lookup.glsl"
  case threshold = "Tone/threshold.glsl"
  case stretchTransform = "Tone/stretch_transform.comp"
  case colorCube = "Tone/color_cube.glsl"
  case bins = "Histogram/bins.glsl"
  case histogramSource = "Histogram/histogram_source.glsl"
  case histogramGlobal = "Histogram/histogram_global.comp"
  case histogramShared = "Histogram/histogram_shared.comp"
  case histogramPrivate = "Histogram/histogram_private.comp"
  case keys = "Histogram/keys.glsl"
  case histogramLuma = "Histogram/luma.glsl"
  case edges = "Histogram/edges.glsl"
  case histogramExtrema = "Histogram/histogram_extrema.comp"
  case histogramRange = "Histogram/histogram_range.comp"
  case histogramEdges = "Histogram/histogram_edges.comp"
  case specificationSums = "Histogram/specification_sums.comp"
  case specificationTransform = "Histogram/specification_transform.comp"
  case temporalDistance = "Histogram/temporal_distance.comp"
  case temporalSum = "Histogram/temporal_sum.comp"
  case equalizationRules = "Equalization/equalization_rules.glsl"
  case equalizationTransform = "Equalization/equalization_transform.comp"
  case equalizationApply = "Equalization/equalization_apply.glsl"
  case equalizationGain = "Equalization/equalization_gain.glsl"
  case claheTables = "Equalization/clahe_tables.glsl"
  case claheCount = "Equalization/clahe_count.comp"
  case claheTransform = "Equalization/clahe_transform.comp"
  case claheApply = "Equalization/clahe_apply.glsl"
  case imageSampling = "Geometry/image_sampling.glsl"
  case imageRendering = "Geometry/image_rendering.glsl"
  case imageRenderingCompute = "Geometry/image_rendering.comp"
  case imageRenderingFragment = "Geometry/image_rendering.frag"

  /// Finds the text in the file `NAME.glsl`; returns nil if there is no such file.
  package init?(named name: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue.hasSuffix("/\(name).glsl") }) else { return nil }
    self = found
  }

  /// The text as written in the Shaders folder.
  package var text: String {
    guard let folder = getenv("SAFELIGHT_SHADERS"), folder.pointee != 0 else {
      return String(decoding: bytes, as: UTF8.self)
    }
    let path = "\(String(cString: folder))/\(rawValue)"
    // Not an empty text, if the file cannot be read: the compiler reports this line.
    return ShaderFile.read(path) ?? "#error SAFELIGHT_SHADERS: \(path) cannot be read"
  }

  private var bytes: [UInt8] {
    switch self {
    case .prelude: PackageResources.prelude_glsl
    case .compute: PackageResources.compute_glsl
    case .pixels: PackageResources.pixels_glsl
    case .single: PackageResources.single_glsl
    case .portion: PackageResources.portion_glsl
    case .vertex: PackageResources.vertex_glsl
    case .clipSpace: PackageResources.clip_space_vert
    case .fullScreen: PackageResources.full_screen_vert
    case .pointCompute: PackageResources.point_comp
    case .pointFragment: PackageResources.point_frag
    case .userBegin: PackageResources.user_begin_glsl
    case .userEnd: PackageResources.user_end_glsl
    case .reduction: PackageResources.reduction_comp
    case .mean: PackageResources.mean_glsl
    case .window: PackageResources.window_glsl
    case .median: PackageResources.median_glsl
    case .passthrough: PackageResources.passthrough_glsl
    case .grayMix: PackageResources.gray_mix_glsl
    case .saturation: PackageResources.saturation_glsl
    case .vibrance: PackageResources.vibrance_glsl
    case .colorMatrix: PackageResources.color_matrix_glsl
    case .premultiply: PackageResources.premultiply_glsl
    case .unpremultiply: PackageResources.unpremultiply_glsl
    case .yCbCrToRGB: PackageResources.ycbcr_to_rgb_frag
    case .rgbToYCbCr: PackageResources.rgb_to_ycbcr_frag
    case .lookup: PackageResources.lookup_glsl
    case .threshold: PackageResources.threshold_glsl
    case .stretchTransform: PackageResources.stretch_transform_comp
    case .colorCube: PackageResources.color_cube_glsl
    case .bins: PackageResources.bins_glsl
    case .histogramSource: PackageResources.histogram_source_glsl
    case .histogramGlobal: PackageResources.histogram_global_comp
    case .histogramShared: PackageResources.histogram_shared_comp
    case .histogramPrivate: PackageResources.histogram_private_comp
    case .keys: PackageResources.keys_glsl
    case .histogramLuma: PackageResources.luma_glsl
    case .edges: PackageResources.edges_glsl
    case .histogramExtrema: PackageResources.histogram_extrema_comp
    case .histogramRange: PackageResources.histogram_range_comp
    case .histogramEdges: PackageResources.histogram_edges_comp
    case .specificationSums: PackageResources.specification_sums_comp
    case .specificationTransform: PackageResources.specification_transform_comp
    case .temporalDistance: PackageResources.temporal_distance_comp
    case .temporalSum: PackageResources.temporal_sum_comp
    case .equalizationRules: PackageResources.equalization_rules_glsl
    case .equalizationTransform: PackageResources.equalization_transform_comp
    case .equalizationApply: PackageResources.equalization_apply_glsl
    case .equalizationGain: PackageResources.equalization_gain_glsl
    case .claheTables: PackageResources.clahe_tables_glsl
    case .claheCount: PackageResources.clahe_count_comp
    case .claheTransform: PackageResources.clahe_transform_comp
    case .claheApply: PackageResources.clahe_apply_glsl
    case .imageSampling: PackageResources.image_sampling_glsl
    case .imageRendering: PackageResources.image_rendering_glsl
    case .imageRenderingCompute: PackageResources.image_rendering_comp
    case .imageRenderingFragment: PackageResources.image_rendering_frag
    }
  }
}
