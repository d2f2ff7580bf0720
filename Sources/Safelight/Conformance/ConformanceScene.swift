internal import SafelightGPU
internal import SafelightImage

/// A kernel's picture and outputs in a command buffer: outputs are full of poison, and guards lie around them.
///
/// Nothing that a kernel is given to write is zero by chance: of two scenes with different poison both must give the same bytes,
/// or a sample was not written.
package final class ConformanceScene: KernelScene {
  package let buffer: CommandBuffer
  package let source: TiledTexture

  private let poison: UInt8
  private var outputs: [Place] = []
  private var guards: [(place: Place, bytes: [UInt8])] = []

  /// Where bytes lie on the device.
  private enum Place {
    case texture(TiledTexture)
    case words(Buffer, Range<Int>)
  }

  /// What a scene brings back.
  struct Readbacks {
    /// The kernel's results, each with the bytes of what is compared at a time.
    let outputs: [(readback: Readback, sampleBytes: Int)]
    /// The source and what lies around the results, with the bytes they must still have.
    let guards: [(readback: Readback, bytes: [UInt8])]
  }

  /// Begins with a source that holds `bytes`, rows of `format` without padding.
  package init(
    in buffer: CommandBuffer, _ bytes: [UInt8], _ label: String, _ size: Size, _ format: PixelFormat, poison: UInt8
  ) throws {
    self.buffer = buffer
    self.poison = poison
    source = try TiledTexture(device: buffer.device, size: size, pixelFormat: format, label: label)
    keep(source, full: bytes)
  }

  package func output(_ size: Size, _ format: PixelFormat) throws -> TiledTexture {
    // Textures that nobody is given lie before and after the one that is.
    try addGuard(format)
    let texture = try TiledTexture(device: buffer.device, size: size, pixelFormat: format, label: "output")
    write(poisoned(texture), to: texture)
    outputs.append(.texture(texture))
    try addGuard(format)
    return texture
  }

  package func output(byteCount: Int) throws -> (buffer: Buffer, offset: Int) {
    let margin = 64
    let memory = try buffer.device.makeBuffer(length: byteCount + 2 * margin, label: "output")
    encode { $0.fill(memory, range: 0..<memory.length, value: poison) }
    let written = margin..<margin + byteCount
    outputs.append(.words(memory, written))
    for range in [0..<margin, written.upperBound..<memory.length] {
      guards.append((.words(memory, range), [UInt8](repeating: poison, count: margin)))
    }
    return (memory, margin)
  }

  /// Records what brings everything back.
  func encodeReadbacks() -> Readbacks {
    Readbacks(
      outputs: outputs.map { place in
        switch place {
        case .texture(let texture): (readback(of: place), texture.pixelFormat.bytesPerSample)
        case .words: (readback(of: place), 4)
        }
      }, guards: guards.map { (readback(of: $0.place), $0.bytes) })
  }

  private func readback(of place: Place) -> Readback {
    switch place {
    case .texture(let texture): texture.encodeReadback(to: buffer)
    case .words(let memory, let range): encode { $0.read(memory, range: range) }
    }
  }

  private func addGuard(_ format: PixelFormat) throws {
    let texture = try TiledTexture(device: buffer.device, size: Size(16, 16), pixelFormat: format, label: "guard")
    keep(texture, full: poisoned(texture))
  }

  private func poisoned(_ texture: TiledTexture) -> [UInt8] {
    [UInt8](repeating: poison, count: texture.size.area * texture.pixelFormat.bytesPerPixel)
  }

  /// Fills a texture with bytes that must still be there at the end.
  private func keep(_ texture: TiledTexture, full bytes: [UInt8]) {
    write(bytes, to: texture)
    guards.append((.texture(texture), bytes))
  }

  private func write(_ bytes: [UInt8], to texture: TiledTexture) {
    let bytesPerRow = texture.size.width * texture.pixelFormat.bytesPerPixel
    encode { encoder in
      for tile in texture.tiles {
        let first = tile.region.y * bytesPerRow + tile.region.x * texture.pixelFormat.bytesPerPixel
        encoder.write(first == 0 ? bytes : Array(bytes[first...]), bytesPerRow: bytesPerRow, to: tile.texture)
      }
    }
  }

  private func encode<Result>(_ record: (BlitCommandEncoder) -> Result) -> Result {
    let encoder = buffer.makeBlitCommandEncoder(label: "conformance")
    defer { encoder.endEncoding() }
    return record(encoder)
  }
}

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
