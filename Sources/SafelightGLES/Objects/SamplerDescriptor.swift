/// How a shader reads between pixels and beyond edges; Metal's `MTLSamplerDescriptor`.
///
/// Kernels that promise exact bytes read with `texelFetch` and need none. Coordinates run from 0 to 1.
public struct SamplerDescriptor: Codable, Hashable, Sendable {
  /// Which pixels make a value.
  public enum Filter: String, Codable, Hashable, Sendable {
    /// The nearest one.
    case nearest
    /// Four neighbours, by distance.
    case linear
  }

  /// Which levels make a value.
  public enum MipFilter: String, Codable, Hashable, Sendable {
    /// The first alone.
    case notMipmapped
    /// The nearest.
    case nearest
    /// Two neighbours, by distance.
    case linear
  }

  /// What lies beyond the edge.
  public enum AddressMode: String, Codable, Hashable, Sendable {
    /// The pixel at the edge.
    case clampToEdge
    /// The texture again.
    case `repeat`
    /// The texture again, turned round.
    case mirrorRepeat
    /// ``SamplerDescriptor/borderColor``; needs OpenGL ES 3.2 or `GL_EXT_texture_border_clamp`.
    case clampToBorderColor
  }

  /// What lies beyond the edge with `clampToBorderColor`.
  public enum BorderColor: String, Codable, Hashable, Sendable {
    case transparentBlack, opaqueBlack, opaqueWhite
  }

  /// What becomes of the pixels that a filter reaches.
  public enum Reduction: String, Codable, Hashable, Sendable {
    /// Their mean by distance.
    case weightedAverage
    /// The least; needs `GL_EXT_texture_filter_minmax`.
    case minimum
    /// The greatest; needs `GL_EXT_texture_filter_minmax`.
    case maximum
  }

  /// Where a pixel of the texture is smaller than one of the target.
  public var minFilter = Filter.nearest
  /// Where it is larger.
  public var magFilter = Filter.nearest
  /// Between levels.
  public var mipFilter = MipFilter.notMipmapped
  /// Beyond the left and right edges.
  public var sAddressMode = AddressMode.clampToEdge
  /// Beyond the upper and lower edges.
  public var tAddressMode = AddressMode.clampToEdge
  /// Beyond the first and last plane.
  public var rAddressMode = AddressMode.clampToEdge
  /// What lies there with `clampToBorderColor`.
  public var borderColor = BorderColor.transparentBlack
  /// What becomes of the pixels that a filter reaches.
  public var reduction = Reduction.weightedAverage
  /// Pixels along the longer axis of a slanted footprint; more than 1 needs `GL_EXT_texture_filter_anisotropic`, and is 1 where the
  /// driver has none, as Metal clamps it too.
  public var maxAnisotropy = 1
  /// The first level that may be read.
  public var lodMinClamp: Float = 0
  /// The last level that may be read.
  public var lodMaxClamp: Float = 1000

  /// Describes a sampler that reads the nearest pixel and clamps to the edge, as Metal's does by default.
  public init() {}

  /// Describes a sampler with one filter and one address mode.
  public init(filter: Filter, address: AddressMode = .clampToEdge) {
    minFilter = filter
    magFilter = filter
    sAddressMode = address
    tAddressMode = address
    rAddressMode = address
  }
}
