internal import Glibc

/// A GLSL text of this package, embedded in the binary; the raw value is its path in the Shaders folder.
///
/// With the variable `SAFELIGHT_SHADERS` set to a folder, texts are read from there instead, so that a shader can be
/// changed without building anew.
public enum ShaderSource: String, CaseIterable, Sendable {
  /// Precision for every stage.
  case prelude = "Common/prelude.glsl"
  /// Threadgroup size and the mask at the grid's edge.
  case compute = "Common/compute.glsl"
  /// Samples as integers.
  case pixels = "Common/pixels.glsl"
  /// Floats in integers.
  case single = "Common/single.glsl"
  /// A part of a whole, exactly.
  case portion = "Common/portion.glsl"
  /// What Metal gives a vertex function and GLSL does not.
  case vertex = "Common/vertex.glsl"
  /// From Metal's clip space to GL's.
  case clipSpace = "Common/clip_space.vert"
  /// The strip's corners.
  case fullScreen = "Common/full_screen.vert"
  /// A point kernel as a compute function.
  case pointCompute = "Common/point.comp"
  /// A point kernel as a fragment function.
  case pointFragment = "Common/point.frag"
  /// What stands before the body of a user's kernel.
  case userBegin = "Common/user_begin.glsl"
  /// What stands behind the body of a user's kernel.
  case userEnd = "Common/user_end.glsl"
  /// A reduction of blocks.
  case reduction = "Common/reduction.comp"
  /// Sums.
  case mean = "Statistics/mean.glsl"
  /// The pixels around one.
  case window = "Common/window.glsl"
  /// The middle one of the samples around.
  case median = "Window/median.glsl"
  /// Copies.
  case passthrough = "Copy/passthrough.glsl"
  /// Colors and the gray of their luma.
  case grayMix = "Color/gray_mix.glsl"
  /// Mixes with luma.
  case saturation = "Color/saturation.glsl"
  /// Mixes with luma what has little color.
  case vibrance = "Color/vibrance.glsl"
  /// Mixes red, green and blue.
  case colorMatrix = "Color/color_matrix.glsl"
  /// Colors times alpha.
  case premultiply = "Color/premultiply.glsl"
  /// Colors by alpha.
  case unpremultiply = "Color/unpremultiply.glsl"
  /// Luma and chroma to red, green and blue.
  case yCbCrToRGB = "Color/ycbcr_to_rgb.frag"
  /// Red, green and blue to a plane of luma or chroma.
  case rgbToYCbCr = "Color/rgb_to_ycbcr.frag"
  /// One output for every sample value.
  case lookup = "Tone/lookup.glsl"
  /// Comparison with a value.
  case threshold = "Tone/threshold.glsl"
  /// Counts to the look-up table of a contrast stretch.
  case stretchTransform = "Tone/stretch_transform.comp"
  /// Look-up of colors in a cube.
  case colorCube = "Tone/color_cube.glsl"
  /// Which entry a sample belongs to.
  case bins = "Histogram/bins.glsl"
  /// Bindings of the histogram.
  case histogramSource = "Histogram/histogram_source.glsl"
  /// Counts into the result.
  case histogramGlobal = "Histogram/histogram_global.comp"
  /// Counts in threadgroup memory.
  case histogramShared = "Histogram/histogram_shared.comp"
  /// Counts in lanes of their own.
  case histogramPrivate = "Histogram/histogram_private.comp"
  /// Floats as ordered integers.
  case keys = "Histogram/keys.glsl"
  /// The luma that is counted.
  case histogramLuma = "Histogram/luma.glsl"
  /// Which entry a float belongs to.
  case edges = "Histogram/edges.glsl"
  /// The least and the greatest samples.
  case histogramExtrema = "Histogram/histogram_extrema.comp"
  /// Extrema to a range of integers.
  case histogramRange = "Histogram/histogram_range.comp"
  /// Extrema to edges of floats.
  case histogramEdges = "Histogram/histogram_edges.comp"
  /// Sums of both histograms of a specification.
  case specificationSums = "Histogram/specification_sums.comp"
  /// Sums to look-up table.
  case specificationTransform = "Histogram/specification_transform.comp"
  /// How far two histograms lie apart.
  case temporalDistance = "Histogram/temporal_distance.comp"
  /// The sum of a film's last histograms.
  case temporalSum = "Histogram/temporal_sum.comp"
  /// Counts to an entry of the look-up table, by each rule.
  case equalizationRules = "Equalization/equalization_rules.glsl"
  /// Counts to look-up table.
  case equalizationTransform = "Equalization/equalization_transform.comp"
  /// Look-up.
  case equalizationApply = "Equalization/equalization_apply.glsl"
  /// Look-up of levels for lumas.
  case equalizationGain = "Equalization/equalization_gain.glsl"
  /// Where the tables of tiles lie.
  case claheTables = "Equalization/clahe_tables.glsl"
  /// Counts of tiles.
  case claheCount = "Equalization/clahe_count.comp"
  /// Counts of tiles to their tables.
  case claheTransform = "Equalization/clahe_transform.comp"
  /// Look-up between tiles.
  case claheApply = "Equalization/clahe_apply.glsl"
  /// A pixel of a picture turned and scaled.
  case imageSampling = "Geometry/image_sampling.glsl"
  /// A rendered pixel.
  case imageRendering = "Geometry/image_rendering.glsl"
  /// Rendering as a compute function.
  case imageRenderingCompute = "Geometry/image_rendering.comp"
  /// Rendering as a fragment function.
  case imageRenderingFragment = "Geometry/image_rendering.frag"

  /// Finds the text in the file `NAME.glsl`; returns nil if there is no such file.
  public init?(named name: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue.hasSuffix("/\(name).glsl") }) else { return nil }
    self = found
  }

  /// The text as written in the Shaders folder.
  public var text: String {
    guard let folder = getenv("SAFELIGHT_SHADERS"), folder.pointee != 0 else {
      return String(decoding: bytes, as: UTF8.self)
    }
    let path = "\(String(cString: folder))/\(rawValue)"
    // A text that cannot be read must not pass for an empty one: the compiler reports this line.
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
