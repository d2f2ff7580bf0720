internal import CGBM
internal import SafelightImage
internal import Synchronization

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
