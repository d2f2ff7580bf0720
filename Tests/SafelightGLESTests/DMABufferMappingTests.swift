import Glibc
import SafelightGLES
import SafelightImage
import TestSupport
import Testing

/// Shared memory among the addresses of this process, on plain memory.
@Suite struct DMABufferMappingTests {
  typealias Plane = DMABuffer.Plane

  @Test func memoryThatShrankIsNotTouched() throws {
    let descriptor = try MemoryFile.make(length: 64, value: 3)
    let buffer = try DMABuffer(adopting: [Plane(descriptor: descriptor, stride: 8)], format: .r8, size: Size(6, 4))
    #expect(try buffer.contents() == [UInt8](repeating: 3, count: 24))
    try MemoryFile.setLength(20, of: descriptor)
    for failure in [{ _ = try buffer.contents() }, { try buffer.replace(with: [UInt8](repeating: 0, count: 24)) }] {
      let error = #expect(throws: SafelightError.self, performing: failure)
      #expect(error?.why == "plane 0 ends at byte 30 of a buffer of 20")
    }
    try MemoryFile.setLength(64, of: descriptor)
    #expect(try buffer.contents().prefix(14) == [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3])
  }

  /// The same memory by other descriptors is the same; another picture in it, or other memory, is not.
  @Test func memoryIsKnownByItsFile() throws {
    let (first, second) = (try MemoryFile.make(length: 256), try MemoryFile.make(length: 256))
    defer { for descriptor in [first, second] { close(descriptor) } }
    func identity(
      _ descriptor: Int32, offset: Int = 0, stride: Int = 16, _ format: DRMFormat = .r8, _ size: Size = Size(6, 4),
      modifier: UInt64? = nil
    ) throws -> DMABuffer.Identity {
      let planes = [Plane(descriptor: descriptor, offset: offset, stride: stride)]
      return try DMABuffer(sharing: planes, format: format, size: size, modifier: modifier).identity
    }
    let known = try identity(first)
    #expect(try identity(first) == known)
    for other in [
      try identity(second), try identity(first, offset: 1), try identity(first, stride: 17), try identity(first, .gr88),
      try identity(first, .r8, Size(6, 3)), try identity(first, modifier: 0),
    ] { #expect(other != known) }
  }

  /// Mapped once, however often it is read and written.
  @Test func addressesAreGivenBack() throws {
    let descriptor = try MemoryFile.make(length: 64)
    let name = try #require(MemoryFile.path(of: descriptor))
    func mappings() throws -> Int {
      try #require(MemoryFile.text("/proc/self/maps")).split(separator: "\n").filter { $0.contains(name) }.count
    }
    do {
      let buffer = try DMABuffer(adopting: [Plane(descriptor: descriptor, stride: 8)], format: .r8, size: Size(6, 4))
      for number in 0..<100 {
        try buffer.replace(with: [UInt8](repeating: UInt8(number), count: 24))
        #expect(try buffer.contents().first == UInt8(number))
      }
      #expect(try mappings() == 2)
    }
    #expect(try mappings() == 0)
  }
}
