internal import CGBM
internal import Glibc
package import SafelightImage
internal import Synchronization

/// Memory of a DRM device, made by GBM to be rendered to and shared; linear.
///
/// Made and mapped through a GBM device of its own: Mesa's are for one thread at a time, and the one behind an EGL display belongs to
/// its context's thread.
@safe package final class GBMBuffer {
  package let size: Size
  package let format: DRMFormat
  /// Bytes from one row to the next.
  package let stride: Int
  /// The tiling; nil where the driver does not say.
  package let modifier: UInt64?

  private let allocator: GBMAllocator
  private let pointer: OpaquePointer

  /// Allocates `size` pixels on the node at `path` (`gbm_bo_create`); needs a format of one plane.
  package init(_ size: Size, _ format: DRMFormat, onNode path: String) throws(SafelightError) {
    trap(unless: format.planeCount == 1, "GBM makes buffers of one plane; make one of \(format) for each plane")
    let allocator = try GBMAllocator.allocator(onNode: path)
    let made = unsafe allocator.withDevice { gbm, device -> (OpaquePointer?, code: Int32) in
      let flags = GBM_BO_USE_RENDERING.rawValue | GBM_BO_USE_LINEAR.rawValue
      let pointer = unsafe gbm.gbm_bo_create(
        device, UInt32(clamping: size.width), UInt32(clamping: size.height), format.rawValue, flags)
      return unsafe (pointer, errno)
    }
    guard let pointer = unsafe made.0 else { throw Self.refused(size, format, path, code: unsafe made.code) }
    unsafe self.pointer = unsafe pointer
    self.allocator = allocator
    self.size = size
    self.format = format
    (stride, modifier) = unsafe allocator.withDevice { gbm, _ in
      let modifier = unsafe gbm.gbm_bo_get_modifier(pointer)
      return (Int(unsafe gbm.gbm_bo_get_stride(pointer)), modifier == DMABuffer.unknownModifier ? nil : modifier)
    }
  }

  deinit { unsafe allocator.withDevice { gbm, _ in unsafe gbm.gbm_bo_destroy(pointer) } }

  /// Bytes of a row without padding.
  private var rowLength: Int { size.width * format.pixelFormat(ofPlane: 0).bytesPerPixel }

  /// Copies rows without padding in (`gbm_bo_map`).
  package func write(_ bytes: [UInt8]) throws(SafelightError) {
    let row = rowLength
    trap(
      unless: bytes.count == row * size.height,
      "a buffer of \(size) \(format) takes \(row * size.height) bytes, \(bytes.count) were given")
    unsafe try map(GBM_BO_TRANSFER_WRITE.rawValue) { base, stride in
      unsafe bytes.withUnsafeBytes { source in
        guard let source = source.baseAddress else { return }
        for y in 0..<size.height { unsafe memcpy(base + y * stride, source + y * row, row) }
      }
    }
  }

  /// Copies rows without padding out (`gbm_bo_map`).
  package func read() throws(SafelightError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: rowLength * size.height)
    let row = rowLength
    unsafe try map(GBM_BO_TRANSFER_READ.rawValue) { base, stride in
      unsafe bytes.withUnsafeMutableBytes { target in
        guard let target = target.baseAddress else { return }
        for y in 0..<size.height { unsafe memcpy(target + y * row, base + y * stride, row) }
      }
    }
    return bytes
  }

  /// Shares it; the descriptor keeps the memory alive on its own.
  package func export() throws(SafelightError) -> DMABuffer {
    try DMABuffer(
      adopting: [DMABuffer.Plane(descriptor: try descriptor(), stride: stride)], format: format, size: size,
      modifier: modifier)
  }

  /// A descriptor of the memory, the caller's to close.
  func descriptor() throws(SafelightError) -> Int32 {
    let (descriptor, code) = unsafe allocator.withDevice { gbm, device in
      let descriptor = unsafe writableDescriptor(gbm, device)
      return (unsafe descriptor ?? gbm.gbm_bo_get_fd(pointer), errno)
    }
    guard descriptor >= 0 else {
      throw SafelightError(
        .driver, "GBM buffer of \(size) \(format)",
        why: "the driver gave no descriptor: \(unsafe String(cString: strerror(code)))",
        remedy: "upload pictures instead of sharing their memory")
    }
    return descriptor
  }

  /// A descriptor through which the processor may also write (`DRM_IOCTL_PRIME_HANDLE_TO_FD` with `DRM_RDWR`): those of
  /// `gbm_bo_get_fd` can be mapped for reading alone in Mesa before 23.
  private func writableDescriptor(_ gbm: borrowing safelight_gbm, _ device: OpaquePointer) -> Int32? {
    // struct drm_prime_handle: handle, flags, descriptor.
    var request: (UInt32, UInt32, Int32) = (
      unsafe gbm.gbm_bo_get_handle(pointer).u32, UInt32(O_CLOEXEC | O_RDWR), -1
    )
    let isShared = unsafe ioctl(gbm.gbm_device_get_fd(device), 0xC00C_642D, &request) == 0
    return isShared ? request.2 : nil
  }

  /// The mapping may be a copy with a stride of its own, which is written back at its end.
  private func map(_ flags: UInt32, _ body: (UnsafeMutableRawPointer, Int) -> Void) throws(SafelightError) {
    let code: Int32? = unsafe allocator.withDevice { gbm, _ in
      var stride: UInt32 = 0
      var mapping: UnsafeMutableRawPointer?
      let base = unsafe gbm.gbm_bo_map(
        pointer, 0, 0, UInt32(size.width), UInt32(size.height), flags, &stride, &mapping)
      guard let base = unsafe base else { return errno }
      unsafe body(base, Int(stride))
      unsafe gbm.gbm_bo_unmap(pointer, mapping)
      return nil
    }
    guard let code else { return }
    throw SafelightError(
      .driver, "GBM buffer of \(size) \(format)",
      why: "gbm_bo_map refused it: \(unsafe String(cString: strerror(code)))",
      remedy: "upload pictures instead of sharing their memory")
  }

  package static func refused(_ size: Size, _ format: DRMFormat, _ path: String, code: Int32) -> SafelightError {
    let what = "GBM buffer of \(size) \(format) on \(path)"
    let reason = "gbm_bo_create refused it: \(unsafe String(cString: strerror(code)))"
    switch code {
    case EACCES:
      // A driver without memory of its own makes dumb buffers, and those are not for render nodes (drm_ioctl.c).
      return SafelightError(
        .unsupported, what,
        why: "\(reason), as a render node gives no dumb buffers, the only ones of a software driver",
        remedy: "use the primary node (/dev/dri/card0), or upload pictures instead of sharing their memory")
    case ENOTTY, EINVAL, ENOSYS, EOPNOTSUPP:
      return SafelightError(
        .unsupported, what, why: reason,
        remedy: "name a DRM node whose driver makes such buffers, or upload pictures instead of sharing their memory")
    default:
      return SafelightError(
        .environment, what, why: reason, remedy: "ask for fewer pixels, or free memory of the device")
    }
  }
}

/// A GBM device that only makes buffers, used by one thread at a time; kept for the life of the process.
///
/// `@unchecked Sendable`: all use of the device is inside ``withDevice(_:)``, under the lock.
@safe final class GBMAllocator: @unchecked Sendable {
  private let gbm: safelight_gbm
  private let device: OpaquePointer
  private let lock = Mutex<Void>(())

  private static let opened = Mutex<[String: GBMAllocator]>([:])

  private init(gbm: safelight_gbm, device: OpaquePointer) {
    self.gbm = gbm
    unsafe self.device = device
  }

  /// The allocator of the node at `path`, opened at the first call for it.
  static func allocator(onNode path: String) throws(SafelightError) -> GBMAllocator {
    try opened.withLock { allocators throws(SafelightError) in
      if let allocator = allocators[path] { return allocator }
      let gbm = try GBMDevice.library.get()
      let allocator = unsafe GBMAllocator(gbm: gbm, device: try GBMDevice.open(RenderNode(path: path)).pointer)
      allocators[path] = allocator
      return allocator
    }
  }

  /// Calls `body` while no other thread uses the device.
  func withDevice<Result>(_ body: (borrowing safelight_gbm, OpaquePointer) -> Result) -> Result {
    lock.withLock { _ in unsafe body(gbm, device) }
  }
}
