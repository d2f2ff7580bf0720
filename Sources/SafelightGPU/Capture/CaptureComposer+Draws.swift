internal import SafelightGLES
internal import SafelightImage

extension CaptureComposer {
  mutating func draw(_ draw: Command.Draw) throws(SafelightError) -> CapturedCommand.Draw {
    CapturedCommand.Draw(
      pipeline: try name(draw.pipeline), pass: pass(draw.pass), bindings: bindings(draw.bindings),
      vertexBindings: bindings(draw.vertexBindings), state: draw.state, primitives: draw.primitives,
      vertices: vertices(draw.vertices),
      instances: CaptureManifest.Span(first: draw.instances.lowerBound, count: draw.instances.count))
  }

  mutating func pass(_ pass: RenderPassDescriptor) -> CapturedCommand.Pass {
    CapturedCommand.Pass(
      attachments: pass.colorAttachments.map { attachment($0) },
      depth: pass.depthAttachment.map {
        CapturedCommand.DepthStencil(
          texture: name($0.texture), image: $0.image, loadAction: $0.loadAction, storeAction: $0.storeAction,
          clear: $0.clearDepth)
      },
      stencil: pass.stencilAttachment.map {
        CapturedCommand.DepthStencil(
          texture: name($0.texture), image: $0.image, loadAction: $0.loadAction, storeAction: $0.storeAction,
          clear: Double($0.clearStencil))
      },
      visibilityResultBuffer: pass.visibilityResultBuffer.map { name($0) })
  }

  private mutating func attachment(
    _ attachment: RenderPassDescriptor.ColorAttachment
  ) -> CapturedCommand.Attachment {
    let (action, color): (String, [Double]?) =
      switch attachment.loadAction {
      case .dontCare: ("dontCare", nil)
      case .load: ("load", nil)
      case .clear(let red, let green, let blue, let alpha): ("clear", [red, green, blue, alpha].map(Double.init))
      case .clearColor(let color): ("clearColor", [color.red, color.green, color.blue, color.alpha])
      }
    return CapturedCommand.Attachment(
      texture: name(attachment.texture), image: attachment.image, loadAction: action, color: color,
      storeAction: attachment.storeAction, resolveTexture: attachment.resolveTexture.map { name($0) },
      resolveImage: attachment.resolveImage)
  }

  private mutating func vertices(_ vertices: Command.Draw.Vertices) -> CapturedCommand.Vertices {
    var words = CapturedCommand.Vertices()
    switch vertices {
    case .consecutive(let start, let count): (words.start, words.count) = (start, count)
    case .indexed(let indices, let count, let baseVertex):
      (words.count, words.baseVertex) = (count, baseVertex)
      (words.indices, words.indexType) = bound(indices)
    case .indirect(let buffer, let offset):
      words.indirect = CapturedCommand.BoundBuffer(buffer: name(buffer), offset: offset)
    case .indexedIndirect(let indices, let buffer, let offset):
      (words.indices, words.indexType) = bound(indices)
      words.indirect = CapturedCommand.BoundBuffer(buffer: name(buffer), offset: offset)
    }
    return words
  }

  private mutating func bound(_ indices: Command.Draw.Indices) -> (CapturedCommand.BoundBuffer, IndexType) {
    (CapturedCommand.BoundBuffer(buffer: name(indices.buffer), offset: indices.offset), indices.type)
  }
}
