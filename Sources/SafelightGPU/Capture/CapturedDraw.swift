package import SafelightGLES

extension CapturedCommand {
  /// The targets of a pass.
  package struct Pass: Codable, Hashable, Sendable {
    package var attachments: [Attachment]
    package var depth: DepthStencil?
    package var stencil: DepthStencil?
    package var visibilityResultBuffer: String?
  }

  /// A depth or stencil attachment.
  package struct DepthStencil: Codable, Hashable, Sendable {
    package var texture: String
    package var image: TextureImage
    package var loadAction: RenderPassDescriptor.DepthStencilLoadAction
    package var storeAction: RenderPassDescriptor.StoreAction
    /// The depth or stencil of a clear.
    package var clear: Double

    package init(
      texture: String, image: TextureImage, loadAction: RenderPassDescriptor.DepthStencilLoadAction,
      storeAction: RenderPassDescriptor.StoreAction, clear: Double
    ) {
      self.texture = texture
      self.image = image
      self.loadAction = loadAction
      self.storeAction = storeAction
      self.clear = clear
    }
  }

  package struct Attachment: Codable, Hashable, Sendable {
    package var texture: String
    package var image: TextureImage
    /// `dontCare`, `load`, `clear` from 0 to 1, or `clearColor` in the numbers of the format.
    package var loadAction: String
    /// Red, green, blue and alpha of a clear.
    package var color: [Double]?
    package var storeAction: RenderPassDescriptor.StoreAction
    package var resolveTexture: String?
    package var resolveImage: TextureImage
  }

  package struct Draw: Codable, Hashable, Sendable {
    package var pipeline: String
    package var pass: Pass
    package var bindings: Bindings
    package var vertexBindings: Bindings
    package var state: RenderState
    package var primitives: PrimitiveType
    package var vertices: Vertices
    package var instances: CaptureManifest.Span
  }

  /// Which corners are drawn: with indices, with arguments in a buffer, both or neither.
  package struct Vertices: Codable, Hashable, Sendable {
    package var start = 0
    package var count = 0
    package var baseVertex = 0
    package var indices: BoundBuffer?
    package var indexType: IndexType?
    package var indirect: BoundBuffer?
  }
}
