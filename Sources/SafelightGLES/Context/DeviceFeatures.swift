/// What a device can do beyond OpenGL ES 3.1; the documentation of each says what happens without it.
///
/// The CPU has all but shared dma-bufs: its twins need no extension. Opened with limits it refuses what a GPU of those refuses.
public struct DeviceFeatures: OptionSet, Hashable, Sendable {
  /// One bit a feature.
  public let rawValue: UInt32

  /// Makes a set of its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Textures of normalised 16-bit samples (`GL_EXT_texture_norm16`); else 16-bit integer formats serve.
  public static let normalized16 = DeviceFeatures(rawValue: 1 << 0)
  /// Drawing into, clearing and reading back halves and floats (OpenGL ES 3.2, `GL_EXT_color_buffer_float`); else they can be
  /// sampled and stored to only.
  public static let floatRenderTargets = DeviceFeatures(rawValue: 1 << 1)
  /// Linear filters on 32-bit floats (`GL_OES_texture_float_linear`); else halves serve.
  public static let linearFloat32 = DeviceFeatures(rawValue: 1 << 2)
  /// Views in another format or of some slices (`GL_EXT_texture_view`); else views of levels alone.
  public static let textureViews = DeviceFeatures(rawValue: 1 << 3)
  /// Copies between textures as they are (OpenGL ES 3.2, `GL_EXT_copy_image`); else by way of a framebuffer.
  public static let copyImage = DeviceFeatures(rawValue: 1 << 4)
  /// A border colour beyond edges (OpenGL ES 3.2, `GL_EXT_texture_border_clamp`); else refused.
  public static let borderColor = DeviceFeatures(rawValue: 1 << 5)
  /// Samplers that give the least or the greatest (`GL_EXT_texture_filter_minmax`); else refused.
  public static let minMaxSamplers = DeviceFeatures(rawValue: 1 << 6)
  /// Samplers with anisotropy (`GL_EXT_texture_filter_anisotropic`); else isotropic.
  public static let anisotropy = DeviceFeatures(rawValue: 1 << 7)
  /// Memory that the process and the device share without a copy (`GL_EXT_buffer_storage`); else bytes are copied at both ends of a
  /// command buffer.
  public static let sharedMemory = DeviceFeatures(rawValue: 1 << 8)
  /// Textures over dma-bufs without a copy (`EGL_EXT_image_dma_buf_import`, `GL_OES_EGL_image`); else their bytes are copied at both
  /// ends of a command buffer.
  public static let dmaBufferImport = DeviceFeatures(rawValue: 1 << 9)
  /// Memory of a texture as a dma-buf (`EGL_MESA_image_dma_buf_export`); else only textures made over shared memory can be handed on.
  public static let dmaBufferExport = DeviceFeatures(rawValue: 1 << 10)
  /// Attachments of one pass that are blended and masked each in its way (OpenGL ES 3.2, `GL_EXT_draw_buffers_indexed`); else
  /// refused.
  public static let independentBlending = DeviceFeatures(rawValue: 1 << 16)
  /// Numbers added to the indices of a draw (OpenGL ES 3.2, `GL_EXT_draw_elements_base_vertex`); else refused.
  public static let baseVertex = DeviceFeatures(rawValue: 1 << 17)
  /// Blending into 32-bit floats (`GL_EXT_float_blend`); else halves serve.
  public static let float32Blending = DeviceFeatures(rawValue: 1 << 18)
  /// Kernels store to every pixel format (`GL_NV_image_formats`), in functions with `#extension GL_NV_image_formats : require`; else to
  /// those of `PixelFormat.isStorable`, and to the others in a render pass.
  public static let storageOfAllFormats = DeviceFeatures(rawValue: 1 << 19)
  /// Arrays of multisample textures (OpenGL ES 3.2, `GL_OES_texture_storage_multisample_2d_array`); else one texture each.
  public static let multisampleArrays = DeviceFeatures(rawValue: 1 << 24)

  /// Functions of threads that run in step, `anyInvocationEXT` and its kin (`GL_EXT_shader_group_vote`); else refused, and threadgroup
  /// memory serves.
  public static let groupVote = DeviceFeatures(rawValue: 1 << 25)
  /// Metal's SIMD-group functions, `subgroupAdd` and its kin (`GL_KHR_shader_subgroup`; the compiler refuses a part that the driver lacks);
  /// else refused, and threadgroup memory serves.
  public static let subgroups = DeviceFeatures(rawValue: 1 << 26)
  /// Fragment functions that read the target's pixel, Metal's programmable blending (`GL_EXT_shader_framebuffer_fetch`); else refused, and
  /// a second pass samples the first's result.
  public static let framebufferFetch = DeviceFeatures(rawValue: 1 << 27)
  /// Textures of stencil alone (OpenGL ES 3.2, `GL_OES_texture_stencil8`); else an unused depth lies beside it.
  public static let stencilTextures = DeviceFeatures(rawValue: 1 << 28)
  /// A bound for the depth bias (`GL_EXT_polygon_offset_clamp`); else refused.
  public static let depthBiasClamp = DeviceFeatures(rawValue: 1 << 29)
  /// Depths beyond the near and far plane that are clamped and not clipped (`GL_EXT_depth_clamp`); else refused.
  public static let depthClamp = DeviceFeatures(rawValue: 1 << 30)

  /// Names for listings, in order.
  public static let names: [(feature: DeviceFeatures, name: String)] = [
    (.normalized16, "normalized-16"), (.floatRenderTargets, "float-render-targets"),
    (.linearFloat32, "linear-float-32"),
    (.textureViews, "texture-views"), (.copyImage, "copy-image"), (.borderColor, "border-color"),
    (.minMaxSamplers, "min-max-samplers"), (.anisotropy, "anisotropy"), (.sharedMemory, "shared-memory"),
    (.dmaBufferImport, "dma-buffer-import"), (.dmaBufferExport, "dma-buffer-export"),
    (.independentBlending, "independent-blending"), (.baseVertex, "base-vertex"),
    (.float32Blending, "float-32-blending"), (.storageOfAllFormats, "storage-of-all-formats"),
    (.multisampleArrays, "multisample-arrays"), (.groupVote, "group-vote"), (.subgroups, "subgroups"),
    (.framebufferFetch, "framebuffer-fetch"),
    (.stencilTextures, "stencil-textures"), (.depthBiasClamp, "depth-bias-clamp"), (.depthClamp, "depth-clamp"),
  ]

  /// Everything.
  public static let all: DeviceFeatures = names.reduce(into: []) { $0.formUnion($1.feature) }

  /// What a context of `version` (ten times, such as 32) with `extensions` has.
  init(version: Int, extensions: Set<String>) {
    func has(_ names: String..., core: Int = .max) -> Bool {
      version >= core || names.contains { extensions.contains("GL_\($0)") }
    }
    self = []
    if has("NV_image_formats") { insert(.storageOfAllFormats) }
    if has("EXT_texture_norm16") { insert(.normalized16) }
    if has("EXT_color_buffer_float", core: 32) { insert(.floatRenderTargets) }
    if has("OES_texture_float_linear") { insert(.linearFloat32) }
    if has("EXT_texture_view") { insert(.textureViews) }
    if has("EXT_copy_image", "OES_copy_image", core: 32) { insert(.copyImage) }
    if has("EXT_texture_border_clamp", "OES_texture_border_clamp", core: 32) { insert(.borderColor) }
    if has("EXT_texture_filter_minmax") { insert(.minMaxSamplers) }
    if has("EXT_texture_filter_anisotropic") { insert(.anisotropy) }
    if has("EXT_buffer_storage") { insert(.sharedMemory) }
    if has("EXT_draw_buffers_indexed", "OES_draw_buffers_indexed", core: 32) { insert(.independentBlending) }
    if has("EXT_draw_elements_base_vertex", "OES_draw_elements_base_vertex", core: 32) { insert(.baseVertex) }
    if has("EXT_float_blend") { insert(.float32Blending) }
    if has("OES_texture_storage_multisample_2d_array", core: 32) { insert(.multisampleArrays) }
    if has("EXT_shader_group_vote") { insert(.groupVote) }
    if has("KHR_shader_subgroup") { insert(.subgroups) }
    if has("EXT_shader_framebuffer_fetch") { insert(.framebufferFetch) }
    if has("OES_texture_stencil8", core: 32) { insert(.stencilTextures) }
    if has("EXT_polygon_offset_clamp") { insert(.depthBiasClamp) }
    if has("EXT_depth_clamp") { insert(.depthClamp) }
  }
}

/// The extensions that a function may demand with a line `#extension GL_… : require`.
///
/// Those that ``DeviceFeatures`` has a bit for are judged by it and not by this list.
public enum ShaderExtensions: Hashable, Sendable {
  /// Any: a Swift twin needs none.
  case all
  /// Those that the driver lists, by full names.
  case listed(Set<String>)

  /// Whether a function may demand `name`.
  public func contains(_ name: String) -> Bool {
    switch self {
    case .all: true
    case .listed(let names): names.contains(name)
    }
  }

  /// Those in both.
  func intersection(_ other: ShaderExtensions) -> ShaderExtensions {
    switch (self, other) {
    case (.all, let rest), (let rest, .all): rest
    case (.listed(let names), .listed(let others)): .listed(names.intersection(others))
    }
  }
}

extension Capabilities {
  /// Whether a function may demand the extension `name`.
  public func hasShaderExtension(_ name: String) -> Bool {
    DeviceFeatures(shaderExtension: name).map(features.contains) ?? shaderExtensions.contains(name)
  }
}

extension DeviceFeatures {
  /// The feature that an extension of the shading language brings; nil where it has no bit.
  package init?(shaderExtension name: String) {
    switch name {
    case "GL_NV_image_formats": self = .storageOfAllFormats
    case "GL_EXT_shader_group_vote": self = .groupVote
    case "GL_EXT_shader_framebuffer_fetch": self = .framebufferFetch
    // The language has an extension for each part: GL_KHR_shader_subgroup_vote and so on.
    case let name where name.hasPrefix("GL_KHR_shader_subgroup"): self = .subgroups
    default: return nil
    }
  }
}
