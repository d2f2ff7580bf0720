import Safelight
import Synchronization

/// Renders layers into the view's drawable, each turned, resized and placed, in one command buffer.
final class Compositor: FrameViewDelegate {
  private struct Layers {
    let movie: VideoFrame
    let movieTexture: Texture
    let second: (frame: VideoFrame, texture: Texture)?
  }

  private let queue: CommandQueue
  private let cache: TextureCache
  private let renderer = ImageRenderer()
  private let histogram: ImageHistogram
  private let equalization: ImageHistogramEqualization
  private let counts: Buffer
  private let filtered: Texture?
  private let still: Texture
  private let current = Mutex<Layers?>(nil)

  init(device: Device, still: Image, filters: Bool, frameSize: Size) throws {
    queue = device.makeCommandQueue()
    cache = TextureCache(device: device)
    histogram = ImageHistogram(device: device)
    equalization = ImageHistogramEqualization(device: device, info: histogram.info)
    counts = try device.makeBuffer(
      length: histogram.info.histogramSize(forSourceFormat: .bgra8Unorm), storageMode: .private)
    filtered = filters ? try device.makeTexture(frameSize, .bgra8Unorm, label: "filtered") : nil
    self.still = try device.makeTexture(still.size, still.pixelFormat, label: "still")
    try self.still.replace(region: self.still.bounds, withBytes: still.bytes)
  }

  /// What is to be seen next.
  func update(_ movie: VideoFrame, _ second: VideoFrame?) throws {
    let layers = Layers(
      movie: movie, movieTexture: try cache.makeTextures(from: movie)[0],
      second: try second.map { ($0, try cache.makeTextures(from: $0)[0]) })
    current.withLock { $0 = layers }
  }

  func draw(in view: FrameView) {
    // Nothing is drawn where the device is busy; what it works on is not interrupted.
    guard let layers = current.withLock({ $0.take() }), let pass = view.currentRenderPassDescriptor,
      let drawable = view.currentDrawable
    else { return }
    let buffer = queue.makeCommandBuffer(label: "composition")
    buffer.makeRenderCommandEncoder(pass, label: "background").endEncoding()
    do {
      try render(layers, to: drawable.texture, in: buffer)
      buffer.present(drawable, atTime: layers.movie.presentationTime)
      buffer.commit()
    } catch {
      view.note(error)
    }
  }

  private func render(_ layers: Layers, to target: Texture, in buffer: CommandBuffer) throws(SafelightError) {
    let upright = layers.movie.uprightSize
    let offset = (target.size.height - upright.height) / 2
    try renderer.render(
      picture(layers.movieTexture, in: buffer), to: target, commandBuffer: buffer,
      bounds: Region(x: 0, y: offset, size: upright), orientation: layers.movie.orientation)
    if let (frame, texture) = layers.second {
      // From the top-left corner, where Core Image counts from the bottom: an eighth of the width, in its own shape.
      let width = target.size.width / 8
      let height = width * frame.uprightSize.height / frame.uprightSize.width
      try renderer.render(
        texture, to: target, commandBuffer: buffer, bounds: Region(x: width, y: 20, width: width, height: height),
        orientation: frame.orientation)
    }
    let edge = target.size.height / 4
    try renderer.render(
      still, to: target, commandBuffer: buffer,
      bounds: Region(x: target.size.width - edge - 20, y: target.size.height - edge - 20, width: edge, height: edge),
      filter: .area)
  }

  /// The filtered picture, or else the clean one.
  private func picture(_ source: Texture, in buffer: CommandBuffer) -> Texture {
    guard let filtered else { return source }
    histogram.encode(to: buffer, source: source, histogram: counts)
    equalization.encodeTransform(to: buffer, source: source, histogram: counts)
    equalization.encode(to: buffer, source: source, destination: filtered)
    return filtered
  }
}
