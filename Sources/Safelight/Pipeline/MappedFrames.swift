internal import SafelightGPU
internal import Synchronization

/// Memory that a GPU and the process share, through which frames go to the device and come back; used again from frame to frame.
///
/// The process fills and empties it on threads of its own, while the device works on other frames. There is as much of it as frames were on
/// the way at a time. What renders in software reads and writes the process's memory as it is, and copying into this would be for nothing.
final class MappedFrames: Sendable {
  private let device: Device
  private let idle = Mutex<[Int: [Buffer]]>([:])

  /// Whether frames go this way on `device`: it is a GPU whose driver maps buffers for good (EXT_buffer_storage).
  static func suit(_ device: Device) -> Bool {
    !device.info.isCPU && !device.info.isSoftware && device.capabilities.features.contains(.sharedMemory)
  }

  init(device: Device) { self.device = device }

  /// Memory of `length` bytes, of any contents.
  func take(_ length: Int) throws -> Buffer {
    if let buffer = idle.withLock({ $0[length]?.popLast() }) { return buffer }
    return try device.makeBuffer(length: length, label: "mapped frame")
  }

  /// Memory that holds `bytes`.
  func take(holding bytes: [UInt8]) throws -> Buffer {
    let buffer = try take(bytes.count)
    try buffer.contents().copyBytes(from: bytes)
    return buffer
  }

  /// Takes `buffers` back, which no command buffer on its way refers to.
  func give(_ buffers: [Buffer]) {
    idle.withLock { idle in
      for buffer in buffers { idle[buffer.length, default: []].append(buffer) }
      // Frames of another size have come: memory of theirs alone is kept.
      if idle.count > 6 { idle = idle.filter { length, _ in buffers.contains { $0.length == length } } }
    }
  }
}

/// How a picture or a plane comes back: its bytes are there once the command buffer has completed.
enum FrameReturn: Sendable {
  case readback(Readback)
  case mapped(Buffer)

  func contents() throws -> [UInt8] {
    switch self {
    case .readback(let readback): try readback.contents()
    case .mapped(let buffer): Array(try buffer.contents())
    }
  }
}
