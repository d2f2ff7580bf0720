public import SafelightGLES
public import SafelightImage

/// What a render pipeline consists of; Metal's `MTLRenderPipelineDescriptor`.
public struct RenderPipelineDescriptor: Sendable {
  /// A name for messages; the fragment function's where empty.
  public var label = ""
  /// Makes corners; needed. Its text writes `gl_Position` in Metal's clip space: x rightward and y upward from −1 to 1, z from 0
  /// to 1. `instanceID` is Metal's `[[instance_id]]`, `gl_VertexID` its `[[vertex_id]]`.
  public var vertexFunction: ShaderFunction?
  /// Makes colours; needed where there are colour attachments.
  public var fragmentFunction: ShaderFunction?
  /// How attributes lie in vertex buffers.
  public var vertexDescriptor = VertexDescriptor()
  /// What is written to the attachments of a pass, in their order, which is that of the fragment function's `location`s.
  public var colorAttachments: [ColorAttachmentState]
  /// The format of the pass's depth attachment; nil where it has none.
  public var depthAttachmentPixelFormat: PixelFormat?
  /// The format of the pass's stencil attachment; nil where it has none.
  public var stencilAttachmentPixelFormat: PixelFormat?
  /// Samples of a pixel in the attachments; 1 but for multisample textures.
  public var rasterSampleCount = 1

  /// Describes a pipeline for attachments of `pixelFormats`, which are written over; of none for depth and stencil alone.
  public init(vertex: ShaderFunction? = nil, fragment: ShaderFunction? = nil, pixelFormats: PixelFormat...) {
    vertexFunction = vertex
    fragmentFunction = fragment
    colorAttachments = pixelFormats.map { ColorAttachmentState(pixelFormat: $0) }
  }
}
