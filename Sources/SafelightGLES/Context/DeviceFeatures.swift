/// Abilities of a device beyond OpenGL ES 3.1; each documents what happens without it.
///
/// The CPU has all except shared dma-bufs, as its Swift twins need no extension. A device opened with limits refuses
/// what a GPU with those limits refuses.
public struct DeviceFeatures: OptionSet, Hashable, Sendable {
  /// The bits, one per feature.
  public let rawValue: UInt32

  /// Makes a set from its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Textures of normalized 16-bit samples (`GL_EXT_texture_norm16`). Without it 16-bit integer formats are used.
  public static let normalized16 = DeviceFeatures(rawValue: 1 << 0)
  /// Drawing into, clearing and reading back halves and floats (OpenGL ES 3.2, `GL_EXT_color_buffer_float`). Without it
  /// these formats can only be sampled and stored to.
  public static let floatRenderTargets = DeviceFeatures(rawValue: 1 << 1)
  /// Linear filtering of 32-bit floats (`GL_OES_texture_float_linear`). Without it use halves.
  public static let linearFloat32 = DeviceFeatures(rawValue: 1 << 2)
  /// Texture views in another format or of some slices (`GL_EXT_texture_view`). Without it views can only select
  /// levels.
  public static let textureViews = DeviceFeatures(rawValue: 1 << 3)
  /// Raw copies between textures (OpenGL ES 3.2, `GL_EXT_copy_image`). Without it copies use a framebuffer.
  public static let copyImage = DeviceFeatures(rawValue: 1 << 4)
  /// A border color beyond edges (OpenGL ES 3.2, `GL_EXT_texture_border_clamp`). Without it such samplers are refused.
  public static let borderColor = DeviceFeatures(rawValue: 1 << 5)
  /// Samplers that return the minimum or maximum (`GL_EXT_texture_filter_minmax`). Without it such samplers are
  /// refused.
  public static let minMaxSamplers = DeviceFeatures(rawValue: 1 << 6)
  /// Anisotropic samplers (`GL_EXT_texture_filter_anisotropic`). Without it samplers are isotropic.
  public static let anisotropy = DeviceFeatures(rawValue: 1 << 7)
  /// Memory shared by the process and the device (`GL_EXT_buffer_storage`). Without it bytes are copied before and
  /// after a command buffer.
  public static let sharedMemory = DeviceFeatures(rawValue: 1 << 8)
  /// Textures that use the memory of dma-bufs (`EGL_EXT_image_dma_buf_import`, `GL_OES_EGL_image`). Without it bytes
  /// are copied before and after a command buffer.
  public static let dmaBufferImport = DeviceFeatures(rawValue: 1 << 9)
  /// Textures whose memory can be exported as a dma-buf (`EGL_MESA_image_dma_buf_export`). Without it only textures
  /// made from shared memory can be shared.
  public static let dmaBufferExport = DeviceFeatures(rawValue: 1 << 10)
  /// Different blending and write masks for the attachments of a pass (OpenGL ES 3.2, `GL_EXT_draw_buffers_indexed`).
  /// Without it such pipelines are refused.
  public static let independentBlending = DeviceFeatures(rawValue: 1 << 16)
  /// A number added to the indices of a draw (OpenGL ES 3.2, `GL_EXT_draw_elements_base_vertex`). Without it such draws
  /// are refused.
  public static let baseVertex = DeviceFeatures(rawValue: 1 << 17)
  /// Blending into 32-bit floats (`GL_EXT_float_blend`). Without it use halves.
  public static let float32Blending = DeviceFeatures(rawValue: 1 << 18)
  /// Stores to every pixel format (`GL_NV_image_formats`) by functions with `#extension GL_NV_image_formats : require`.
  /// Without it functions can store to formats with `PixelFormat.isStorable`; a render pass writes the others.
  public static let storageOfAllFormats = DeviceFeatures(rawValue: 1 << 19)
  /// Arrays of multisample textures (OpenGL ES 3.2, `GL_OES_texture_storage_multisample_2d_array`). Without it use one
  /// texture each.
  public static let multisampleArrays = DeviceFeatures(rawValue: 1 << 24)

  /// Votes of threads that run in step, such as `anyInvocationEXT` (`GL_EXT_shader_group_vote`). Without it such
  /// functions are refused; use threadgroup memory.
  public static let groupVote = DeviceFeatures(rawValue: 1 << 25)
  /// Metal's SIMD-group functions, such as `subgroupAdd` (`GL_KHR_shader_subgroup`; the compiler rejects parts that the
  /// driver lacks). Without it such functions are refused; use threadgroup memory.
  public static let subgroups = DeviceFeatures(rawValue: 1 << 26)
  /// Fragment functions that read the target's pixel, Metal's programmable blending
  /// (`GL_EXT_shader_framebuffer_fetch`). Without it such functions are refused; sample the result of a first pass in a
  /// second one.
  public static let framebufferFetch = DeviceFeatures(rawValue: 1 << 27)
  /// Textures of stencil values alone (OpenGL ES 3.2, `GL_OES_texture_stencil8`). Without it they have an unused depth.
  public static let stencilTextures = DeviceFeatures(rawValue: 1 << 28)
  /// A limit of the depth bias (`GL_EXT_polygon_offset_clamp`). Without it such draws are refused.
  public static let depthBiasClamp = DeviceFeatures(rawValue: 1 << 29)
  /// Clamping depths beyond the near and far planes instead of clipping (`GL_EXT_depth_clamp`). Without it such draws
  /// are refused.
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

  /// Every feature.
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

/// The extensions that a function may require with `#extension GL_… : require`.
///
/// ``DeviceFeatures`` decides about extensions that it has a bit for, this list about all others.
public enum ShaderExtensions: Hashable, Sendable {
  /// Every extension, as Swift twins need none.
  case all
  /// The extensions that the driver lists, by their full names.
  case listed(Set<String>)

  /// Returns whether a function may require `name`.
  public func contains(_ name: String) -> Bool {
    switch self {
    case .all: true
    case .listed(let names): names.contains(name)
    }
  }

  /// Returns the extensions in both lists.
  func intersection(_ other: ShaderExtensions) -> ShaderExtensions {
    switch (self, other) {
    case (.all, let rest), (let rest, .all): rest
    case (.listed(let names), .listed(let others)): .listed(names.intersection(others))
    }
  }
}

extension Capabilities {
  /// Returns whether a function may require the extension `name`.
  public func hasShaderExtension(_ name: String) -> Bool {
    DeviceFeatures(shaderExtension: name).map(features.contains) ?? shaderExtensions.contains(name)
  }
}

extension DeviceFeatures {
  /// The feature of a shading language extension; nil if it has none.
  package init?(shaderExtension name: String) {
    switch name {
    case "GL_NV_image_formats": self = .storageOfAllFormats
    case "GL_EXT_shader_group_vote": self = .groupVote
    case "GL_EXT_shader_framebuffer_fetch": self = .framebufferFetch
    // Each part has an extension of its own, such as GL_KHR_shader_subgroup_vote.
    case let name where name.hasPrefix("GL_KHR_shader_subgroup"): self = .subgroups
    default: return nil
    }
  }
}
