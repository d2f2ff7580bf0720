internal import Glibc
public import SafelightImage

extension DMABuffer {
  /// What the processor does with mapped memory; the values of `DMA_BUF_SYNC_READ` and `DMA_BUF_SYNC_WRITE`.
  enum Access: UInt64 {
    case read = 1
    case write = 2
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
    precondition(
      bytes.count == rows * row,
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

  /// Rows of a plane, and the bytes of one without its padding.
  private func extent(ofPlane index: Int) -> (rows: Int, row: Int) {
    let extent = format.size(ofPlane: index, in: size)
    return (extent.height, extent.width * format.pixelFormat(ofPlane: index).bytesPerPixel)
  }

  /// Maps a plane's buffer and calls `body` with the place of its first row, between the calls by which the kernel makes the
  /// processor's caches and the device's agree (`DMA_BUF_IOCTL_SYNC`).
  func withMapping<Result>(
    ofPlane index: Int, _ access: Access, _ body: (UnsafeMutableRawPointer) -> Result
  ) throws(SafelightError) -> Result {
    guard isLinear else {
      throw SafelightError(
        .unsupported, "dma-buf of \(size) \(format)",
        why: "its tiling 0x\(String(modifier ?? 0, radix: 16)) is for its device alone to read",
        remedy: "have it made linear (DRM_FORMAT_MOD_LINEAR), or use a device that imports it")
    }
    let plane = planes[index]
    let length = try length(of: plane)
    // From the beginning: a mapping begins on a page, and a plane need not.
    let protection = access == .read ? PROT_READ : PROT_READ | PROT_WRITE
    guard let base = unsafe mmap(nil, length, protection, MAP_SHARED, plane.descriptor, 0), unsafe base != MAP_FAILED
    else {
      throw SafelightError(
        .unsupported, "dma-buf of \(size) \(format)",
        why: "it cannot be mapped for \(access): \(unsafe String(cString: strerror(errno)))",
        remedy: "export it readable and writable (DRM_RDWR), or use a device that imports it")
    }
    defer { unsafe munmap(base, length) }
    try synchronize(plane, access.rawValue)
    let result = unsafe body(base + plane.offset)
    try synchronize(plane, access.rawValue | Self.syncEnd)
    return result
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
