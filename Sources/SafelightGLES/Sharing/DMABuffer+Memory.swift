internal import CLinux
internal import Glibc
public import SafelightImage
internal import Synchronization

extension DMABuffer {
  /// How the CPU accesses mapped memory; the values are those of `DMA_BUF_SYNC_READ` and `DMA_BUF_SYNC_WRITE`.
  package enum Access: UInt64, Sendable {
    case read = 1
    case write = 2
  }

  struct MappingKey: Hashable {
    let descriptor: Int32
    let access: Access
  }

  /// A buffer mapped into this process, from its beginning.
  ///
  /// `@unchecked Sendable`: it never changes; those who share the buffer agree on who uses its bytes when.
  @safe struct Mapping: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let length: Int
  }

  /// Returns the bytes of a plane, rows without padding; waits for devices that write it.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the plane is not linear or cannot be mapped.
  public func contents(ofPlane index: Int = 0) throws(SafelightError) -> [UInt8] {
    let (rows, row) = format.extent(ofPlane: index, in: size)
    let stride = planes[index].stride
    return unsafe try withMapping(ofPlane: index, .read) { base in
      unsafe [UInt8](unsafeUninitializedCapacity: rows * row) { bytes, initialized in
        guard let target = bytes.baseAddress else { return }
        for y in 0..<rows { unsafe memcpy(target + y * row, base + y * stride, row) }
        initialized = rows * row
      }
    }
  }

  /// Copies bytes into a plane, rows without padding; waits for devices that use it. Traps unless the plane takes
  /// exactly `bytes.count` bytes.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the plane is not linear or cannot be mapped.
  public func replace(plane index: Int = 0, with bytes: [UInt8]) throws(SafelightError) {
    let (rows, row) = format.extent(ofPlane: index, in: size)
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

  /// Throws the errors of ``contents(ofPlane:)``.
  package func checkMapping(ofPlane index: Int) throws(SafelightError) {
    unsafe try withMapping(ofPlane: index, .read) { _ in }
  }

  /// Calls `body` with the address of a plane's first row, between the calls that make the caches of the CPU and the
  /// device agree (`DMA_BUF_IOCTL_SYNC`).
  ///
  /// The memory is mapped once for each kind of access and stays mapped as long as the buffer lives: a source cycles
  /// through few buffers.
  package func withMapping<Result>(
    ofPlane index: Int, _ access: Access, _ body: (UnsafeMutableRawPointer) throws(SafelightError) -> Result
  ) throws(SafelightError) -> Result {
    try ensure(
      isLinear, .unsupported, "dma-buf of \(size) \(format)",
      why: "only its device can read its tiling, 0x\(String(modifier ?? 0, radix: 16))",
      remedy: "let its producer make it linear (DRM_FORMAT_MOD_LINEAR), or use a device that imports it")
    // Memory files can shrink, and an access beyond their end kills the process (SIGBUS).
    try checkEnd(ofPlane: index)
    let plane = planes[index]
    let mapping = try mapping(MappingKey(descriptor: plane.descriptor, access: access))
    try synchronize(plane, access.rawValue)
    let outcome = Swift.Result { () throws(SafelightError) in unsafe try body(mapping.base + plane.offset) }
    try synchronize(plane, access.rawValue | 1 << 2)  // DMA_BUF_SYNC_END
    return try outcome.get()
  }

  /// Returns the mapping of a buffer that covers all planes in it.
  private func mapping(_ key: MappingKey) throws(SafelightError) -> Mapping {
    try mappings.withLock { mappings throws(SafelightError) in
      if let known = mappings[key] { return known }
      let length = planes.indices.filter { planes[$0].descriptor == key.descriptor }.map(end(ofPlane:)).max() ?? 0
      // A mapping must begin on a page, which a plane need not, so it begins at the start of the buffer.
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

  private func synchronize(_ plane: Plane, _ flags: UInt64) throws(SafelightError) {
    var flags = flags
    // DMA_BUF_IOCTL_SYNC: writes one word of 8 bytes, of group 'b', number 0.
    while unsafe ioctl(plane.descriptor, 0x4008_6200, &flags) != 0 {
      switch errno {
      case EINTR, EAGAIN: continue
      // A memory file rather than a device's memory: there is one cache.
      case ENOTTY: return
      case let code:
        throw SafelightError(
          .driver, "dma-buf of \(size) \(format)",
          why: "its device does not release it to the CPU: \(unsafe String(cString: strerror(code)))",
          remedy: "see dmesg; make sure that its producer has finished writing")
      }
    }
  }
}

extension DMABuffer {
  /// Allocates linear memory of this process, filled with zeros, that devices may share without a copy (`memfd_create`,
  /// `/dev/udmabuf`).
  ///
  /// Rows begin at multiples of 256 bytes and planes at pages, as most devices require. If the kernel has no
  /// `/dev/udmabuf`, or this process may not open it, only processes can share the memory, and textures over it are
  /// copies; `Texture.isZeroCopy` tells whether a device shares it.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` if the system has no memory or descriptors left, `input` if the
  ///   size exceeds 32 bits.
  public convenience init(hostMemoryFor size: Size, _ format: DRMFormat) throws(SafelightError) {
    try format.checkExtent(of: size)
    var planes: [Plane] = []
    var length = 0
    for index in 0..<format.planeCount {
      let (rows, row) = format.extent(ofPlane: index, in: size)
      let stride = (row + 255) / 256 * 256
      planes.append(Plane(descriptor: -1, offset: length, stride: stride))
      length += (stride * rows + Self.pageSize - 1) / Self.pageSize * Self.pageSize
    }
    guard let memory = FixedSizeMemory.make("safelight", length: length) else {
      throw SafelightError(
        .environment, "\(length) bytes of memory to share", why: unsafe String(cString: strerror(errno)),
        remedy: "ask for fewer pixels, or raise the limits on memory and open files")
    }
    let shared = Self.share(memory, length)
    if shared != nil { close(memory) }
    for index in planes.indices { planes[index].descriptor = shared ?? memory }
    try self.init(adopting: planes, format: format, size: size, modifier: Self.linear)
  }

  private static var pageSize: Int { sysconf(Int32(_SC_PAGESIZE)) }

  /// Returns the same memory as a dma-buf; nil if the kernel or its permissions do not allow it.
  private static func share(_ memory: Int32, _ length: Int) -> Int32? {
    let driver = unsafe open("/dev/udmabuf", O_RDWR | O_CLOEXEC)
    guard driver >= 0 else { return nil }
    defer { close(driver) }
    // struct udmabuf_create: memfd, flags (UDMABUF_FLAGS_CLOEXEC), offset, size; UDMABUF_CREATE.
    var request: (Int32, UInt32, UInt64, UInt64) = (memory, 1, 0, UInt64(length))
    let descriptor = unsafe ioctl(driver, 0x4018_7542, &request)
    return descriptor >= 0 ? descriptor : nil
  }

  /// Allocates linear memory for sharing on the DRM node at `path`, such as `/dev/dri/card0`; its initial contents are
  /// up to the driver.
  ///
  /// The planes lie one below the other in one buffer of 32-bit words, the only kind that every driver can allocate.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the node's driver cannot allocate it; software drivers
  ///   allocate only on primary nodes.
  public convenience init(allocating size: Size, _ format: DRMFormat, onNode path: String) throws(SafelightError) {
    try format.checkExtent(of: size)
    let extents = (0..<format.planeCount).map { format.extent(ofPlane: $0, in: size) }
    let row = extents.map(\.row).max() ?? 0
    let words = Size((row + 3) / 4, extents.reduce(0) { $0 + $1.rows })
    let (whole, modifier) = try GBMDevice.allocate(words, .argb8888, onNode: path)
    var offset = 0
    var planes: [Plane] = []
    for extent in extents {
      planes.append(Plane(descriptor: whole.descriptor, offset: offset, stride: whole.stride))
      offset += extent.rows * whole.stride
    }
    try self.init(adopting: planes, format: format, size: size, modifier: modifier)
  }
}
