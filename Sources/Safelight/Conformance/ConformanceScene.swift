internal import SafelightGPU
public import SafelightImage
internal import SafelightKernels

/// A picture of any size and format that conformance feeds to kernels.
public enum ConformanceInput: Hashable, Sendable, CustomStringConvertible {
  /// A picture made from integers.
  case synthetic(SyntheticImage)
  /// Part of a film's frame, repeated to fill the size.
  case frame

  /// Every synthetic picture, and the frame.
  public static let all = SyntheticImage.allCases.map(synthetic) + [.frame]

  /// The name in a row: `noise`, `frame`.
  public var description: String {
    switch self {
    case .synthetic(let image): image.rawValue
    case .frame: "frame"
    }
  }

  /// Returns the picture as pixels of `format`, rows without padding: integers from 0 to the maximum, floats from −1/4
  /// to 5/4.
  ///
  /// Alpha is noise, so that a kernel that changes it is noticed, and 0 in some pixels: one in four, and with colors of
  /// noise all of a quarter of the picture, so that tiles of it have no pixel that is seen.
  package func bytes(_ size: Size, _ format: PixelFormat) -> [UInt8] {
    let image = image(size, depth: format.depth)
    let order = format == .bgra8Unorm ? [2, 1, 0, 3] : Array(0..<format.samplesPerPixel)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size.area * format.bytesPerPixel)
    for y in 0..<size.height {
      for x in 0..<size.width {
        for sample in order {
          var value = image[x: x, y: y, sample: sample]
          if sample == 3 {
            let isInQuarter = x <= size.width / 2 && y <= size.height / 2
            if value % 4 == 0 || (self == .synthetic(.noise) && isInQuarter) { value = 0 }
          }
          switch (format.sampleKind, format.bytesPerSample) {
          case (.float, _): bytes += format.bytes(ofSample: Float(value) / 65535 * 1.5 - 0.25)
          case (_, 1): bytes.append(UInt8(truncatingIfNeeded: value))
          default: bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
          }
        }
      }
    }
    return bytes
  }

  private func image(_ size: Size, depth: SampleDepth) -> Image {
    switch self {
    case .synthetic(let image): return image.image(size, channels: .rgba, depth: depth)
    case .frame:
      let frame = ConformanceFrame.image
      var image = SyntheticImage.noise.image(size, channels: .rgba, depth: depth)
      for y in 0..<size.height {
        for x in 0..<size.width {
          for sample in 0..<3 {
            let value = frame[x: x % frame.size.width, y: y % frame.size.height, sample: sample]
            image[x: x, y: y, sample: sample] = depth == .bits8 ? value : value * 257
          }
        }
      }
      return image
    }
  }
}

/// A part of a film's frame, embedded in the binary: *Big Buck Bunny*, © Blender Foundation, CC BY 3.0; see
/// fixtures/README.md.
package enum ConformanceFrame {
  /// 48 × 32 pixels of 8 bits.
  package static let image: Image = {
    let size = Size(48, 32)
    let stored = PackageResources.frame_rgb
    trap(
      unless: stored.count == size.area * 3,
      "frame.rgb holds \(stored.count) bytes instead of three for each pixel of \(size); make it again")
    let bytes = stride(from: 0, to: stored.count, by: 3).flatMap { stored[$0..<$0 + 3] + [255] }
    return Image(size: size, channels: .rgb, depth: .bits8, bytes: bytes)
  }()
}

/// A kernel's picture and outputs in a command buffer; the outputs are filled with poison and lie between guards.
///
/// If two scenes with different poison end with different bytes, a sample was not written.
package final class ConformanceScene: KernelScene {
  package let buffer: CommandBuffer
  package let source: TiledTexture

  private let poison: UInt8
  private let bytes: [UInt8]
  /// Functions that record the readback of each output and of each guard.
  private var outputs: [(read: () -> Readback, layout: ConformanceLayout)] = []
  private var guards: [(read: () -> Readback, bytes: [UInt8])] = []

  /// The kernel's results, each with the meaning of its samples, and the source and the guards with the bytes they must
  /// still have.
  typealias Readbacks = (
    outputs: [(readback: Readback, layout: ConformanceLayout)], guards: [(readback: Readback, bytes: [UInt8])]
  )

  /// Makes a scene whose source holds `bytes`, rows of `format` without padding.
  package init(
    in buffer: CommandBuffer, _ bytes: [UInt8], _ label: String, _ size: Size, _ format: PixelFormat, poison: UInt8
  ) throws {
    self.buffer = buffer
    self.poison = poison
    self.bytes = bytes
    source = try TiledTexture(device: buffer.device, size: size, pixelFormat: format, label: label)
    keep(source, full: bytes)
  }

  /// The source's pixels in the opposite order.
  package func second(beside picture: TiledTexture) throws -> TiledTexture {
    let step = picture.pixelFormat.bytesPerPixel
    let turned = stride(from: bytes.count - step, through: 0, by: -step).flatMap { bytes[$0..<$0 + step] }
    let second = try TiledTexture(
      device: buffer.device, size: picture.size, pixelFormat: picture.pixelFormat, label: "second picture")
    keep(second, full: turned)
    return second
  }

  package func output(_ size: Size, _ format: PixelFormat) throws -> TiledTexture {
    // Textures that the kernel does not get lie before and after the one that it gets.
    try addGuard(format)
    let texture = try TiledTexture(device: buffer.device, size: size, pixelFormat: format, label: "output")
    texture.encodeUpload(of: poisoned(texture), to: buffer)
    outputs.append(({ [buffer] in texture.encodeReadback(to: buffer) }, ConformanceLayout(texture)))
    try addGuard(format)
    return texture
  }

  package func output(byteCount: Int) throws -> (buffer: Buffer, offset: Int) {
    let margin = 64
    let memory = try buffer.device.makeBuffer(length: byteCount + 2 * margin, label: "output")
    buffer.blit("conformance") { $0.fill(memory, range: 0..<memory.length, value: poison) }
    func read(_ range: Range<Int>) -> () -> Readback {
      { [buffer] in buffer.blit("conformance") { $0.read(memory, range: range) } }
    }
    outputs.append((read(margin..<margin + byteCount), .words))
    for range in [0..<margin, margin + byteCount..<memory.length] {
      guards.append((read(range), [UInt8](repeating: poison, count: margin)))
    }
    return (memory, margin)
  }

  func encodeReadbacks() -> Readbacks {
    (outputs.map { ($0.read(), $0.layout) }, guards.map { ($0.read(), $0.bytes) })
  }

  private func addGuard(_ format: PixelFormat) throws {
    let texture = try TiledTexture(device: buffer.device, size: Size(16, 16), pixelFormat: format, label: "guard")
    keep(texture, full: poisoned(texture))
  }

  private func poisoned(_ texture: TiledTexture) -> [UInt8] {
    [UInt8](repeating: poison, count: texture.byteCount)
  }

  /// Fills a texture with bytes that must not change.
  private func keep(_ texture: TiledTexture, full bytes: [UInt8]) {
    texture.encodeUpload(of: bytes, to: buffer)
    guards.append(({ [buffer] in texture.encodeReadback(to: buffer) }, bytes))
  }
}

/// A picture on a device for a kernel to read, and memory for it to write.
package protocol KernelScene: AnyObject {
  /// The command buffer in which the kernel is recorded.
  var buffer: CommandBuffer { get }
  /// The picture that the kernel reads.
  var source: TiledTexture { get }
  /// Returns a second picture of the size and format of `picture`.
  func second(beside picture: TiledTexture) throws -> TiledTexture
  /// Returns a picture for the kernel to write.
  func output(_ size: Size, _ format: PixelFormat) throws -> TiledTexture
  /// Returns 32-bit words for the kernel to write from `offset` on.
  func output(byteCount: Int) throws -> (buffer: Buffer, offset: Int)
}

extension KernelScene {
  package func outputLikeSource() throws -> TiledTexture { try output(source.size, source.pixelFormat) }

  /// The frame that a scene stands for.
  private static var identity: FrameIdentity { FrameIdentity(name: "scene.0017.png", number: 17, position: 16) }

  package func encode(
    _ stage: any ImageStage, of source: TiledTexture, input: StageInput? = nil
  ) throws -> TiledTexture {
    let described = source.pixelFormat.descriptor(source.size)
    let made = try stage.output(of: described)
    let hasFormat = made.pixelFormat == described.pixelFormat
    let destination = try output(made.size, hasFormat ? source.pixelFormat : made.pixelFormat)
    if let measurement = stage.measurement {
      let (memory, offset) = try output(byteCount: measurement.byteCount(of: source))
      measurement.encode(to: buffer, source: source, into: memory, offset: offset)
    }
    let own = try stage.input(for: Self.identity, like: described)
    var all = input ?? own
    if input == nil, stage.secondCount > 0 || stage.readsMask {
      let seconds = try (0..<stage.secondCount).map { _ in try second(beside: source) }
      let mask = stage.readsMask ? try second(beside: source) : nil
      // A frame that stands alone is mixed of both pictures.
      let position = seconds.isEmpty ? own?.position : nil
      all = .pictures(seconds + (own?.pictures ?? []), mask: mask, position: position)
    }
    stage.encode(to: buffer, source: source, input: all, destination: destination)
    return destination
  }
}
