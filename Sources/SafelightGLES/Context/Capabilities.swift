internal import CGLES

/// What a device can do, in the terms that kernels choose their variants by.
public struct Capabilities: Hashable, Sendable {
  /// The largest width and height of a texture, in pixels (`GL_MAX_TEXTURE_SIZE`).
  public var maximumTextureSize: Int
  /// Threads in a threadgroup (`GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS`).
  public var maximumThreadsPerThreadgroup: Int
  /// Threads of a threadgroup along x (`GL_MAX_COMPUTE_WORK_GROUP_SIZE`).
  public var maximumThreadgroupWidth: Int
  /// Threads of a threadgroup along y.
  public var maximumThreadgroupHeight: Int
  /// Bytes of threadgroup memory (`GL_MAX_COMPUTE_SHARED_MEMORY_SIZE`).
  public var maximumThreadgroupMemoryLength: Int
  /// Storage buffers of a compute function (`GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS`).
  public var maximumStorageBuffers: Int
  /// Storage textures of a compute function (`GL_MAX_COMPUTE_IMAGE_UNIFORMS`).
  public var maximumStorageTextures: Int
  /// Bytes of a storage buffer (`GL_MAX_SHADER_STORAGE_BLOCK_SIZE`).
  public var maximumBufferLength: Int
  /// Bytes that `setBytes` takes (`GL_MAX_UNIFORM_BLOCK_SIZE`).
  public var maximumUniformLength: Int
  /// Bytes to whose multiples a storage buffer can be bound (`GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT`).
  public var bufferOffsetAlignment: Int
  /// What it can draw.
  public var render: RenderLimits
  /// What it can do beyond OpenGL ES 3.1.
  public var features: DeviceFeatures
  /// What its functions may demand beyond those.
  public var shaderExtensions: ShaderExtensions
  /// Threads that run in step (`GL_SUBGROUP_SIZE_KHR`); 1 where the driver does not tell.
  public var threadExecutionWidth: Int
  /// Whether programs compile on threads of the driver's (`GL_KHR_parallel_shader_compile`).
  public var compilesInParallel: Bool
  /// Forms in which programs can be kept (`GL_NUM_PROGRAM_BINARY_FORMATS`); 0 where they cannot.
  public var programBinaryFormats: Int

  /// States limits; negative or zero ones make nothing possible.
  package init(
    maximumTextureSize: Int, maximumThreadsPerThreadgroup: Int, maximumThreadgroupWidth: Int,
    maximumThreadgroupHeight: Int, maximumThreadgroupMemoryLength: Int, maximumStorageBuffers: Int,
    maximumStorageTextures: Int, maximumBufferLength: Int, maximumUniformLength: Int,
    bufferOffsetAlignment: Int = 256, features: DeviceFeatures = [], shaderExtensions: ShaderExtensions = .listed([]),
    threadExecutionWidth: Int = 1, compilesInParallel: Bool = false, programBinaryFormats: Int = 0,
    render: RenderLimits = .minimum
  ) {
    self.maximumTextureSize = maximumTextureSize
    self.maximumThreadsPerThreadgroup = maximumThreadsPerThreadgroup
    self.maximumThreadgroupWidth = maximumThreadgroupWidth
    self.maximumThreadgroupHeight = maximumThreadgroupHeight
    self.maximumThreadgroupMemoryLength = maximumThreadgroupMemoryLength
    self.maximumStorageBuffers = maximumStorageBuffers
    self.maximumStorageTextures = maximumStorageTextures
    self.maximumBufferLength = maximumBufferLength
    self.maximumUniformLength = maximumUniformLength
    self.bufferOffsetAlignment = bufferOffsetAlignment
    self.features = features
    self.shaderExtensions = shaderExtensions
    self.threadExecutionWidth = threadExecutionWidth
    self.compilesInParallel = compilesInParallel
    self.programBinaryFormats = programBinaryFormats
    self.render = render
  }

  /// What every implementation of OpenGL ES 3.1 must offer (tables 20.40 to 20.47): no feature beyond it.
  public static let minimum = Capabilities(
    maximumTextureSize: 2048, maximumThreadsPerThreadgroup: 128, maximumThreadgroupWidth: 128,
    maximumThreadgroupHeight: 128, maximumThreadgroupMemoryLength: 16384, maximumStorageBuffers: 4,
    maximumStorageTextures: 4, maximumBufferLength: 1 << 27, maximumUniformLength: 16384)

  /// The lesser of both in every field: a device that behaves as if it had no more than `limit`.
  public func clamped(to limit: Capabilities) -> Capabilities {
    Capabilities(
      maximumTextureSize: min(maximumTextureSize, limit.maximumTextureSize),
      maximumThreadsPerThreadgroup: min(maximumThreadsPerThreadgroup, limit.maximumThreadsPerThreadgroup),
      maximumThreadgroupWidth: min(maximumThreadgroupWidth, limit.maximumThreadgroupWidth),
      maximumThreadgroupHeight: min(maximumThreadgroupHeight, limit.maximumThreadgroupHeight),
      maximumThreadgroupMemoryLength: min(maximumThreadgroupMemoryLength, limit.maximumThreadgroupMemoryLength),
      maximumStorageBuffers: min(maximumStorageBuffers, limit.maximumStorageBuffers),
      maximumStorageTextures: min(maximumStorageTextures, limit.maximumStorageTextures),
      maximumBufferLength: min(maximumBufferLength, limit.maximumBufferLength),
      maximumUniformLength: min(maximumUniformLength, limit.maximumUniformLength),
      bufferOffsetAlignment: max(bufferOffsetAlignment, limit.bufferOffsetAlignment),
      features: features.intersection(limit.features),
      shaderExtensions: shaderExtensions.intersection(limit.shaderExtensions),
      threadExecutionWidth: min(threadExecutionWidth, limit.threadExecutionWidth),
      compilesInParallel: compilesInParallel && limit.compilesInParallel,
      programBinaryFormats: min(programBinaryFormats, limit.programBinaryFormats),
      render: render.clamped(to: limit.render))
  }
}

extension Capabilities {
  /// Asks the driver.
  init(_ gl: GLFunctions) {
    let extensions = gl.extensions
    self.init(
      maximumTextureSize: gl.integer(GL_MAX_TEXTURE_SIZE),
      maximumThreadsPerThreadgroup: gl.integer(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS),
      maximumThreadgroupWidth: gl.integer(GL_MAX_COMPUTE_WORK_GROUP_SIZE, 0),
      maximumThreadgroupHeight: gl.integer(GL_MAX_COMPUTE_WORK_GROUP_SIZE, 1),
      maximumThreadgroupMemoryLength: gl.integer(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE),
      maximumStorageBuffers: gl.integer(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS),
      maximumStorageTextures: gl.integer(GL_MAX_COMPUTE_IMAGE_UNIFORMS),
      maximumBufferLength: gl.integer(GL_MAX_SHADER_STORAGE_BLOCK_SIZE),
      maximumUniformLength: gl.integer(GL_MAX_UNIFORM_BLOCK_SIZE),
      bufferOffsetAlignment: max(4, gl.integer(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT)),
      features: DeviceFeatures(
        version: gl.integer(GL_MAJOR_VERSION) * 10 + gl.integer(GL_MINOR_VERSION), extensions: extensions),
      shaderExtensions: .listed(extensions),
      threadExecutionWidth: extensions.contains("GL_KHR_shader_subgroup")
        ? max(1, gl.integer(GL_SUBGROUP_SIZE_KHR)) : 1,
      compilesInParallel: extensions.contains("GL_KHR_parallel_shader_compile"),
      programBinaryFormats: gl.integer(GL_NUM_PROGRAM_BINARY_FORMATS),
      render: RenderLimits(gl))
  }
}

/// What a device can draw, where devices differ; vertex input has OpenGL ES 3.1's limits everywhere (``VertexDescriptor``).
public struct RenderLimits: Hashable, Sendable {
  /// Colour attachments of a pass (the lesser of `GL_MAX_COLOR_ATTACHMENTS` and `GL_MAX_DRAW_BUFFERS`).
  public var colorAttachments: Int
  /// Buffers that a vertex function reads by itself (`GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS`).
  public var vertexStorageBuffers: Int
  /// Buffers that a fragment function reads by itself (`GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS`).
  public var fragmentStorageBuffers: Int
  /// Samples of a pixel of a normalised or float format (the lesser of `GL_MAX_SAMPLES` and `GL_MAX_COLOR_TEXTURE_SAMPLES`).
  public var samples: Int
  /// Samples of a depth or stencil (the lesser of `GL_MAX_SAMPLES` and `GL_MAX_DEPTH_TEXTURE_SAMPLES`).
  public var depthSamples: Int
  /// Samples of a pixel of an integer format (`GL_MAX_INTEGER_SAMPLES`); may be 1.
  public var integerSamples: Int
  /// The corners of triangles move to the nearest place of a grid with 2 to the power of so many places a pixel
  /// (`GL_SUBPIXEL_BITS`), at least 4.
  public var subpixelBits: Int

  package init(
    colorAttachments: Int, vertexStorageBuffers: Int, fragmentStorageBuffers: Int, samples: Int, depthSamples: Int,
    integerSamples: Int, subpixelBits: Int
  ) {
    self.colorAttachments = colorAttachments
    self.vertexStorageBuffers = vertexStorageBuffers
    self.fragmentStorageBuffers = fragmentStorageBuffers
    self.samples = samples
    self.depthSamples = depthSamples
    self.integerSamples = integerSamples
    self.subpixelBits = subpixelBits
  }

  /// What every implementation of OpenGL ES 3.1 must offer (tables 20.40 to 20.47), but for samples.
  ///
  /// The tables ask for 4 samples of a renderbuffer and 1 of a texture, and passes draw into textures alone. A device of 1 has no
  /// multisampling at all; 4 is what Metal promises of every device, so that a clamped device still tests what programs do.
  public static let minimum = RenderLimits(
    colorAttachments: 4, vertexStorageBuffers: 0, fragmentStorageBuffers: 0, samples: 4, depthSamples: 4,
    integerSamples: 1, subpixelBits: 4)

  /// Those of the Swift twins.
  package static let cpu = RenderLimits(
    colorAttachments: 8, vertexStorageBuffers: 16, fragmentStorageBuffers: 16, samples: 4, depthSamples: 4,
    integerSamples: 4, subpixelBits: 8)

  /// The lesser of both in every field but the grid of corners, which a device does not change for a limit.
  func clamped(to limit: RenderLimits) -> RenderLimits {
    RenderLimits(
      colorAttachments: min(colorAttachments, limit.colorAttachments),
      vertexStorageBuffers: min(vertexStorageBuffers, limit.vertexStorageBuffers),
      fragmentStorageBuffers: min(fragmentStorageBuffers, limit.fragmentStorageBuffers),
      samples: min(samples, limit.samples), depthSamples: min(depthSamples, limit.depthSamples),
      integerSamples: min(integerSamples, limit.integerSamples), subpixelBits: subpixelBits)
  }

  /// Asks the driver.
  init(_ gl: GLFunctions) {
    colorAttachments = min(gl.integer(GL_MAX_COLOR_ATTACHMENTS), gl.integer(GL_MAX_DRAW_BUFFERS))
    vertexStorageBuffers = gl.integer(GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS)
    fragmentStorageBuffers = gl.integer(GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS)
    let most = gl.integer(GL_MAX_SAMPLES)
    samples = max(1, min(most, gl.integer(GL_MAX_COLOR_TEXTURE_SAMPLES)))
    depthSamples = max(1, min(most, gl.integer(GL_MAX_DEPTH_TEXTURE_SAMPLES)))
    integerSamples = max(1, gl.integer(GL_MAX_INTEGER_SAMPLES))
    subpixelBits = Self.subpixelBits(told: gl.integer(GL_SUBPIXEL_BITS), driver: gl.string(GL_VERSION))
  }

  /// Driver workaround "subpixel bits": Mesa's drivers have a grid of 8 bits.
  ///
  /// Symptom: `GL_SUBPIXEL_BITS` is 4, and triangles are drawn on a grid of 8 bits. Driver: llvmpipe and zink on lavapipe,
  /// Mesa 22.3.6 and 25.0.7. Test: RasterizationDeviceTests.randomTriangles. Remove it once Mesa tells the truth.
  package static func subpixelBits(told bits: Int, driver: String) -> Int {
    driver.contains("Mesa") ? 8 : bits
  }
}
