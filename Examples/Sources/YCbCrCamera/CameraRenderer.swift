import Safelight
import Synchronization

/// Turns luma and chroma into red, green and blue while drawing. Knows nothing of cameras.
final class CameraRenderer: FrameViewDelegate {
  private typealias Planes = (luma: Texture, chroma: Texture, matrix: SIMD4<Int32>, time: MediaTime)

  private let queue: CommandQueue
  private let pipeline: RenderPipelineState
  private let cache: TextureCache
  private let current = Mutex<Planes?>(nil)

  /// Builds and checks everything now, so that the first frame meets no friction.
  init(view: FrameView) throws {
    queue = view.device.makeCommandQueue()
    cache = TextureCache(device: view.device)
    let library = try view.device.makeLibrary(source: String(decoding: PackageResources.camera_glsl, as: UTF8.self))
    pipeline = try view.device.makeRenderPipelineState(
      RenderPipelineDescriptor(
        vertex: library.makeFunction(name: "vertex_main").withTwin(.fullScreen),
        fragment: library.makeFunction(name: "fragment_main").withTwin(ShaderTwin(fragment: Self.convert)),
        pixelFormats: view.colorPixelFormat))
  }

  /// The camera's world: planes become textures.
  func update(_ frame: VideoFrame) throws(SafelightError) {
    let matrix = try Self.matrix(frame.color.matrix)
    let textures = try cache.makeTextures(from: frame)
    current.withLock { $0 = (textures[0], textures[1], matrix, frame.presentationTime) }
  }

  /// The device's world: whatever planes are current.
  func draw(in view: FrameView) {
    guard let planes = current.withLock({ $0 }), let pass = view.currentRenderPassDescriptor,
      let drawable = view.currentDrawable
    else { return }
    let buffer = queue.makeCommandBuffer(label: "camera")
    let encoder = buffer.makeRenderCommandEncoder(pass)
    encoder.setRenderPipelineState(pipeline)
    encoder.setFragmentTexture(planes.luma, index: 0)
    encoder.setFragmentTexture(planes.chroma, index: 1)
    encoder.setFragmentBytes(planes.matrix, index: 2)
    encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
    encoder.endEncoding()
    buffer.present(drawable, atTime: planes.time)
    buffer.commit()
  }

  /// H.273 equations 38 to 40 for the matrix of a frame's tag, BT.601 where it names none, in 1/65536.
  private static func matrix(_ tag: ColorMatrix) throws(SafelightError) -> SIMD4<Int32> {
    guard let (red, blue) = (tag == .unspecified ? .bt601 : tag).lumaWeights else {
      throw SafelightError(.unsupported, "frame", why: "it has the matrix \(tag)", remedy: "use ImageYCbCrToRGB")
    }
    let green = 1 - red - blue
    let factors = [2 * (1 - red), -2 * blue * (1 - blue) / green, -2 * red * (1 - red) / green, 2 * (1 - blue)]
    return SIMD4(factors.map { Int32(($0 * 65536).rounded()) })
  }

  /// The fragment function on the CPU.
  private static func convert(_ pixel: FragmentArguments) -> FragmentOutput {
    let (x, y, arguments) = (Int(pixel.position.x), Int(pixel.position.y), pixel.arguments)
    let luma = Int32(arguments.texture(0).texel(x, y).x * 255 + 0.5)
    let chroma = arguments.texture(1).texel(x / 2, y / 2) * 255 + 0.5
    let (blue, red) = (Int32(chroma.x) - 128, Int32(chroma.y) - 128)
    let factors = arguments.value(SIMD4<Int32>.self, 2)
    let sums = [factors.x * red, factors.y * blue + factors.z * red, factors.w * blue]
    let rgb = sums.map { (Float(max(0, min(255, (65536 * luma + $0 + 32768) >> 16))) + 0.25) / 255 }
    return FragmentOutput(SIMD4(rgb[0], rgb[1], rgb[2], 1))
  }
}
