internal import CGBM
internal import Glibc
public import SafelightImage
internal import Synchronization

/// Memory that devices and drivers share by file descriptors, with the layout of its picture: the counterpart of an
/// `IOSurface`, or of a `CVPixelBuffer` that has one.
///
/// The buffer owns its descriptors and closes each once, when the last reference is released. It is safe to use from
/// any thread; those who share it agree on who reads and writes when. A memory file (`memfd_create`) may take the place
/// of a dma-buf.
public final class DMABuffer: Sendable {
  /// The place of a plane.
  public struct Plane: Hashable, Sendable {
    /// The file descriptor of the buffer; planes may share one.
    public var descriptor: Int32
    /// The offset of the first row in the buffer, in bytes.
    public var offset: Int
    /// The distance between rows in bytes.
    public var stride: Int

    /// Makes a place.
    public init(descriptor: Int32, offset: Int = 0, stride: Int) {
      self.descriptor = descriptor
      self.offset = offset
      self.stride = stride
    }
  }

  /// The layout of pixels in memory.
  public let format: DRMFormat
  /// The columns and rows of the picture.
  public let size: Size
  /// The tiling as a kernel constant (`DRM_FORMAT_MOD_…`); nil if the allocator did not state it.
  public let modifier: UInt64?
  /// The planes, as many as the format has.
  public let planes: [Plane]
  /// Identifies the memory, whatever descriptors refer to it.
  package let identity: Identity
  let mappings = Mutex<[MappingKey: Mapping]>([:])

  /// The modifier of rows one after the other (`DRM_FORMAT_MOD_LINEAR`).
  public static let linear: UInt64 = 0
  /// The modifier that interfaces use for an unknown tiling (`DRM_FORMAT_MOD_INVALID`).
  static let unknownModifier: UInt64 = 0x00ff_ffff_ffff_ffff

  /// Takes over the descriptors of `planes`, even if it throws: the caller must neither use nor close them afterwards.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if the planes do not fit the format, the size or their buffers.
  public init(adopting planes: [Plane], format: DRMFormat, size: Size, modifier: UInt64? = nil) throws(SafelightError) {
    self.format = format
    self.size = size
    self.modifier = modifier
    self.planes = planes
    identity = Identity(planes, format: format, size: size, modifier: modifier)
    // All properties are set, so `deinit` runs if this throws.
    try check()
  }

  /// Shares the buffers of `planes` through duplicates of their descriptors (`F_DUPFD_CLOEXEC`); the caller keeps its
  /// own.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` if a descriptor cannot be duplicated, `input` as in
  ///   ``init(adopting:format:size:modifier:)``.
  public convenience init(
    sharing planes: [Plane], format: DRMFormat, size: Size, modifier: UInt64? = nil
  ) throws(SafelightError) {
    var copies: [Int32: Int32] = [:]
    for descriptor in Set(planes.map(\.descriptor)) {
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      guard copy >= 0 else {
        let reason = unsafe String(cString: strerror(errno))
        for copy in copies.values { close(copy) }
        throw SafelightError(
          .environment, "dma-buf", why: "descriptor \(descriptor) cannot be duplicated: \(reason)",
          remedy: "pass open descriptors, and raise the limit on open files (ulimit -n) if it is reached")
      }
      copies[descriptor] = copy
    }
    let owned = planes.map { Plane(descriptor: copies[$0.descriptor] ?? -1, offset: $0.offset, stride: $0.stride) }
    try self.init(adopting: owned, format: format, size: size, modifier: modifier)
  }

  deinit {
    mappings.withLock { for mapping in $0.values { unsafe munmap(mapping.base, mapping.length) } }
    for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
  }

  /// The descriptors that the buffer owns, each once.
  package var descriptors: Set<Int32> { Set(planes.map(\.descriptor)) }

  /// True if rows lie one after the other, as far as is known.
  public var isLinear: Bool { modifier == nil || modifier == Self.linear }

  private func check() throws(SafelightError) {
    guard !size.isEmpty else { throw malformed("a picture of \(size) has no pixels") }
    try format.checkExtent(of: size)
    guard planes.count == format.planeCount else {
      throw malformed("\(format) has \(format.planeCount) planes, \(planes.count) were given")
    }
    for (index, plane) in planes.enumerated() {
      let (_, row) = format.extent(ofPlane: index, in: size)
      guard plane.offset >= 0, plane.stride >= row else {
        throw malformed(
          "plane \(index) begins at byte \(plane.offset) with rows of \(plane.stride) bytes; a row of "
            + "\(format.size(ofPlane: index, in: size).width) pixels takes \(row)")
      }
      // EGL's attributes are signed 32-bit integers.
      guard plane.offset <= Int(Int32.max), plane.stride <= Int(Int32.max) else {
        throw malformed(
          "plane \(index) begins at byte \(plane.offset) with rows of \(plane.stride) bytes, beyond 32 bits")
      }
      // Tiled memory needs more, but only its allocator knows how much.
      try checkEnd(ofPlane: index)
    }
  }

  /// Returns the end of a plane in its buffer; cannot overflow, as ``check()`` limits each part to 32 bits.
  func end(ofPlane index: Int) -> Int {
    let (rows, row) = format.extent(ofPlane: index, in: size)
    return planes[index].offset + planes[index].stride * (rows - 1) + row
  }

  /// Throws an error of kind `input` if a plane reaches beyond its buffer.
  func checkEnd(ofPlane index: Int) throws(SafelightError) {
    let (descriptor, needed) = (planes[index].descriptor, end(ofPlane: index))
    let given = lseek(descriptor, 0, SEEK_END)
    guard given >= 0 else { throw malformed("descriptor \(descriptor): \(unsafe String(cString: strerror(errno)))") }
    guard given >= needed else { throw malformed("plane \(index) ends at byte \(needed) of a buffer of \(given)") }
  }

  private func malformed(_ why: String) -> SafelightError {
    SafelightError(
      .input, "dma-buf of \(size) \(format)", why: why,
      remedy: "pass the descriptor, offset and stride that the buffer's producer states for each plane")
  }
}

extension DMABuffer {
  /// Identifies memory and the layout of the picture in it: equal if the descriptors of two buffers refer to the same
  /// place.
  package struct Identity: Hashable, Sendable {
    /// The device and inode numbers of each plane's file.
    private let files: [[UInt64]?]
    private let offsets: [Int]
    private let strides: [Int]
    private let format: DRMFormat
    private let size: Size
    private let modifier: UInt64?
    /// Distinguishes buffers whose files have no unique numbers.
    private let number: Int?

    private static let next = Atomic<Int>(0)

    init(_ planes: [Plane], format: DRMFormat, size: Size, modifier: UInt64?) {
      self.format = format
      self.size = size
      self.modifier = modifier
      offsets = planes.map(\.offset)
      strides = planes.map(\.stride)
      files = planes.map { Self.file($0.descriptor) }
      number = files.contains(nil) ? Self.next.wrappingAdd(1, ordering: .relaxed).oldValue : nil
    }

    /// Returns a file's device and inode numbers; nil if they may not be unique, as those of dma-bufs before Linux 5.3.
    private static func file(_ descriptor: Int32) -> [UInt64]? {
      var system = statfs()
      var status = stat()
      guard unsafe fstatfs(descriptor, &system) == 0, unsafe fstat(descriptor, &status) == 0 else { return nil }
      // DMA_BUF_MAGIC, TMPFS_MAGIC (linux/magic.h).
      guard [0x444d_4142, 0x0102_1994].contains(Int(system.f_type)) else { return nil }
      return [UInt64(status.st_dev), UInt64(status.st_ino)]
    }
  }
}

extension DMABuffer: SharedFrameMemory {
  /// The layout of frames with this format; nil for a plane of chroma alone.
  public var layout: PixelLayout? {
    switch format {
    case .r8: .gray8
    case .gr88: nil
    case .argb8888, .xrgb8888: .bgra8
    case .abgr8888, .xbgr8888: .rgba8
    case .nv12: .yCbCr420BiPlanar8
    }
  }

  /// Returns a copy of a plane, rows without padding; fourth bytes without a meaning become opaque.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` as ``contents(ofPlane:)`` does.
  public func copy(ofPlane index: Int) throws(SafelightError) -> PixelPlane {
    var bytes = try contents(ofPlane: index)
    if format.isOpaque {
      for alpha in stride(from: 3, to: bytes.count, by: 4) { bytes[alpha] = 255 }
    }
    return PixelPlane(
      size: format.size(ofPlane: index, in: size), pixelFormat: format.pixelFormat(ofPlane: index), bytes: bytes)
  }
}

/// The layout of a shared buffer's pixels in memory, by the kernel's codes (drm_fourcc.h).
///
/// The kernel names channels from the highest bit of a little-endian word down: `argb8888` is blue, green, red, alpha
/// in memory.
public enum DRMFormat: UInt32, Sendable, CaseIterable, CustomStringConvertible {
  /// One byte: gray, or a luma plane.
  case r8 = 0x2020_3852
  /// Two bytes: a chroma plane, blue difference first.
  case gr88 = 0x3838_5247
  /// Blue, green, red, alpha.
  case argb8888 = 0x3432_5241
  /// Blue, green, red and an unused byte: opaque.
  case xrgb8888 = 0x3432_5258
  /// Red, green, blue, alpha.
  case abgr8888 = 0x3432_4241
  /// Red, green, blue and an unused byte: opaque.
  case xbgr8888 = 0x3432_4258
  /// Two planes: luma, then chroma of half the width and height, blue difference first.
  case nv12 = 0x3231_564e

  /// The number of planes: 1 or 2.
  public var planeCount: Int { self == .nv12 ? 2 : 1 }

  /// Returns the format of a plane by itself; traps if there is no such plane.
  public func plane(_ index: Int) -> DRMFormat {
    trap(unless: index >= 0 && index < planeCount, "\(self) has planes 0 to \(planeCount - 1), not \(index)")
    return self == .nv12 ? index == 0 ? .r8 : .gr88 : self
  }

  /// Returns the columns and rows of a plane of a picture of `size`; chroma of odd sizes is rounded up.
  public func size(ofPlane index: Int, in size: Size) -> Size {
    self == .nv12 && index == 1 ? size.dividedCovering(Size(2, 2)) : size
  }

  /// Returns the number of rows of a plane and the bytes of one without padding.
  func extent(ofPlane index: Int, in size: Size) -> (rows: Int, row: Int) {
    let extent = self.size(ofPlane: index, in: size)
    return (extent.height, extent.width * pixelFormat(ofPlane: index).bytesPerPixel)
  }

  /// Throws an error of kind `input` if `size` exceeds the signed 32-bit numbers of the interfaces to shared memory.
  func checkExtent(of size: Size) throws(SafelightError) {
    let limit = Int(Int32.max)
    // Pixels have at most 4 bytes; the product of two such numbers does not overflow.
    try ensure(
      size.width <= limit / 4 && size.height <= limit, .input, "dma-buf of \(size) \(self)",
      why: "it has more columns or rows than EGL and the Linux kernel can count",
      remedy: "share pictures of at most \(limit / 4) columns and \(limit) rows, in tiles")
  }

  /// Returns the texture format of a plane, in the order of channels in the buffer.
  public func pixelFormat(ofPlane index: Int) -> PixelFormat {
    switch plane(index) {
    case .r8, .nv12: .r8Unorm
    case .gr88: .rg8Unorm
    case .argb8888, .xrgb8888: .bgra8Unorm
    case .abgr8888, .xbgr8888: .rgba8Unorm
    }
  }

  /// True if the fourth byte of a pixel is unused and read as opaque.
  public var isOpaque: Bool { self == .xrgb8888 || self == .xbgr8888 }

  /// The characters of the code, such as `AR24` or `R8`.
  public var description: String {
    let characters = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }
    return String(decoding: characters.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
  }
}
