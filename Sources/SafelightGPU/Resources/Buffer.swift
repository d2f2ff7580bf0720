internal import Glibc
public import SafelightImage
internal import Synchronization

/// Bytes on a device; Metal's `MTLBuffer`, made zero.
///
/// A handle, like ``Texture``. Contents travel by commands (``BlitCommandEncoder``), or through ``contents()`` of shared and managed
/// buffers.
public final class Buffer: Sendable {
  /// The number of bytes.
  public let length: Int
  /// A name for messages and debuggers.
  public let label: String
  /// Who can reach the bytes.
  public let storageMode: StorageMode

  package let lifetime: ResourceLifetime
  /// The device it was made for; memory is shared with that one alone.
  let home: DeviceThread?
  private let memory: Mutex<HostMemory?>
  private let sharesMapping = Atomic<Bool>(false)
  private let modified = Mutex<[Range<Int>]>([])

  init(
    length: Int, label: String, storageMode: StorageMode = .shared, home: DeviceThread? = nil,
    memory: HostMemory? = nil,
    lifetime: ResourceLifetime = ResourceLifetime()
  ) {
    self.length = length
    self.label = label
    self.storageMode = storageMode
    self.home = home
    self.memory = Mutex(memory)
    self.lifetime = lifetime
  }

  /// Scratch memory of a kernel, for any device.
  package convenience init(length: Int, label: String) {
    self.init(length: length, label: label, storageMode: .private, home: nil)
  }

  /// The bytes as memory of this process, valid as long as the buffer is referred to and its device open.
  ///
  /// As in Metal: write before `commit()`, read after completion, and not in between. The memory is made at the first call, with
  /// what all work committed until then left in the buffer; that call waits. Throws when the device was closed.
  public func contents() throws(SafelightError) -> UnsafeMutableRawBufferPointer {
    trap(
      unless: storageMode != .private,
      "contents() of private buffer '\(label)'; make it shared, or read it with a blit encoder"
    )
    // Memory that the driver mapped goes with the device.
    if hostMemory == nil || sharesMapping.load(ordering: .relaxed) { try home?.share(self) }
    guard let memory = hostMemory else {
      throw SafelightError(
        .usage, "buffer '\(label)'", why: "it belongs to no device that could share its memory",
        remedy: "make it with Device.makeBuffer")
    }
    return unsafe UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<length])
  }

  /// Runs `body` with ``contents()`` as values, valid for that call.
  public func withContents<Value: BitwiseCopyable, Result>(
    of type: Value.Type, _ body: (inout MutableSpan<Value>) throws -> Result
  ) throws -> Result {
    let values = unsafe try contents().bindMemory(to: type)
    var span = unsafe MutableSpan(_unsafeElements: values)
    return try body(&span)
  }

  /// Says that the process wrote `range` of a managed buffer (`glBufferSubData` at the next commit).
  public func didModifyRange(_ range: Range<Int>) {
    trap(
      unless: range.lowerBound >= 0 && range.upperBound <= length,
      "didModifyRange(\(range)) lies outside buffer '\(label)' of \(length) bytes")
    modified.withLock { $0.append(range) }
  }

  /// True when ``contents()`` is the very memory that the device works on: on the CPU, and where the driver maps buffers for
  /// good (``DeviceFeatures/sharedMemory``), once ``contents()`` was called. Else, and over the caller's own memory, a GL driver keeps
  /// memory of its own, and the bytes are copied at both ends of a command buffer.
  public var isZeroCopy: Bool {
    storageMode != .private && (home?.worksInHostMemory == true || sharesMapping.load(ordering: .relaxed))
  }

  /// The memory shared with this process; nil before anybody asked for it.
  var hostMemory: HostMemory? { memory.withLock { $0 } }

  /// Called once, on the device's thread.
  func adopt(_ shared: HostMemory, isZeroCopy: Bool = false) {
    memory.withLock { $0 = shared }
    sharesMapping.store(isZeroCopy, ordering: .relaxed)
  }

  /// The device works in memory of its own again.
  func leaveMapping() { sharesMapping.store(false, ordering: .relaxed) }

  /// What the process wrote since the last call; everything for shared buffers.
  func takeModifiedRanges() -> [Range<Int>] {
    guard storageMode == .managed else { return [0..<length] }
    return modified.withLock { ranges in
      defer { ranges = [] }
      return ranges
    }
  }
}

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

/// Who can reach the bytes of a resource; Metal's `MTLStorageMode`.
public enum StorageMode: String, Codable, Hashable, Sendable {
  /// The device and, through ``Buffer/contents()``, this process: what it writes is there for the next commit, what the device
  /// writes is there on completion.
  case shared
  /// As `shared`, but only what ``Buffer/didModifyRange(_:)`` and ``BlitCommandEncoder/synchronize(_:)`` name is carried over.
  case managed
  /// The device alone.
  case `private`
}
