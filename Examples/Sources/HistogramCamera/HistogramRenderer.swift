import Safelight
import Synchronization

/// Draws the newest frame with its histogram equalized. Everything but the frame's texture is made once.
final class HistogramRenderer: FrameViewDelegate {
  private let queue: CommandQueue
  private let cache: TextureCache
  private let histogram: ImageHistogram
  private let equalization: ImageHistogramEqualization
  private let counts: Buffer
  private let current = Mutex<(texture: Texture, time: MediaTime)?>(nil)

  init(device: Device) throws {
    let info = HistogramInfo(
      entries: 256, histogramForAlpha: false, minPixelValue: SIMD4(repeating: 0), maxPixelValue: SIMD4(repeating: 1))
    queue = device.makeCommandQueue()
    cache = TextureCache(device: device)
    histogram = ImageHistogram(device: device, info: info)
    equalization = ImageHistogramEqualization(device: device, info: info)
    counts = try device.makeBuffer(
      length: info.histogramSize(forSourceFormat: .bgra8Unorm), storageMode: .private, label: "histogram")
  }

  /// Makes a frame the one to draw.
  func update(_ frame: VideoFrame) throws(SafelightError) {
    let texture = try cache.makeTextures(from: frame)[0]
    current.withLock { $0 = (texture, frame.presentationTime) }
  }

  func draw(in view: FrameView) {
    // Taken out, not copied: the cache has the texture back as soon as the device is done with it.
    guard let (source, time) = current.withLock({ $0.take() }), let drawable = view.currentDrawable else { return }
    let buffer = queue.makeCommandBuffer(label: "equalization")
    // Any other kernel can stand here; what is around it stays.
    histogram.encode(to: buffer, source: source, histogram: counts)
    equalization.encodeTransform(to: buffer, source: source, histogram: counts)
    equalization.encode(to: buffer, source: source, destination: drawable.texture)
    buffer.present(drawable, atTime: time)
    buffer.commit()
  }
}
