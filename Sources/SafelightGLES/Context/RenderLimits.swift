internal import CGLES

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
