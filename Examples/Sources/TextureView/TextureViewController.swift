import Safelight
import Synchronization

/// Draws one texture over the whole view, filtered.
final class TextureViewController: FrameViewDelegate {
  private let queue: CommandQueue
  private let pipeline: RenderPipelineState
  private let sampler: SamplerState
  private let current = Mutex<(texture: Texture?, time: MediaTime)>((nil, .zero))

  /// What is drawn; nothing where nil.
  var texture: Texture? {
    get { current.withLock { $0.texture } }
    set { current.withLock { $0.texture = newValue } }
  }

  /// When it is to be shown.
  var time: MediaTime {
    get { current.withLock { $0.time } }
    set { current.withLock { $0.time = newValue } }
  }

  init(view: FrameView) throws {
    queue = view.device.makeCommandQueue()
    let library = try view.device.makeLibrary(
      source: String(decoding: PackageResources.texture_view_glsl, as: UTF8.self))
    let mapTexture = try library.makeFunction(name: "mapTexture").withTwin(.fullScreen)
    let displayTexture = try library.makeFunction(name: "displayTexture").withTwin(
      ShaderTwin(fragment: { pixel in
        let (place, arguments) = (pixel.varyings[0], pixel.arguments)
        return FragmentOutput(arguments.texture(0).sample(arguments.sampler(0), place.x, place.y))
      }))
    pipeline = try view.device.makeRenderPipelineState(
      RenderPipelineDescriptor(vertex: mapTexture, fragment: displayTexture, pixelFormats: view.colorPixelFormat))
    sampler = try view.device.makeSamplerState(SamplerDescriptor(filter: .linear, address: .clampToEdge))
  }

  func draw(in view: FrameView) {
    guard let texture, let pass = view.currentRenderPassDescriptor, let drawable = view.currentDrawable else { return }
    let buffer = queue.makeCommandBuffer(label: "texture view")
    let encoder = buffer.makeRenderCommandEncoder(pass)
    encoder.pushDebugGroup("RenderFrame")
    encoder.setRenderPipelineState(pipeline)
    encoder.setFragmentTexture(texture, index: 0)
    encoder.setFragmentSamplerState(sampler, index: 0)
    encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4, instanceCount: 1)
    encoder.popDebugGroup()
    encoder.endEncoding()
    buffer.present(drawable, atTime: time)
    buffer.commit()
  }
}
