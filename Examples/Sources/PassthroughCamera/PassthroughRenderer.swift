import Safelight
import Synchronization

/// Copies the newest frame by a kernel and draws the copy turned.
final class PassthroughRenderer: FrameViewDelegate {
  private static let threadsPerThreadgroup = Size(16, 16)

  private let queue: CommandQueue
  private let cache: TextureCache
  private let pipeline: ComputePipelineState
  private let copy: Texture
  private let turning = ImageRenderer()
  private let current = Mutex<(texture: Texture, orientation: Orientation, time: MediaTime)?>(nil)

  init(device: Device, frameSize: Size) throws {
    queue = device.makeCommandQueue()
    cache = TextureCache(device: device)
    let library = try device.makeLibrary(source: String(decoding: PackageResources.passthrough_glsl, as: UTF8.self))
    let function = try library.makeFunction(name: "passthrough").withTwin { arguments in
      arguments.texture(0).withSamples(of: UInt8.self) { source in
        arguments.texture(1).withMutableSamples(of: UInt8.self) { _ = $0.update(fromContentsOf: source) }
      }
    }
    pipeline = try device.makeComputePipelineState(function, threadsPerThreadgroup: Self.threadsPerThreadgroup)
    copy = try device.makeTexture(frameSize, .bgra8Unorm, label: "copy")
  }

  /// Makes a frame the one to copy and turn.
  func update(_ frame: VideoFrame) throws(SafelightError) {
    let texture = try cache.makeTextures(from: frame)[0]
    current.withLock { $0 = (texture, .right, frame.presentationTime) }
  }

  /// Makes a picture that stands upright already the one to draw.
  func update(_ image: Image, at time: MediaTime) throws {
    let texture = try cache.makeTextures(from: VideoFrame(image: image))[0]
    current.withLock { $0 = (texture, .up, time) }
  }

  func draw(in view: FrameView) {
    guard let frame = current.withLock({ $0.take() }), let drawable = view.currentDrawable else { return }
    let buffer = queue.makeCommandBuffer(label: "passthrough")
    do {
      // The view is turned, not the kernel's work.
      try turning.render(
        frame.orientation == .up ? frame.texture : copied(frame.texture, in: buffer), to: drawable.texture,
        commandBuffer: buffer, bounds: drawable.texture.bounds, orientation: frame.orientation)
      buffer.present(drawable, atTime: frame.time)
      buffer.commit()
    } catch {
      view.note(error)
    }
  }

  /// Every pixel, also those of the last threadgroups, which the frame fills in part.
  private func copied(_ source: Texture, in buffer: CommandBuffer) -> Texture {
    let encoder = buffer.makeComputeCommandEncoder(label: "passthrough")
    encoder.setComputePipelineState(pipeline)
    encoder.setTexture(source, index: 0)
    encoder.setTexture(copy, index: 1)
    encoder.dispatchThreads(source.size, threadsPerThreadgroup: Self.threadsPerThreadgroup)
    encoder.endEncoding()
    return copy
  }
}
