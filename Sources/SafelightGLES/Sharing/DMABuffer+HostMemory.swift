internal import CLinux
internal import Glibc
public import SafelightImage

extension DMABuffer {
  /// Allocates zeros in the memory of this process that devices may share without a copy, linear (`memfd_create`, `/dev/udmabuf`).
  ///
  /// Rows begin at multiples of 256 bytes and planes at pages, as most devices ask. Where the kernel has no `/dev/udmabuf`, or this
  /// process may not open it, the memory is shared with other processes only, and textures over it are copies; whether a device
  /// takes it is said by `Texture.isZeroCopy`. Throws ``SafelightError/Kind/environment`` where the system refuses it.
  public convenience init(hostMemoryFor size: Size, _ format: DRMFormat) throws(SafelightError) {
    try format.checkExtent(of: size)
    var planes: [Plane] = []
    var length = 0
    for index in 0..<format.planeCount {
      let extent = format.size(ofPlane: index, in: size)
      let row = extent.width * format.pixelFormat(ofPlane: index).bytesPerPixel
      let stride = (row + 255) / 256 * 256
      planes.append(Plane(descriptor: -1, offset: length, stride: stride))
      length += (stride * extent.height + Self.pageSize - 1) / Self.pageSize * Self.pageSize
    }
    let memory = try Self.memoryFile(length)
    let shared = Self.share(memory, length)
    if let shared {
      close(memory)
      for index in planes.indices { planes[index].descriptor = shared }
    } else {
      for index in planes.indices { planes[index].descriptor = memory }
    }
    try self.init(adopting: planes, format: format, size: size, modifier: Self.linear)
  }

  private static var pageSize: Int { sysconf(Int32(_SC_PAGESIZE)) }

  /// A file in memory that cannot shrink, as udmabuf asks.
  private static func memoryFile(_ length: Int) throws(SafelightError) -> Int32 {
    let (closeOnExec, allowSealing): (UInt32, UInt32) = (1, 2)
    let descriptor = unsafe memfd_create("safelight", closeOnExec | allowSealing)
    // F_ADD_SEALS with F_SEAL_SHRINK (linux/fcntl.h).
    guard descriptor >= 0, ftruncate(descriptor, length) == 0, fcntl(descriptor, 1033, 2) == 0 else {
      let reason = unsafe String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      throw SafelightError(
        .environment, "\(length) bytes of memory to share", why: reason,
        remedy: "ask for fewer pixels, or raise the limits on memory and open files")
    }
    return descriptor
  }

  /// The same memory as a dma-buf; nil where the kernel or its permissions offer none.
  private static func share(_ memory: Int32, _ length: Int) -> Int32? {
    let driver = unsafe open("/dev/udmabuf", O_RDWR | O_CLOEXEC)
    guard driver >= 0 else { return nil }
    defer { close(driver) }
    // struct udmabuf_create: memfd, flags (UDMABUF_FLAGS_CLOEXEC), offset, size; UDMABUF_CREATE.
    var request: (Int32, UInt32, UInt64, UInt64) = (memory, 1, 0, UInt64(length))
    let descriptor = unsafe ioctl(driver, 0x4018_7542, &request)
    return descriptor >= 0 ? descriptor : nil
  }
}
