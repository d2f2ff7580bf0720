internal import CGLES
package import SafelightImage

/// A GL sampler (ES 3.0 §3.8.2).
package final class SamplerObject {
  private let gl: GLFunctions
  private let name: GLName

  /// Makes the sampler.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the context lacks a feature that it needs.
  package init(_ context: Context, _ descriptor: SamplerDescriptor, label: String) throws(SafelightError) {
    let gl = context.gl
    self.gl = gl
    name = GLName(.sampler, gl)
    try descriptor.check(context.features, label: label)
    for (parameter, value) in descriptor.parameters {
      try gl.call("glSamplerParameteri") { $0.glSamplerParameteri(name.rawValue, GLenum(parameter), value) }
    }
    var floats = [(GL_TEXTURE_MIN_LOD, descriptor.lodMinClamp), (GL_TEXTURE_MAX_LOD, descriptor.lodMaxClamp)]
    if descriptor.maxAnisotropy > 1 && context.features.contains(.anisotropy) {
      floats.append((GL_TEXTURE_MAX_ANISOTROPY_EXT, Float(descriptor.maxAnisotropy)))
    }
    for (parameter, value) in floats {
      try gl.call("glSamplerParameterf") { $0.glSamplerParameterf(name.rawValue, GLenum(parameter), value) }
    }
    if descriptor.reachesBorder {
      let color = descriptor.borderColor.value
      try gl.call("glSamplerParameterfv") {
        unsafe $0.glSamplerParameterfv(name.rawValue, GLenum(GL_TEXTURE_BORDER_COLOR), color)
      }
    }
    try gl.check("sampler '\(label)'")
    context.label(GL_SAMPLER, name.rawValue, label)
  }

  /// Binds the sampler to a texture unit (`glBindSampler`).
  package func bind(unit: Int) throws(SafelightError) {
    try gl.call("glBindSampler") { $0.glBindSampler(GLuint(unit), name.rawValue) }
  }

  /// Unbinds a texture unit's sampler, so that the texture's own parameters apply: nearest, clamped to the edge.
  package static func unbind(_ context: Context, unit: Int) throws(SafelightError) {
    try context.gl.call("glBindSampler") { $0.glBindSampler(GLuint(unit), 0) }
  }
}

extension SamplerDescriptor {
  /// Throws an error of kind `unsupported` if the sampler needs a feature that is not in `features`; called by both
  /// backends, so that they refuse the same samplers.
  package func check(_ features: DeviceFeatures, label: String) throws(SafelightError) {
    try ensure(
      !reachesBorder || features.contains(.borderColor), .unsupported, "sampler '\(label)'",
      why: "the device has no border colors (GL_EXT_texture_border_clamp)",
      remedy: "use clampToEdge, and compare the coordinate in the shader")
    try ensure(
      reduction == .weightedAverage || features.contains(.minMaxSamplers), .unsupported, "sampler '\(label)'",
      why: "the device has no GL_EXT_texture_filter_minmax",
      remedy: "read the neighbors with texelFetch and take min or max in the shader")
  }

  package var reachesBorder: Bool { [sAddressMode, tAddressMode, rAddressMode].contains(.clampToBorderColor) }

  fileprivate var parameters: [(Int32, GLint)] {
    var parameters = [
      (GL_TEXTURE_MIN_FILTER, minification), (GL_TEXTURE_MAG_FILTER, magFilter == .linear ? GL_LINEAR : GL_NEAREST),
      (GL_TEXTURE_WRAP_S, sAddressMode.glValue), (GL_TEXTURE_WRAP_T, tAddressMode.glValue),
      (GL_TEXTURE_WRAP_R, rAddressMode.glValue),
    ]
    if reduction != .weightedAverage {
      parameters.append((GL_TEXTURE_REDUCTION_MODE_EXT, reduction == .minimum ? GL_MIN : GL_MAX))
    }
    return parameters
  }

  private var minification: GLint {
    switch (minFilter, mipFilter) {
    case (.nearest, .notMipmapped): GL_NEAREST
    case (.linear, .notMipmapped): GL_LINEAR
    case (.nearest, .nearest): GL_NEAREST_MIPMAP_NEAREST
    case (.linear, .nearest): GL_LINEAR_MIPMAP_NEAREST
    case (.nearest, .linear): GL_NEAREST_MIPMAP_LINEAR
    case (.linear, .linear): GL_LINEAR_MIPMAP_LINEAR
    }
  }
}

extension SamplerDescriptor.AddressMode {
  fileprivate var glValue: GLint {
    switch self {
    case .clampToEdge: GL_CLAMP_TO_EDGE
    case .repeat: GL_REPEAT
    case .mirrorRepeat: GL_MIRRORED_REPEAT
    case .clampToBorderColor: GL_CLAMP_TO_BORDER_EXT
    }
  }
}

extension SamplerDescriptor.BorderColor {
  /// Red, green, blue, alpha.
  package var value: [Float] {
    switch self {
    case .transparentBlack: [0, 0, 0, 0]
    case .opaqueBlack: [0, 0, 0, 1]
    case .opaqueWhite: [1, 1, 1, 1]
    }
  }
}

/// How a shader reads between pixels and beyond edges; Metal's `MTLSamplerDescriptor`.
///
/// Coordinates run from 0 to 1. Exact kernels read with `texelFetch` and need no sampler.
public struct SamplerDescriptor: Codable, Hashable, Sendable {
  /// The pixels that contribute to a value.
  public enum Filter: String, Codable, Hashable, Sendable {
    /// The nearest pixel.
    case nearest
    /// Four neighbors, weighted by distance.
    case linear
  }

  /// The mipmap levels that contribute to a value.
  public enum MipFilter: String, Codable, Hashable, Sendable {
    /// The first level.
    case notMipmapped
    /// The nearest level.
    case nearest
    /// Two neighboring levels, weighted by distance.
    case linear
  }

  /// The values beyond the edge.
  public enum AddressMode: String, Codable, Hashable, Sendable {
    /// The pixel at the edge.
    case clampToEdge
    /// The texture, repeated.
    case `repeat`
    /// The texture, repeated and mirrored.
    case mirrorRepeat
    /// The border color; needs ``DeviceFeatures/borderColor``.
    case clampToBorderColor
  }

  /// The values beyond the edge for `clampToBorderColor`.
  public enum BorderColor: String, Codable, Hashable, Sendable {
    case transparentBlack, opaqueBlack, opaqueWhite
  }

  /// How a filter combines its pixels.
  public enum Reduction: String, Codable, Hashable, Sendable {
    /// Their mean, weighted by distance.
    case weightedAverage
    /// The minimum; needs ``DeviceFeatures/minMaxSamplers``.
    case minimum
    /// The maximum; needs ``DeviceFeatures/minMaxSamplers``.
    case maximum
  }

  /// The filter if a pixel of the texture is smaller than one of the target.
  public var minFilter = Filter.nearest
  /// The filter if a pixel of the texture is larger than one of the target.
  public var magFilter = Filter.nearest
  /// The filter between levels.
  public var mipFilter = MipFilter.notMipmapped
  /// The values beyond the left and right edges.
  public var sAddressMode = AddressMode.clampToEdge
  /// The values beyond the top and bottom edges.
  public var tAddressMode = AddressMode.clampToEdge
  /// The values beyond the first and last planes.
  public var rAddressMode = AddressMode.clampToEdge
  /// The border color for `clampToBorderColor`.
  public var borderColor = BorderColor.transparentBlack
  /// How the filter combines its pixels.
  public var reduction = Reduction.weightedAverage
  /// The maximum number of samples along the longer axis of a slanted footprint; 1 is used without
  /// ``DeviceFeatures/anisotropy``, as Metal clamps it too.
  public var maxAnisotropy = 1
  /// The first level that may be read.
  public var lodMinClamp: Float = 0
  /// The last level that may be read.
  public var lodMaxClamp: Float = 1000

  /// Describes a sampler that reads the nearest pixel and clamps to the edge, as Metal's default does.
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
