internal import Glibc
public import SafelightImage
internal import Synchronization

/// Bytes on a device, initially zero; Metal's `MTLBuffer`.
///
/// A handle, like ``Texture``. Contents are transferred by commands (``BlitCommandEncoder``), or accessed through
/// ``contents()`` of shared and managed buffers.
public final class Buffer: Sendable {
  /// The number of bytes.
  public let length: Int
  /// A name for messages and debuggers.
  public let label: String
  /// The parties that can access the bytes.
  public let storageMode: StorageMode

  package let lifetime: ResourceLifetime
  /// The device it was made for, the only one that shares its memory.
  let home: DeviceThread?
  private let memory: Mutex<HostMemory?>
  private let sharesMapping = Atomic<Bool>(false)
  private let modified = Mutex<[Range<Int>]>([])

  init(
    length: Int, label: String, storageMode: StorageMode = .shared, home: DeviceThread? = nil,
    memory: HostMemory? = nil, lifetime: ResourceLifetime = ResourceLifetime()
  ) {
    self.length = length
    self.label = label
    self.storageMode = storageMode
    self.home = home
    self.memory = Mutex(memory)
    self.lifetime = lifetime
  }

  /// Makes scratch memory of a kernel, for any device.
  package convenience init(length: Int, label: String) {
    self.init(length: length, label: label, storageMode: .private, home: nil)
  }

  /// Returns the bytes as memory of this process, valid while the buffer exists and its device is open.
  ///
  /// As in Metal, write before `commit()`, read after completion, and do neither in between. The first call makes the
  /// memory: it waits for all committed work and copies the results. Throws if the device was closed.
  public func contents() throws(SafelightError) -> UnsafeMutableRawBufferPointer {
    trap(
      unless: storageMode != .private,
      "contents() of private buffer '\(label)'; make it shared, or read it with a blit encoder")
    // Memory that the driver mapped is valid only while the device is open.
    if hostMemory == nil || sharesMapping.load(ordering: .relaxed) { try home?.share(self) }
    guard let memory = hostMemory else {
      throw SafelightError(
        .usage, "buffer '\(label)'", why: "it belongs to no device that could share its memory",
        remedy: "make it with Device.makeBuffer")
    }
    return unsafe UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<length])
  }

  /// Calls `body` with ``contents()`` as values, valid during the call.
  public func withContents<Value: BitwiseCopyable, Result>(
    of type: Value.Type, _ body: (inout MutableSpan<Value>) throws -> Result
  ) throws -> Result {
    let values = unsafe try contents().bindMemory(to: type)
    var span = unsafe MutableSpan(_unsafeElements: values)
    return try body(&span)
  }

  /// Marks `range` of a managed buffer as written by the process (`glBufferSubData` at the next commit).
  public func didModifyRange(_ range: Range<Int>) {
    trap(
      unless: range.lowerBound >= 0 && range.upperBound <= length,
      "didModifyRange(\(range)) lies outside buffer '\(label)' of \(length) bytes")
    modified.withLock { $0.append(range) }
  }

  /// True if ``contents()`` is the memory that the device works in: on the CPU device, and after the first call of
  /// ``contents()`` if the driver maps buffers persistently (``DeviceFeatures/sharedMemory``).
  ///
  /// Otherwise, and over the caller's own memory, a GL driver keeps memory of its own, and bytes are copied at the
  /// beginning and end of each command buffer.
  public var isZeroCopy: Bool {
    storageMode != .private && (home?.worksInHostMemory == true || sharesMapping.load(ordering: .relaxed))
  }

  /// The memory shared with this process; nil before the first ``contents()``.
  var hostMemory: HostMemory? { memory.withLock { $0 } }

  /// Sets the shared memory; called once, on the device's thread.
  func adopt(_ shared: HostMemory, isZeroCopy: Bool = false) {
    memory.withLock { $0 = shared }
    sharesMapping.store(isZeroCopy, ordering: .relaxed)
  }

  func leaveMapping() { sharesMapping.store(false, ordering: .relaxed) }

  /// Returns the ranges written by the process since the last call; everything for shared buffers.
  func takeModifiedRanges() -> [Range<Int>] {
    storageMode == .managed ? modified.withLock { exchange(&$0, with: []) } : [0..<length]
  }
}

/// Page-aligned memory of this process, for buffers without a copy.
///
/// `@unchecked Sendable`: address and length never change after `init`. Threads share the bytes as in Metal: the caller
/// writes before `commit()` and reads after completion, and the command buffer orders the two.
@safe public final class HostMemory: @unchecked Sendable {
  /// The bytes.
  public let bytes: UnsafeMutableRawBufferPointer

  private let deallocator: (@Sendable (UnsafeMutableRawBufferPointer) -> Void)?

  /// The bytes of a page of memory.
  public static let pageSize = sysconf(Int32(_SC_PAGESIZE))

  /// Returns `length` rounded up to whole pages.
  public static func roundedToPages(_ length: Int) -> Int { (length + pageSize - 1) / pageSize * pageSize }

  /// Allocates `length` zeros, rounded up to whole pages.
  public init(length: Int) {
    unsafe bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.roundedToPages(max(1, length)), alignment: Self.pageSize)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe deallocator = { unsafe $0.deallocate() }
  }

  /// Adopts `bytes`, which are whole pages; calls `deallocator` with the last reference.
  init(
    adopting bytes: UnsafeMutableRawBufferPointer, deallocator: (@Sendable (UnsafeMutableRawBufferPointer) -> Void)?
  ) {
    unsafe self.bytes = unsafe bytes
    unsafe self.deallocator = unsafe deallocator
  }

  deinit { unsafe deallocator?(bytes) }
}

/// The parties that can access the bytes of a resource; Metal's `MTLStorageMode`.
public enum StorageMode: String, Codable, Hashable, Sendable {
  /// The device and, through ``Buffer/contents()``, this process. The next commit sees the process's writes, and the
  /// process sees the device's writes on completion.
  case shared
  /// Like `shared`, but only ranges named by ``Buffer/didModifyRange(_:)`` and ``BlitCommandEncoder/synchronize(_:)``
  /// are copied.
  case managed
  /// Only the device.
  case `private`
}
