internal import CGLES

/// The limits and features of a device, by which kernels choose their variants.
///
/// Each property defaults to what every implementation of OpenGL ES 3.1 must offer (tables 20.40 to 20.47).
public struct Capabilities: Hashable, Sendable {
  /// The largest width and height of a texture, in pixels (`GL_MAX_TEXTURE_SIZE`).
  public var maximumTextureSize = 2048
  /// The largest number of threads in a threadgroup (`GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS`).
  public var maximumThreadsPerThreadgroup = 128
  /// The largest number of threads in a threadgroup along x (`GL_MAX_COMPUTE_WORK_GROUP_SIZE`).
  public var maximumThreadgroupWidth = 128
  /// The largest number of threads in a threadgroup along y.
  public var maximumThreadgroupHeight = 128
  /// The size of threadgroup memory in bytes (`GL_MAX_COMPUTE_SHARED_MEMORY_SIZE`).
  public var maximumThreadgroupMemoryLength = 16384
  /// The number of storage buffers of a compute function (`GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS`).
  public var maximumStorageBuffers = 4
  /// The number of storage textures of a compute function (`GL_MAX_COMPUTE_IMAGE_UNIFORMS`).
  public var maximumStorageTextures = 4
  /// The size of a storage buffer in bytes (`GL_MAX_SHADER_STORAGE_BLOCK_SIZE`).
  public var maximumBufferLength = 1 << 27
  /// The number of bytes that `setBytes` accepts (`GL_MAX_UNIFORM_BLOCK_SIZE`).
  public var maximumUniformLength = 16384
  /// The alignment in bytes of a storage buffer's offset (`GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT`).
  public var bufferOffsetAlignment = 256
  /// The limits of drawing.
  public var render = RenderLimits()
  /// The features beyond OpenGL ES 3.1.
  public var features: DeviceFeatures = []
  /// Further extensions that functions may require.
  public var shaderExtensions = ShaderExtensions.listed([])
  /// The number of threads that run in step (`GL_SUBGROUP_SIZE_KHR`); 1 if the driver does not report it.
  public var threadExecutionWidth = 1
  /// True if programs compile on threads of the driver (`GL_KHR_parallel_shader_compile`).
  public var compilesInParallel = false
  /// The number of binary formats of programs (`GL_NUM_PROGRAM_BINARY_FORMATS`); 0 if programs cannot be saved.
  public var programBinaryFormats = 0

  package init() {}

  /// The limits that every implementation of OpenGL ES 3.1 must offer, without features beyond it.
  public static let minimum = Capabilities()

  /// The limits of the CPU: those that most GPUs have, so that what runs on it runs on them; its Swift twins need no
  /// extension.
  ///
  /// They are 1024 threads and 32 KiB of memory a threadgroup, 16 buffers, 8 storage textures, textures of 16384 pixels
  /// a side and buffers of 1 GiB.
  package static let cpu: Capabilities = {
    var limits = Capabilities()
    limits.maximumTextureSize = 16384
    limits.maximumThreadsPerThreadgroup = 1024
    (limits.maximumThreadgroupWidth, limits.maximumThreadgroupHeight) = (1024, 1024)
    (limits.maximumThreadgroupMemoryLength, limits.maximumUniformLength) = (32768, 65536)
    (limits.maximumStorageBuffers, limits.maximumStorageTextures) = (16, 8)
    (limits.maximumBufferLength, limits.bufferOffsetAlignment) = (1 << 30, 4)
    limits.render.colorAttachments = 8
    (limits.render.vertexStorageBuffers, limits.render.fragmentStorageBuffers) = (16, 16)
    limits.render.fragmentStorageTextures = 8
    (limits.render.integerSamples, limits.render.subpixelBits) = (4, 8)
    limits.features = .all.subtracting([.dmaBufferImport, .dmaBufferExport])
    limits.shaderExtensions = .all
    return limits
  }()

  /// Returns the lesser of both in every property, as of a device that has no more than `limit`.
  public func clamped(to limit: Capabilities) -> Capabilities {
    var result = self
    for property in [
      \.maximumTextureSize, \.maximumThreadsPerThreadgroup, \.maximumThreadgroupWidth, \.maximumThreadgroupHeight,
      \.maximumThreadgroupMemoryLength, \.maximumStorageBuffers, \.maximumStorageTextures, \.maximumBufferLength,
      \.maximumUniformLength, \.threadExecutionWidth, \.programBinaryFormats, \.render.colorAttachments,
      \.render.vertexStorageBuffers, \.render.fragmentStorageBuffers, \.render.fragmentStorageTextures,
      \.render.samples, \.render.depthSamples, \.render.integerSamples,
    ] as [WritableKeyPath<Capabilities, Int>] {
      result[keyPath: property] = min(result[keyPath: property], limit[keyPath: property])
    }
    result.bufferOffsetAlignment = max(bufferOffsetAlignment, limit.bufferOffsetAlignment)
    result.features.formIntersection(limit.features)
    result.shaderExtensions = shaderExtensions.intersection(limit.shaderExtensions)
    result.compilesInParallel = compilesInParallel && limit.compilesInParallel
    return result
  }

  /// Returns whether a function may require the extension `name`.
  public func hasShaderExtension(_ name: String) -> Bool {
    DeviceFeatures(shaderExtension: name).map(features.contains) ?? shaderExtensions.contains(name)
  }

  /// Queries the driver of the current context.
  init(_ gl: GLFunctions) {
    let extensions = gl.extensions
    maximumTextureSize = gl.integer(GL_MAX_TEXTURE_SIZE)
    maximumThreadsPerThreadgroup = gl.integer(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS)
    maximumThreadgroupWidth = gl.integer(GL_MAX_COMPUTE_WORK_GROUP_SIZE, 0)
    maximumThreadgroupHeight = gl.integer(GL_MAX_COMPUTE_WORK_GROUP_SIZE, 1)
    maximumThreadgroupMemoryLength = gl.integer(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE)
    maximumStorageBuffers = gl.integer(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS)
    maximumStorageTextures = gl.integer(GL_MAX_COMPUTE_IMAGE_UNIFORMS)
    maximumBufferLength = gl.integer(GL_MAX_SHADER_STORAGE_BLOCK_SIZE)
    maximumUniformLength = gl.integer(GL_MAX_UNIFORM_BLOCK_SIZE)
    bufferOffsetAlignment = max(4, gl.integer(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT))
    features = DeviceFeatures(
      version: gl.integer(GL_MAJOR_VERSION) * 10 + gl.integer(GL_MINOR_VERSION), extensions: extensions)
    shaderExtensions = .listed(extensions)
    if extensions.contains("GL_KHR_shader_subgroup") { threadExecutionWidth = max(1, gl.integer(GL_SUBGROUP_SIZE_KHR)) }
    compilesInParallel = extensions.contains("GL_KHR_parallel_shader_compile")
    programBinaryFormats = gl.integer(GL_NUM_PROGRAM_BINARY_FORMATS)
    render = RenderLimits(gl)
  }
}

/// The limits of drawing that differ between devices; vertex input has OpenGL ES 3.1's limits everywhere
/// (``VertexDescriptor``).
public struct RenderLimits: Hashable, Sendable {
  /// The number of color attachments of a pass (the lesser of `GL_MAX_COLOR_ATTACHMENTS` and `GL_MAX_DRAW_BUFFERS`).
  public var colorAttachments = 4
  /// The number of storage buffers of a vertex function (`GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS`).
  public var vertexStorageBuffers = 0
  /// The number of storage buffers of a fragment function (`GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS`).
  public var fragmentStorageBuffers = 0
  /// The number of textures that a fragment function loads from or stores to (`GL_MAX_FRAGMENT_IMAGE_UNIFORMS`).
  public var fragmentStorageTextures = 0
  /// The number of samples per pixel of normalized and float formats (the lesser of `GL_MAX_SAMPLES` and
  /// `GL_MAX_COLOR_TEXTURE_SAMPLES`).
  public var samples = 4
  /// The number of samples per pixel of depth and stencil formats (the lesser of `GL_MAX_SAMPLES` and
  /// `GL_MAX_DEPTH_TEXTURE_SAMPLES`).
  public var depthSamples = 4
  /// The number of samples per pixel of integer formats (`GL_MAX_INTEGER_SAMPLES`); may be 1.
  public var integerSamples = 1
  /// The binary logarithm of the number of positions per pixel that vertices are rounded to (`GL_SUBPIXEL_BITS`); at
  /// least 4. Opening a device with limits does not change it.
  public var subpixelBits = 4

  package init() {}

  /// The limits that every implementation of OpenGL ES 3.1 must offer (tables 20.40 to 20.47), except for samples.
  ///
  /// The tables require 4 samples of a renderbuffer and 1 of a texture, and passes draw into textures only. A device
  /// with 1 has no multisampling at all. Metal promises 4 on every device, so that a clamped device with 4 still tests
  /// what programs use.
  public static let minimum = RenderLimits()

  /// Queries the driver of the current context.
  init(_ gl: GLFunctions) {
    colorAttachments = min(gl.integer(GL_MAX_COLOR_ATTACHMENTS), gl.integer(GL_MAX_DRAW_BUFFERS))
    vertexStorageBuffers = gl.integer(GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS)
    fragmentStorageBuffers = gl.integer(GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS)
    fragmentStorageTextures = gl.integer(GL_MAX_FRAGMENT_IMAGE_UNIFORMS)
    let most = gl.integer(GL_MAX_SAMPLES)
    samples = max(1, min(most, gl.integer(GL_MAX_COLOR_TEXTURE_SAMPLES)))
    depthSamples = max(1, min(most, gl.integer(GL_MAX_DEPTH_TEXTURE_SAMPLES)))
    integerSamples = max(1, gl.integer(GL_MAX_INTEGER_SAMPLES))
    subpixelBits = Self.subpixelBits(told: gl.integer(GL_SUBPIXEL_BITS), driver: gl.string(GL_VERSION))
  }

  /// Driver workaround "subpixel bits": Mesa's drivers have a grid of 8 bits.
  ///
  /// Symptom: `GL_SUBPIXEL_BITS` is 4, and triangles are drawn on a grid of 8 bits. Driver: llvmpipe and zink on
  /// lavapipe, Mesa 22.3.6 and 25.0.7. Test: RasterizationDeviceTests.randomTriangles. Remove it once Mesa reports 8.
  package static func subpixelBits(told bits: Int, driver: String) -> Int { driver.contains("Mesa") ? 8 : bits }
}

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

  /// The names for listings, in order, with the extensions that bring each feature and the version of OpenGL ES, times
  /// ten, that has it without them. The features of dma-bufs also depend on EGL's extensions (``Context``).
  private static let table: [(feature: DeviceFeatures, name: String, extensions: [String], core: Int)] = [
    (.normalized16, "normalized-16", ["EXT_texture_norm16"], .max),
    (.floatRenderTargets, "float-render-targets", ["EXT_color_buffer_float"], 32),
    (.linearFloat32, "linear-float-32", ["OES_texture_float_linear"], .max),
    (.textureViews, "texture-views", ["EXT_texture_view"], .max),
    (.copyImage, "copy-image", ["EXT_copy_image", "OES_copy_image"], 32),
    (.borderColor, "border-color", ["EXT_texture_border_clamp", "OES_texture_border_clamp"], 32),
    (.minMaxSamplers, "min-max-samplers", ["EXT_texture_filter_minmax"], .max),
    (.anisotropy, "anisotropy", ["EXT_texture_filter_anisotropic"], .max),
    (.sharedMemory, "shared-memory", ["EXT_buffer_storage"], .max),
    (.dmaBufferImport, "dma-buffer-import", [], .max),
    (.dmaBufferExport, "dma-buffer-export", [], .max),
    (.independentBlending, "independent-blending", ["EXT_draw_buffers_indexed", "OES_draw_buffers_indexed"], 32),
    (.baseVertex, "base-vertex", ["EXT_draw_elements_base_vertex", "OES_draw_elements_base_vertex"], 32),
    (.float32Blending, "float-32-blending", ["EXT_float_blend"], .max),
    (.storageOfAllFormats, "storage-of-all-formats", ["NV_image_formats"], .max),
    (.multisampleArrays, "multisample-arrays", ["OES_texture_storage_multisample_2d_array"], 32),
    (.groupVote, "group-vote", ["EXT_shader_group_vote"], .max),
    (.subgroups, "subgroups", ["KHR_shader_subgroup"], .max),
    (.framebufferFetch, "framebuffer-fetch", ["EXT_shader_framebuffer_fetch"], .max),
    (.stencilTextures, "stencil-textures", ["OES_texture_stencil8"], 32),
    (.depthBiasClamp, "depth-bias-clamp", ["EXT_polygon_offset_clamp"], .max),
    (.depthClamp, "depth-clamp", ["EXT_depth_clamp"], .max),
  ]

  /// The names of the features for listings, in order.
  public static let names = table.map { (feature: $0.feature, name: $0.name) }

  /// Every feature.
  public static let all = DeviceFeatures(table.map(\.feature))

  /// Makes the features of a context of `version`, times ten, such as 32, with `extensions`.
  init(version: Int, extensions: Set<String>) {
    self.init(
      Self.table.filter { row in version >= row.core || row.extensions.contains { extensions.contains("GL_\($0)") } }
        .map(\.feature))
  }

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
