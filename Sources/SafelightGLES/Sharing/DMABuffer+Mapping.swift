internal import Glibc
public import SafelightImage
internal import Synchronization

extension DMABuffer {
  /// What the processor does with mapped memory; the values of `DMA_BUF_SYNC_READ` and `DMA_BUF_SYNC_WRITE`.
  package enum Access: UInt64, Sendable {
    case read = 1
    case write = 2
  }

  /// What a mapping is kept for.
  struct MappingKey: Hashable {
    let descriptor: Int32
    let access: Access
  }

  /// A buffer among the addresses of this process, from its beginning.
  ///
  /// `@unchecked Sendable`: place and length never change. Whoever shares the buffer agrees on who uses its bytes when.
  @safe struct Mapping: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let length: Int
  }

  /// Gives the addresses back; nobody is at work in them with the last reference gone.
  func unmap() {
    mappings.withLock { mappings in
      for mapping in mappings.values { unsafe munmap(mapping.base, mapping.length) }
      mappings = [:]
    }
  }

  /// Copies a plane out, row by row without padding; waits for devices that write it. Throws where it is not linear or cannot be mapped.
  public func contents(ofPlane index: Int = 0) throws(SafelightError) -> [UInt8] {
    let (rows, row) = extent(ofPlane: index)
    let stride = planes[index].stride
    return unsafe try withMapping(ofPlane: index, .read) { base in
      unsafe [UInt8](unsafeUninitializedCapacity: rows * row) { bytes, initialized in
        guard let target = bytes.baseAddress else { return }
        for y in 0..<rows { unsafe memcpy(target + y * row, base + y * stride, row) }
        initialized = rows * row
      }
    }
  }

  /// Copies a plane in, row by row without padding; waits for devices that use it. Throws where it is not linear or cannot be mapped.
  public func replace(plane index: Int = 0, with bytes: [UInt8]) throws(SafelightError) {
    let (rows, row) = extent(ofPlane: index)
    trap(
      unless: bytes.count == rows * row,
      "plane \(index) of \(size) \(format) takes \(rows * row) bytes, \(bytes.count) were given")
    let stride = planes[index].stride
    unsafe try withMapping(ofPlane: index, .write) { base in
      unsafe bytes.withUnsafeBytes { source in
        guard let source = source.baseAddress else { return }
        for y in 0..<rows { unsafe memcpy(base + y * stride, source + y * row, row) }
      }
    }
  }

  /// Throws where ``contents(ofPlane:)`` would.
  package func checkMapping(ofPlane index: Int) throws(SafelightError) {
    unsafe try withMapping(ofPlane: index, .read) { _ in }
  }

  /// Calls `body` with the place of a plane's first row, between the calls by which the kernel makes the processor's caches and the
  /// device's agree (`DMA_BUF_IOCTL_SYNC`).
  ///
  /// The memory is mapped once for each kind of access and stays so as long as the buffer lives: a source cycles through few buffers.
  package func withMapping<Result>(
    ofPlane index: Int, _ access: Access, _ body: (UnsafeMutableRawPointer) throws(SafelightError) -> Result
  ) throws(SafelightError) -> Result {
    guard isLinear else {
      throw SafelightError(
        .unsupported, "dma-buf of \(size) \(format)",
        why: "its tiling 0x\(String(modifier ?? 0, radix: 16)) is for its device alone to read",
        remedy: "have it made linear (DRM_FORMAT_MOD_LINEAR), or use a device that imports it")
    }
    // Files in memory can shrink, and a touch beyond their end ends the process (SIGBUS).
    try checkEnd(ofPlane: index)
    let plane = planes[index]
    let mapping = try mapping(MappingKey(descriptor: plane.descriptor, access: access))
    try synchronize(plane, access.rawValue)
    let outcome = Swift.Result { () throws(SafelightError) in unsafe try body(mapping.base + plane.offset) }
    try synchronize(plane, access.rawValue | Self.syncEnd)
    return try outcome.get()
  }

  /// The mapping of a buffer, as far as planes lie in it.
  private func mapping(_ key: MappingKey) throws(SafelightError) -> Mapping {
    try mappings.withLock { mappings throws(SafelightError) in
      if let known = mappings[key] { return known }
      let length = planes.indices.filter { planes[$0].descriptor == key.descriptor }.map(end(ofPlane:)).max() ?? 0
      // From the beginning: a mapping begins on a page, and a plane need not.
      let protection = key.access == .read ? PROT_READ : PROT_READ | PROT_WRITE
      guard let base = unsafe mmap(nil, length, protection, MAP_SHARED, key.descriptor, 0), unsafe base != MAP_FAILED
      else {
        throw SafelightError(
          .unsupported, "dma-buf of \(size) \(format)",
          why: "it cannot be mapped for \(key.access): \(unsafe String(cString: strerror(errno)))",
          remedy: "export it readable and writable (DRM_RDWR), or use a device that imports it")
      }
      let mapping = unsafe Mapping(base: base, length: length)
      mappings[key] = mapping
      return mapping
    }
  }

  /// `DMA_BUF_SYNC_END`.
  private static var syncEnd: UInt64 { 1 << 2 }
  /// `DMA_BUF_IOCTL_SYNC`: writes one word of 8 bytes, of group 'b', number 0.
  private static var syncRequest: UInt { 0x4008_6200 }

  private func synchronize(_ plane: Plane, _ flags: UInt64) throws(SafelightError) {
    var flags = flags
    while unsafe ioctl(plane.descriptor, Self.syncRequest, &flags) != 0 {
      switch errno {
      case EINTR, EAGAIN: continue
      // Plain memory, not a device's: there is one cache.
      case ENOTTY: return
      case let code:
        throw SafelightError(
          .driver, "dma-buf of \(size) \(format)",
          why: "its device does not give it to the processor: \(unsafe String(cString: strerror(code)))",
          remedy: "see dmesg; have its maker finish writing first")
      }
    }
  }
}
