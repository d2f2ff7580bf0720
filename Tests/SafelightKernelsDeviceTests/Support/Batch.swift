import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// One command buffer for many cases, run at once.
struct Batch {
  let device: Device
  let buffer: CommandBuffer

  init(_ test: TestDevice, label: String = #function) throws {
    try self.init(on: test.open(), label: "\(test.name) \(label)")
  }

  init(on device: Device, queue: CommandQueue? = nil, label: String = #function) {
    self.device = device
    buffer = (queue ?? device.makeCommandQueue()).makeCommandBuffer(label: label)
  }

  /// A texture that holds `image`.
  func source(_ image: Image) throws -> Texture {
    let texture = try device.makeTexture(image.size, image.pixelFormat)
    blit { $0.copy(from: image, to: texture) }
    return texture
  }

  /// Records `encode` into a texture like `source` and reads it back.
  func result(like source: Texture, _ encode: (Texture) -> Void) throws -> Readback {
    let destination = try device.makeTexture(source.size, source.pixelFormat)
    encode(destination)
    return blit { $0.read(destination) }
  }

  /// Records copies.
  @discardableResult
  func blit<Result>(_ record: (BlitCommandEncoder) -> Result) -> Result {
    let encoder = buffer.makeBlitCommandEncoder()
    defer { encoder.endEncoding() }
    return record(encoder)
  }

  /// The forms of a point kernel that differ on this device: OpenGL ES 3.1 cannot store into every format, and a twin has one body.
  func forms(_ format: PixelFormat) -> [KernelForm] {
    if device.info.isCPU { return [.automatic] }
    return format.isStorable ? [.compute, .render] : [.render]
  }

  /// Runs everything recorded.
  func run() throws {
    buffer.commit()
    try buffer.waitUntilCompleted()
  }

  /// How many of the readbacks differ from what the Swift twins make of the same recording.
  func readbacksUnlikeTwins() throws -> Int {
    let readbacks = buffer.recording.readbacks
    // A suite that compares nothing must not pass.
    try #require(!readbacks.isEmpty)
    let twins = try Device.open(.cpu).replay(buffer.recording)
    return try readbacks.count { try twins.contents(of: $0) != $0.contents() }
  }
}

extension Recording {
  /// Everything that it brings back.
  var readbacks: [Readback] {
    commands.compactMap { entry in
      switch entry.command {
      case .readTexture(let read): read.readback
      case .readBuffer(_, _, let readback): readback
      default: nil
      }
    }
  }

  /// The functions that it runs.
  var functions: [String] {
    commands.compactMap { entry in
      switch entry.command {
      case .dispatch(let dispatch): dispatch.pipeline.function.name
      case .draw(let draw): draw.pipeline.fragment.name
      default: nil
      }
    }
  }
}

extension Readback {
  /// The bytes as 32-bit counts.
  func words() throws -> [Int] {
    try contents().withUnsafeBytes { $0.bindMemory(to: UInt32.self).map(Int.init) }
  }
}
