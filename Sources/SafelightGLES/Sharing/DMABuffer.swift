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
