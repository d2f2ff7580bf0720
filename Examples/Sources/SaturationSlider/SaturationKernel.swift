import Safelight

/// A picture on the device, and the kernel that gives it stronger or weaker colour.
///
///     out = mix(grey, in, saturationFactor),  grey = dot(rgb, (0.299, 0.587, 0.114))
///
/// The colours alone: alpha stays what it is. In integers, so that every device gives the same bytes; the factor counts
/// in steps of 1/4096.
final class SaturationKernel {
  /// The kernel's block.
  struct Uniforms: BitwiseCopyable {
    var saturationFactor: Float
  }

  private let picture: Image
  private let queue: CommandQueue
  private let pipeline: ComputePipelineState
  private let source: Texture
  private let destination: Texture
  private let uniforms: Buffer

  init(device: Device, picture: Image) throws {
    guard picture.pixelFormat == .rgba8Unorm else {
      throw SafelightError(
        .unsupported, "picture of \(picture.pixelFormat)", why: "the kernel takes rgba8Unorm",
        remedy: "name a picture in colour, of 8 bits")
    }
    self.picture = picture
    queue = device.makeCommandQueue()
    let library = try device.makeLibrary(source: String(decoding: PackageResources.saturation_glsl, as: UTF8.self))
    let function = try library.makeFunction(name: "adjust_saturation").withTwin(Self.adjustSaturation)
    pipeline = try device.makeComputePipelineState(function, threadsPerThreadgroup: Size(8, 8))
    source = try device.makeTexture(picture.size, .rgba8Unorm, label: "source")
    destination = try device.makeTexture(picture.size, .rgba8Unorm, label: "destination")
    // The smallest block that std140 has.
    uniforms = try device.makeBuffer(length: 16, label: "uniforms")
    try source.replace(region: source.bounds, withBytes: picture.bytes, bytesPerRow: picture.bytesPerRow)
  }

  /// The picture with the slider at `factor`; waits for it.
  func apply(_ factor: Float) throws -> Image {
    try uniforms.withContents(of: Uniforms.self) { $0[0] = Uniforms(saturationFactor: factor) }
    let buffer = queue.makeCommandBuffer(label: "saturation \(factor)")
    let encoder = buffer.makeComputeCommandEncoder(label: "saturation")
    encoder.setComputePipelineState(pipeline)
    encoder.setTexture(source, index: 0)
    encoder.setTexture(destination, index: 1)
    encoder.setBuffer(uniforms, index: 0)
    encoder.dispatchThreads(destination.size, threadsPerThreadgroup: Size(8, 8))
    encoder.endEncoding()
    buffer.commit()
    try buffer.waitUntilCompleted()
    return try picture.replacing(bytes: destination.getBytes())
  }

  /// The same on the CPU.
  private static func adjustSaturation(_ arguments: TwinArguments) {
    let factor = Int(arguments.value(Uniforms.self, 0).saturationFactor * 4096 + 0.5)
    arguments.texture(0).withSamples(of: UInt8.self) { source in
      arguments.texture(1).withMutableSamples(of: UInt8.self) { destination in
        for pixel in stride(from: 0, to: source.count, by: 4) {
          let (red, green, blue) = (Int(source[pixel]), Int(source[pixel + 1]), Int(source[pixel + 2]))
          let grey = (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16
          for (channel, value) in [red, green, blue].enumerated() {
            destination[pixel + channel] = UInt8(clamping: (grey * 4096 + (value - grey) * factor + 2048) >> 12)
          }
          destination[pixel + 3] = source[pixel + 3]
        }
      }
    }
  }
}
