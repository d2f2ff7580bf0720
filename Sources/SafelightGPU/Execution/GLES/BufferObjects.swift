internal import SafelightGLES
internal import SafelightImage

/// The buffers of one context, and the bytes that they and the process have yet to exchange.
final class BufferObjects {
  private let context: Context
  private let order: CommandOrder
  private unowned let home: DeviceThread
  private var buffers: [ResourceID: BufferObject] = [:]
  /// The buffers behind `setBytes`, by index; rewritten for each command.
  private var uniforms: [Int: BufferObject] = [:]
  /// Buffers that have received what the process wrote, in the current recording.
  private var refreshed: Set<ResourceID> = []
  /// Buffers whose contents the process expects when the current recording completes.
  private var written: [ResourceID: Buffer] = [:]

  init(_ context: Context, _ order: CommandOrder, home: DeviceThread) {
    self.context = context
    self.order = order
    self.home = home
  }

  var count: Int { buffers.count + uniforms.count }
  var byteCount: Int { (Array(buffers.values) + Array(uniforms.values)).reduce(0) { $0 + $1.length } }

  /// The buffers whose memory the process sees.
  var mapped: [BufferObject] { buffers.values.filter { unsafe $0.mapped != nil } }

  /// The object behind a buffer, with what the process wrote into it since the last recording.
  func object(_ buffer: Buffer) throws(SafelightError) -> BufferObject {
    let id = buffer.lifetime.id
    let object: BufferObject
    if let kept = buffers[id] {
      object = kept
    } else {
      object = try BufferObject(context, length: buffer.length, label: buffer.label)
      buffers[id] = object
      // Memory that a lost context had mapped stays with the process and is copied from now on.
      if buffer.home === home { buffer.leaveMapping() }
      buffer.lifetime.settle(in: home)
    }
    if unsafe object.mapped == nil, let memory = buffer.hostMemory, refreshed.insert(id).inserted {
      for range in buffer.takeModifiedRanges() {
        unsafe try object.write(UnsafeRawBufferPointer(rebasing: memory.bytes[range]), at: range.lowerBound)
      }
    }
    return object
  }

  /// A buffer of `bytes` behind the block `index`.
  func uniform(_ bytes: [UInt8], index: Int) throws(SafelightError) -> BufferObject {
    let object = try uniform(length: bytes.count, index: index)
    try object.write(bytes, at: 0)
    return object
  }

  /// A buffer of at least `length` bytes behind the block `index`, reused by each command.
  func uniform(length: Int, index: Int) throws(SafelightError) -> BufferObject {
    if let kept = uniforms[index], kept.length >= length { return kept }
    let object = try BufferObject(context, length: max(256, length), label: "bytes \(index)")
    uniforms[index] = object
    return object
  }

  func write(_ bytes: [UInt8], to buffer: Buffer, at offset: Int) throws(SafelightError) {
    try order.barrier(before: .bufferUpdate, of: buffer.lifetime.id)
    willWrite(buffer)
    try object(buffer).write(bytes, at: offset)
  }

  func erase(_ id: ResourceID) throws(SafelightError) {
    guard let buffer = buffers[id] else { return }
    try order.barrier(before: .bufferUpdate, of: id)
    try buffer.write([UInt8](repeating: 0, count: buffer.length), at: 0)
  }

  func release(_ id: ResourceID) { buffers[id] = nil }

  // MARK: Memory shared with the process

  func begin() {
    refreshed = []
    written = [:]
  }

  func refresh(except newer: [Buffer]) {
    // Managed buffers receive only the bytes that the process declares modified.
    refreshed = Set(newer.filter { $0.storageMode != .managed }.map(\.lifetime.id))
  }

  func share(_ buffer: Buffer) throws(SafelightError) {
    guard buffer.hostMemory == nil else { return }
    let id = buffer.lifetime.id
    let contents = "contents of '\(buffer.label)'"
    let old = buffers[id]
    guard context.features.contains(.sharedMemory) else {
      let memory = HostMemory(length: buffer.length)
      if let old {
        try order.barrier(before: .bufferRead, of: id)
        try order.wait(contents)
        unsafe try old.read(
          0..<buffer.length, into: UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<buffer.length]))
      }
      return buffer.adopt(memory)
    }
    // Storage that a pool hands on may be mapped already.
    if let mapped = unsafe old?.mapped {
      try order.barrier(before: .sharedMemoryRead, of: id)
      try order.wait(contents)
      return unsafe buffer.adopt(HostMemory(adopting: mapped, deallocator: nil), isZeroCopy: true)
    }
    let object = try BufferObject(context, length: buffer.length, isMapped: true, label: buffer.label)
    if let old {
      try order.barrier(before: .bufferRead, of: id)
      try old.copy(0..<buffer.length, to: object, at: 0)
      try order.wait(contents)
    } else {
      buffer.lifetime.settle(in: home)
    }
    buffers[id] = object
    if let mapped = unsafe object.mapped {
      unsafe buffer.adopt(HostMemory(adopting: mapped, deallocator: nil), isZeroCopy: true)
    }
  }

  /// Notes that the device writes a buffer whose contents the process sees on completion.
  func willWrite(_ buffer: Buffer, synchronizes: Bool = false) {
    guard buffer.home === home, buffer.storageMode == .shared || synchronizes else { return }
    written[buffer.lifetime.id] = buffer
  }

  /// Issues the barrier before the reads of ``copyBack()``; called before the fence.
  func orderCopyBack() throws(SafelightError) {
    let uses = written.compactMap { id, buffer in
      buffer.hostMemory == nil ? nil : BarrierPlan.Use(resource: id, access: .sharedMemoryRead)
    }
    if !uses.isEmpty { try order.barrier(before: uses) }
  }

  /// Copies what was written into the memory of the process; called once the fence has passed.
  func copyBack() throws(SafelightError) {
    for (id, buffer) in written {
      guard let memory = buffer.hostMemory, let object = buffers[id], unsafe object.mapped == nil else { continue }
      unsafe try object.read(
        0..<buffer.length, into: UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<buffer.length]))
    }
    written = [:]
  }
}
