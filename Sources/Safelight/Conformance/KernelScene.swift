internal import SafelightGPU
internal import SafelightImage

/// A picture on a device, where the kernel that works on it is recorded, and memory for what the kernel makes.
package protocol KernelScene: AnyObject {
  /// Where the kernel is recorded.
  var buffer: CommandBuffer { get }
  /// The picture that the kernel reads.
  var source: TiledTexture { get }
  /// A picture for the kernel to write.
  func output(_ size: Size, _ format: PixelFormat) throws -> TiledTexture
  /// 32-bit words for the kernel to write, from the returned offset on.
  func output(byteCount: Int) throws -> (buffer: Buffer, offset: Int)
}

extension KernelScene {
  /// A picture like the source for the kernel to write.
  package func outputLikeSource() throws -> TiledTexture { try output(source.size, source.pixelFormat) }

  /// Records `stage` of `source`, and returns what it makes.
  package func encode(_ stage: any ImageStage, of source: TiledTexture) throws -> TiledTexture {
    let made = try stage.output(of: source.descriptor)
    let hasFormat = made.pixelFormat == source.descriptor.pixelFormat
    let destination = try output(made.size, hasFormat ? source.pixelFormat : made.pixelFormat)
    if let measurement = stage.measurement {
      let (memory, offset) = try output(byteCount: measurement.byteCount(of: source))
      measurement.encode(to: buffer, source: source, into: memory, offset: offset)
    }
    stage.encode(to: buffer, source: source, destination: destination)
    return destination
  }
}

extension TiledTexture {
  /// Describes a picture of this size and format.
  var descriptor: ImageDescriptor { pixelFormat.descriptor(size) }
}

extension PixelFormat {
  /// Describes a picture of the format: gray for one channel, else red, green, blue and alpha.
  func descriptor(_ size: Size) -> ImageDescriptor {
    ImageDescriptor(
      size: size, channels: samplesPerPixel == 1 ? .gray : .rgba, depth: bytesPerSample == 1 ? .bits8 : .bits16)
  }
}
