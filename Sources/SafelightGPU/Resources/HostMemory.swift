internal import Glibc

/// Page-aligned memory of this process, as buffers without a copy need it.
///
/// `@unchecked Sendable`: address and length never change after `init`. What the bytes hold is shared between threads as in Metal:
/// the caller writes before `commit()` and reads after completion, and the command buffer orders the two.
@safe public final class HostMemory: @unchecked Sendable {
  /// The bytes.
  public let bytes: UnsafeMutableRawBufferPointer

  private let deallocator: (@Sendable (UnsafeMutableRawBufferPointer) -> Void)?

  /// Bytes in a page of memory.
  public static let pageSize = sysconf(Int32(_SC_PAGESIZE))

  /// `length` rounded up to whole pages.
  public static func roundedToPages(_ length: Int) -> Int { (length + pageSize - 1) / pageSize * pageSize }

  /// Allocates `length` zeros, rounded up to whole pages; freed with the last reference.
  public init(length: Int) {
    unsafe bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.roundedToPages(max(1, length)), alignment: Self.pageSize)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe deallocator = { unsafe $0.deallocate() }
  }

  /// Adopts `bytes`, which begin at a page and fill whole pages; `deallocator` is called once nobody uses them any more.
  init(
    adopting bytes: UnsafeMutableRawBufferPointer, deallocator: (@Sendable (UnsafeMutableRawBufferPointer) -> Void)?
  ) {
    unsafe self.bytes = unsafe bytes
    unsafe self.deallocator = unsafe deallocator
  }

  deinit { unsafe deallocator?(bytes) }
}
