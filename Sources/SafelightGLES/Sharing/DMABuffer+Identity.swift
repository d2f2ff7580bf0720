internal import CGBM
internal import Glibc
internal import SafelightImage
internal import Synchronization

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
