internal import CGBM
internal import Glibc
public import SafelightImage
internal import Synchronization

/// Memory that devices and drivers share by file descriptors, with the layout of the picture in it: the counterpart of an `IOSurface`
/// or of a `CVPixelBuffer` that has one.
///
/// It owns its descriptors: each is closed once, with the last reference. Safe to use from any thread; who may read and write when is
/// up to those who share it. A file in memory (`memfd_create`) may stand for it.
public final class DMABuffer: Sendable {
  /// Where a plane lies.
  public struct Plane: Hashable, Sendable {
    /// The buffer; planes may lie in the same one.
    public var descriptor: Int32
    /// Bytes from the beginning of the buffer to the first row.
    public var offset: Int
    /// Bytes from one row to the next.
    public var stride: Int

    /// Names a place.
    public init(descriptor: Int32, offset: Int = 0, stride: Int) {
      self.descriptor = descriptor
      self.offset = offset
      self.stride = stride
    }
  }

  /// How pixels lie in memory.
  public let format: DRMFormat
  /// Columns and rows of the picture.
  public let size: Size
  /// The tiling, by the kernel's numbers (`DRM_FORMAT_MOD_…`); nil where whoever made it does not say.
  public let modifier: UInt64?
  /// The planes, as many as the format has.
  public let planes: [Plane]
  /// Which memory it is, whatever descriptors lead there.
  package let identity: Identity
  let mappings = Mutex<[MappingKey: Mapping]>([:])

  /// Rows one after the other (`DRM_FORMAT_MOD_LINEAR`).
  public static let linear: UInt64 = 0
  /// `DRM_FORMAT_MOD_INVALID`: what interfaces that must give a number say where they know none.
  static let unknownModifier: UInt64 = 0x00ff_ffff_ffff_ffff

  /// Takes the descriptors of `planes` over, also where it throws: the caller must neither use nor close them afterwards.
  ///
  /// Throws ``SafelightError/Kind/input`` where the planes do not fit the format, the size or their buffers.
  public init(
    adopting planes: [Plane], format: DRMFormat, size: Size, modifier: UInt64? = nil
  ) throws(SafelightError) {
    self.format = format
    self.size = size
    self.modifier = modifier
    self.planes = planes
    identity = Identity(planes, format: format, size: size, modifier: modifier)
    // All properties are set: from here on `deinit` runs where this throws.
    try check()
  }

  /// Shares the buffers of `planes` by descriptors of its own (`fcntl` with `F_DUPFD_CLOEXEC`); the caller keeps theirs.
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
          remedy: "hand over open descriptors, and raise the limit on open files (ulimit -n) where it is reached")
      }
      copies[descriptor] = copy
    }
    let owned = planes.map {
      Plane(descriptor: copies[$0.descriptor] ?? -1, offset: $0.offset, stride: $0.stride)
    }
    try self.init(adopting: owned, format: format, size: size, modifier: modifier)
  }

  deinit {
    unmap()
    for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
  }

  /// What it owns: each once, however many planes lie in it.
  package var descriptors: Set<Int32> { Set(planes.map(\.descriptor)) }

  /// Whether rows lie one after the other, as far as anybody says.
  public var isLinear: Bool { modifier == nil || modifier == Self.linear }

  private func check() throws(SafelightError) {
    guard !size.isEmpty else { throw malformed("a picture of \(size) has no pixels") }
    try format.checkExtent(of: size)
    guard planes.count == format.planeCount else {
      throw malformed("\(format) has \(format.planeCount) planes, \(planes.count) were given")
    }
    for (index, plane) in planes.enumerated() {
      let (_, row) = extent(ofPlane: index)
      guard plane.offset >= 0, plane.stride >= row else {
        throw malformed(
          "plane \(index) begins at byte \(plane.offset) with rows of \(plane.stride) bytes; a row of "
            + "\(format.size(ofPlane: index, in: size).width) pixels takes \(row)")
      }
      // EGL's attributes have 32 bits with a sign.
      guard plane.offset <= Int(Int32.max), plane.stride <= Int(Int32.max) else {
        throw malformed(
          "plane \(index) begins at byte \(plane.offset) with rows of \(plane.stride) bytes, beyond 32 bits")
      }
      // Tiles need more than this; their makers alone know how much.
      try checkEnd(ofPlane: index)
    }
  }

  /// Rows of a plane, and the bytes of one without its padding.
  func extent(ofPlane index: Int) -> (rows: Int, row: Int) {
    let extent = format.size(ofPlane: index, in: size)
    return (extent.height, extent.width * format.pixelFormat(ofPlane: index).bytesPerPixel)
  }

  /// The byte of the buffer after a plane's last; without overflow, as ``check()`` holds each part within 32 bits.
  func end(ofPlane index: Int) -> Int {
    let (rows, row) = extent(ofPlane: index)
    return planes[index].offset + planes[index].stride * (rows - 1) + row
  }

  /// Throws where a plane reaches beyond its buffer.
  func checkEnd(ofPlane index: Int) throws(SafelightError) {
    let (needed, given) = (end(ofPlane: index), try length(of: planes[index]))
    guard given >= needed else { throw malformed("plane \(index) ends at byte \(needed) of a buffer of \(given)") }
  }

  /// Bytes of the buffer that a plane lies in.
  func length(of plane: Plane) throws(SafelightError) -> Int {
    let length = lseek(plane.descriptor, 0, SEEK_END)
    guard length >= 0 else {
      throw malformed("descriptor \(plane.descriptor): \(unsafe String(cString: strerror(errno)))")
    }
    return length
  }

  private func malformed(_ why: String) -> SafelightError {
    SafelightError(
      .input, "dma-buf of \(size) \(format)", why: why,
      remedy: "give each plane its descriptor, offset and stride as its maker states them")
  }
}

extension DMABuffer {
  /// Which memory, and how a picture lies in it: equal for two buffers whose descriptors lead to the same place.
  package struct Identity: Hashable, Sendable {
    private struct Place: Hashable {
      let device: UInt64
      let file: UInt64
      let offset: Int
      let stride: Int
    }

    private let places: [Place]
    private let format: DRMFormat
    private let size: Size
    private let modifier: UInt64?
    /// Tells those apart whose files have no numbers of their own.
    private let number: Int?

    private static let next = Atomic<Int>(0)

    init(_ planes: [Plane], format: DRMFormat, size: Size, modifier: UInt64?) {
      self.format = format
      self.size = size
      self.modifier = modifier
      let files = planes.map { Self.file($0.descriptor) }
      places = zip(planes, files).map { plane, file in
        Place(device: file?.device ?? 0, file: file?.number ?? 0, offset: plane.offset, stride: plane.stride)
      }
      number = files.contains { $0 == nil } ? Self.next.wrappingAdd(1, ordering: .relaxed).oldValue : nil
    }

    /// The numbers of the file behind a descriptor; nil where others may have the same, as dma-bufs had before Linux 5.3.
    private static func file(_ descriptor: Int32) -> (device: UInt64, number: UInt64)? {
      var system = statfs()
      var status = stat()
      guard unsafe fstatfs(descriptor, &system) == 0, unsafe fstat(descriptor, &status) == 0 else { return nil }
      // DMA_BUF_MAGIC, TMPFS_MAGIC (linux/magic.h).
      guard [0x444d_4142, 0x0102_1994].contains(Int(system.f_type)) else { return nil }
      return (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }
}

/// Frames that decoders and cameras leave in their own memory.
extension DMABuffer: SharedFrameMemory {
  /// The layout that frames have of the format; nil for a plane of chroma alone.
  public var layout: PixelLayout? {
    switch format {
    case .r8: .gray8
    case .gr88: nil
    case .argb8888, .xrgb8888: .bgra8
    case .abgr8888, .xbgr8888: .rgba8
    case .nv12: .yCbCr420BiPlanar8
    }
  }

  /// Copies a plane out without padding, opaque where the fourth byte means nothing.
  public func copy(ofPlane index: Int) throws(SafelightError) -> PixelPlane {
    var bytes = try contents(ofPlane: index)
    if format.isOpaque {
      for alpha in stride(from: 3, to: bytes.count, by: 4) { bytes[alpha] = 255 }
    }
    return PixelPlane(
      size: format.size(ofPlane: index, in: size), pixelFormat: format.pixelFormat(ofPlane: index), bytes: bytes)
  }
}

/// How the pixels of a shared buffer lie in memory, by the kernel's codes (drm_fourcc.h).
///
/// The kernel names channels from the highest bit of a little-endian word down: `argb8888` is blue, green, red, alpha in memory.
public enum DRMFormat: UInt32, Sendable, CaseIterable, CustomStringConvertible {
  /// One byte: grey, or a luma plane.
  case r8 = 0x2020_3852
  /// Two bytes: a chroma plane, blue difference first.
  case gr88 = 0x3838_5247
  /// Blue, green, red, alpha.
  case argb8888 = 0x3432_5241
  /// Blue, green, red and a byte that means nothing: opaque.
  case xrgb8888 = 0x3432_5258
  /// Red, green, blue, alpha.
  case abgr8888 = 0x3432_4241
  /// Red, green, blue and a byte that means nothing: opaque.
  case xbgr8888 = 0x3432_4258
  /// Two planes: luma, then chroma of half the width and height, blue difference first.
  case nv12 = 0x3231_564e

  /// The number of planes: 1 or 2.
  public var planeCount: Int { self == .nv12 ? 2 : 1 }

  /// The format of a plane by itself; a format of one plane is its own.
  public func plane(_ index: Int) -> DRMFormat {
    trap(unless: index >= 0 && index < planeCount, "\(self) has planes 0 to \(planeCount - 1), not \(index)")
    return self == .nv12 ? index == 0 ? .r8 : .gr88 : self
  }

  /// Columns and rows of a plane of a picture of `size`; an odd picture's chroma covers its edge.
  public func size(ofPlane index: Int, in size: Size) -> Size {
    self == .nv12 && index == 1 ? size.dividedCovering(Size(2, 2)) : size
  }

  /// Throws where a picture of `size` is beyond what the interfaces to shared memory count: 32 bits with a sign.
  func checkExtent(of size: Size) throws(SafelightError) {
    let limit = Int(Int32.max)
    // The widest pixel takes 4 bytes; a product of two such numbers does not overflow.
    guard size.width <= limit / 4, size.height <= limit else {
      throw SafelightError(
        .input, "dma-buf of \(size) \(self)", why: "its columns or rows are beyond what EGL and the kernel count",
        remedy: "share pictures of at most \(limit / 4) columns and \(limit) rows, in tiles")
    }
  }

  /// How a texture holds a pixel of a plane, in the order in which it lies in the buffer.
  public func pixelFormat(ofPlane index: Int) -> PixelFormat {
    switch plane(index) {
    case .r8, .nv12: .r8Unorm
    case .gr88: .rg8Unorm
    case .argb8888, .xrgb8888: .bgra8Unorm
    case .abgr8888, .xbgr8888: .rgba8Unorm
    }
  }

  /// True where the fourth byte of a pixel means nothing and is read as opaque.
  public var isOpaque: Bool { self == .xrgb8888 || self == .xbgr8888 }

  /// The characters of the code, such as `AR24` or `R8`.
  public var description: String {
    let characters = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }
    return String(decoding: characters.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
  }
}
