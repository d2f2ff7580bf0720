import Safelight
import Synchronization
import TestSupport

extension Image {
  /// The picture turned by half a turn.
  var turned: Image {
    let step = pixelFormat.bytesPerPixel
    return Image(
      descriptor,
      bytes: stride(from: bytes.count - step, through: 0, by: -step).flatMap { bytes[$0..<$0 + step] })
  }
}

extension FrameProcessor {
  /// Joins a device and the chain that `text` spells.
  convenience init(_ text: String, on device: Device, verifying twin: Device? = nil) throws {
    self.init(device: device, chain: try FilterChain(parsing: text, device: device), verifying: twin)
  }
}

extension Device {
  /// The picture that `record` leaves in a texture of that kind.
  func picture(_ kind: ImageDescriptor, _ record: (CommandBuffer, Texture) throws -> Void) throws -> Image {
    let target = try makeTexture(kind.size, kind.pixelFormat)
    let readback = try run { buffer in
      try record(buffer, target)
      return buffer.blit { $0.read(target) }
    }
    return Image(kind, bytes: try readback.contents())
  }
}

extension CommandBuffer {
  /// Makes a texture that holds `bytes`.
  func texture(_ size: Size, _ format: PixelFormat, _ bytes: [UInt8]) throws -> Texture {
    let texture = try device.makeTexture(size, format)
    blit { $0.write(bytes, to: texture) }
    return texture
  }

  /// Makes a texture that holds `image`.
  func texture(_ image: Image) throws -> Texture { try texture(image.size, image.pixelFormat, image.bytes) }

  /// Records a dispatch of one thread of `function`, with `texture` at index 1 if given.
  func dispatchOnce(_ function: ShaderFunction, storingInto texture: Texture? = nil) {
    compute { encoder in
      encoder.setComputePipelineState(ComputePipelineState(function))
      if let texture { encoder.setTexture(texture, index: 1) }
      encoder.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(8, 8))
    }
  }

  /// Records copies of all tiles.
  func copy(_ source: TiledTexture, to destination: TiledTexture) {
    blit { encoder in
      for (from, to) in zip(source.tiles, destination.tiles) { encoder.copy(from: from.texture, to: to.texture) }
    }
  }
}

/// Copies pictures, notes their sizes, and may do something wrong behind one of them.
final class CopyStage: ImageStage {
  let isPointwise = true
  let history: Int
  let resets = Mutex(0)
  let sizes = Mutex<[Size]>([])
  private let place: Int?
  private let fail: @Sendable (CommandBuffer, Texture) -> Void

  init(
    history: Int = 0, failsAt place: Int? = nil,
    _ fail: @escaping @Sendable (_ buffer: CommandBuffer, _ made: Texture) -> Void = { _, _ in }
  ) { (self.history, self.place, self.fail) = (history, place, fail) }

  func reset() { resets.withLock { $0 += 1 } }

  func encode(to buffer: CommandBuffer, source: TiledTexture, input: StageInput?, destination: TiledTexture) {
    buffer.copy(source, to: destination)
    let number = sizes.withLock { sizes in
      sizes.append(source.region.size)
      return sizes.count - 1
    }
    if number == place { fail(buffer, destination.tiles[0].texture) }
  }
}
