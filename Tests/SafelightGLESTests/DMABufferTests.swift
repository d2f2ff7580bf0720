import Glibc
import SafelightGLES
import SafelightImage
import TestSupport
import Testing

/// Shared buffers on plain memory, which needs no device.
@Suite struct DMABufferTests {
  typealias Plane = DMABuffer.Plane

  /// Returns whether a descriptor still is its file's: numbers are reused after closing, so an open one proves nothing.
  private func isOpen(_ descriptor: Int32, _ witness: Int32) -> Bool { MemoryFile.isSame(descriptor, witness) }

  @Test func descriptorsAreClosedWithTheLastReference() throws {
    let descriptor = try MemoryFile.make(length: 64 * 6)
    let witness = dup(descriptor)
    defer { close(witness) }
    var buffer: DMABuffer? = try DMABuffer(
      adopting: [Plane(descriptor: descriptor, stride: 64), Plane(descriptor: descriptor, offset: 256, stride: 64)],
      format: .nv12, size: Size(6, 4))
    // Two planes in one buffer: one descriptor, closed once.
    #expect(buffer?.descriptors == [descriptor])
    #expect(isOpen(descriptor, witness))
    buffer = nil
    #expect(!isOpen(descriptor, witness))
  }

  @Test func adoptedDescriptorsAreClosedWhereTheyAreRefused() throws {
    let descriptor = try MemoryFile.make(length: 16)
    let witness = dup(descriptor)
    defer { close(witness) }
    #expect(throws: SafelightError.self) {
      try DMABuffer(adopting: [Plane(descriptor: descriptor, stride: 64)], format: .r8, size: Size(6, 4))
    }
    #expect(!isOpen(descriptor, witness))
  }

  @Test func sharedDescriptorsStayTheCallers() throws {
    let descriptor = try MemoryFile.make(length: 64)
    defer { close(descriptor) }
    var buffer: DMABuffer? = try DMABuffer(
      sharing: [Plane(descriptor: descriptor, stride: 16)], format: .r8, size: Size(6, 4))
    let own = try #require(buffer?.planes.first?.descriptor)
    #expect(own != descriptor)
    #expect(fcntl(own, F_GETFD) == FD_CLOEXEC)
    #expect(isOpen(own, descriptor))
    buffer = nil
    #expect(!isOpen(own, descriptor))
    #expect(lseek(descriptor, 0, SEEK_END) == 64)
  }

  @Test func rowsTravelWithoutTheirPadding() throws {
    let descriptor = try MemoryFile.make(length: 10 + 3 * 16, value: 0xA5)
    let witness = dup(descriptor)
    defer { close(witness) }
    let buffer = try DMABuffer(
      adopting: [Plane(descriptor: descriptor, offset: 10, stride: 16)], format: .gr88, size: Size(5, 3))
    let rows = (0..<30).map { UInt8($0) }
    try buffer.replace(with: rows)
    #expect(try buffer.contents() == rows)
    var expected = [UInt8](repeating: 0xA5, count: 10 + 3 * 16)
    for y in 0..<3 { expected.replaceSubrange(10 + y * 16..<20 + y * 16, with: rows[y * 10..<y * 10 + 10]) }
    #expect(try MemoryFile.bytes(witness) == expected)
  }

  @Test func planesAreReadEachFromItsPlace() throws {
    let descriptor = try MemoryFile.make(length: 8 * 3 + 8 * 2)
    let buffer = try DMABuffer(
      adopting: [Plane(descriptor: descriptor, stride: 8), Plane(descriptor: descriptor, offset: 24, stride: 8)],
      format: .nv12, size: Size(5, 3))
    try buffer.replace(plane: 0, with: [UInt8](repeating: 1, count: 15))
    try buffer.replace(plane: 1, with: [UInt8](repeating: 2, count: 12))
    #expect(try buffer.contents(ofPlane: 0) == [UInt8](repeating: 1, count: 15))
    #expect(try buffer.contents(ofPlane: 1) == [UInt8](repeating: 2, count: 12))
  }

  @Test(arguments: [
    (Size(0, 4), 16, 0, "a picture of 0×4 has no pixels"),
    (Size(20, 4), 16, 0, "plane 0 begins at byte 0 with rows of 16 bytes; a row of 20 pixels takes 20"),
    (Size(6, 4), 16, -1, "plane 0 begins at byte -1 with rows of 16 bytes; a row of 6 pixels takes 6"),
    (Size(6, 5), 16, 0, "plane 0 ends at byte 70 of a buffer of 64"),
    (Size(6, 4), 16, 11, "plane 0 ends at byte 65 of a buffer of 64"),
    (Size(6, 4), 16, 1 << 31, "plane 0 begins at byte 2147483648 with rows of 16 bytes, beyond 32 bits"),
    (Size(6, 4), 16, 1 << 32, "plane 0 begins at byte 4294967296 with rows of 16 bytes, beyond 32 bits"),
    (Size(6, 4), 16, Int.max, "plane 0 begins at byte 9223372036854775807 with rows of 16 bytes, beyond 32 bits"),
    (Size(6, 4), 1 << 31, 0, "plane 0 begins at byte 0 with rows of 2147483648 bytes, beyond 32 bits"),
    (Size(6, 4), Int.max, 0, "plane 0 begins at byte 0 with rows of 9223372036854775807 bytes, beyond 32 bits"),
    // Each within 32 bits, but not their sum.
    (Size(6, 4), Int(Int32.max), Int(Int32.max), "plane 0 ends at byte 8589934594 of a buffer of 64"),
  ])
  func planesThatDoNotFitAreRefused(_ size: Size, _ stride: Int, _ offset: Int, _ why: String) throws {
    let descriptor = try MemoryFile.make(length: 64)
    expectError(.input, why: .whole(why), remedy: .containing("offset and stride")) {
      try DMABuffer(adopting: [Plane(descriptor: descriptor, offset: offset, stride: stride)], format: .r8, size: size)
    }
  }

  @Test(arguments: [Size(Int.max, 1), Size(1, Int.max), Size(1 << 29, 1), Size(1, 1 << 31)], DRMFormat.allCases)
  func picturesBeyond32BitsAreRefused(_ size: Size, _ format: DRMFormat) throws {
    let planes = (0..<format.planeCount).map { _ in Plane(descriptor: -1, stride: Int.max) }
    for make in [
      { try DMABuffer(adopting: planes, format: format, size: size) }, { try DMABuffer(hostMemoryFor: size, format) },
      { try DMABuffer(allocating: size, format, onNode: "/dev/null") },
    ] {
      expectError(
        .input, why: "it has more columns or rows than EGL and the Linux kernel can count",
        remedy: .containing("in tiles"), make)
    }
  }

  /// Open descriptors without memory to share.
  @Test func otherDescriptorsAreRefused() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { close(ends[1]) }
    expectError(.input, why: .containing("Illegal seek")) {
      try DMABuffer(adopting: [Plane(descriptor: ends[0], stride: 8)], format: .r8, size: Size(6, 4))
    }
    expectError(why: "plane 0 ends at byte 30 of a buffer of 0") {
      let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
      return try DMABuffer(adopting: [Plane(descriptor: nothing, stride: 8)], format: .r8, size: Size(6, 4))
    }
    // A folder has a length but no memory.
    let fromFolder = #expect(throws: SafelightError.self) {
      let folder = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      return try DMABuffer(adopting: [Plane(descriptor: folder, stride: 1)], format: .r8, size: Size(1, 1)).contents()
    }
    #expect(fromFolder != nil)
  }

  @Test func asManyPlanesAsTheFormatHas() throws {
    let descriptor = try MemoryFile.make(length: 64)
    expectError(why: "NV12 has 2 planes, 1 were given") {
      try DMABuffer(adopting: [Plane(descriptor: descriptor, stride: 8)], format: .nv12, size: Size(6, 4))
    }
  }

  @Test func whatIsNoDescriptorIsRefused() throws {
    let planes = [Plane(descriptor: 1_000_000, stride: 8)]
    let reason = Wording.containing("Bad file descriptor")
    expectError(why: reason) { try DMABuffer(adopting: planes, format: .r8, size: Size(6, 4)) }
    expectError(why: reason) { try DMABuffer(sharing: planes, format: .r8, size: Size(6, 4)) }
  }

  @Test(arguments: DRMFormat.allCases)
  func hostMemoryIsZeroAndLaidOutForDevices(_ format: DRMFormat) throws {
    let size = Size(71, 5)
    let buffer = try DMABuffer(hostMemoryFor: size, format)
    #expect(buffer.isLinear)
    #expect(buffer.descriptors.count == 1)
    for (index, plane) in buffer.planes.enumerated() {
      let extent = format.size(ofPlane: index, in: size)
      let row = extent.width * format.pixelFormat(ofPlane: index).bytesPerPixel
      #expect(plane.stride % 256 == 0 && plane.stride >= row && plane.stride < row + 256)
      #expect(plane.offset % 4096 == 0)
      #expect(try buffer.contents(ofPlane: index) == [UInt8](repeating: 0, count: row * extent.height))
      try buffer.replace(plane: index, with: [UInt8](repeating: UInt8(index + 1), count: row * extent.height))
    }
    for index in 0..<format.planeCount { #expect(try buffer.contents(ofPlane: index).allSatisfy { $0 == index + 1 }) }
  }

  @Test func tiledMemoryIsNotReadAsRows() throws {
    let descriptor = try MemoryFile.make(length: 64)
    let buffer = try DMABuffer(
      adopting: [Plane(descriptor: descriptor, stride: 8)], format: .r8, size: Size(6, 4),
      modifier: 0x0100_0000_0000_0001)
    expectError(.unsupported, why: .containing("0x100000000000001"), remedy: .containing("DRM_FORMAT_MOD_LINEAR")) {
      try buffer.contents()
    }
  }

  @Test func memoryThatMayOnlyBeReadIsNotWritten() throws {
    let descriptor = try MemoryFile.make(length: 64, value: 7)
    let readable = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
    close(descriptor)
    let buffer = try DMABuffer(adopting: [Plane(descriptor: readable, stride: 8)], format: .r8, size: Size(6, 4))
    #expect(try buffer.contents() == [UInt8](repeating: 7, count: 24))
    expectError(.unsupported, why: "it cannot be mapped for write: Permission denied") {
      try buffer.replace(with: [UInt8](repeating: 0, count: 24))
    }
  }
}

/// Mappings of shared buffers, on plain memory.
@Suite struct DMABufferMappingTests {
  typealias Plane = DMABuffer.Plane

  @Test func memoryThatShrankIsNotTouched() throws {
    let descriptor = try MemoryFile.make(length: 64, value: 3)
    let buffer = try DMABuffer(adopting: [Plane(descriptor: descriptor, stride: 8)], format: .r8, size: Size(6, 4))
    #expect(try buffer.contents() == [UInt8](repeating: 3, count: 24))
    try MemoryFile.setLength(20, of: descriptor)
    for access in [{ _ = try buffer.contents() }, { try buffer.replace(with: [UInt8](repeating: 0, count: 24)) }] {
      expectError(why: "plane 0 ends at byte 30 of a buffer of 20", access)
    }
    try MemoryFile.setLength(64, of: descriptor)
    #expect(try buffer.contents().prefix(14) == [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3])
  }

  /// Other descriptors of the same memory have the same identity; another picture in it, or other memory, has not.
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

  /// The memory is mapped once, however often it is read and written.
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

@Suite struct DRMFormatTests {
  /// The kernel's codes, from the characters in drm_fourcc.h.
  @Test(arguments: [
    (DRMFormat.r8, "R8  ", PixelFormat.r8Unorm), (.gr88, "GR88", .rg8Unorm), (.argb8888, "AR24", .bgra8Unorm),
    (.xrgb8888, "XR24", .bgra8Unorm), (.abgr8888, "AB24", .rgba8Unorm), (.xbgr8888, "XB24", .rgba8Unorm),
  ])
  func codesAndPixelFormats(_ format: DRMFormat, _ characters: String, _ pixelFormat: PixelFormat) {
    #expect(format.rawValue == Array(characters.utf8).reversed().reduce(0) { $0 << 8 | UInt32($1) })
    #expect(format.description == characters.replacing(" ", with: ""))
    #expect(format.planeCount == 1)
    #expect(format.plane(0) == format)
    #expect(format.pixelFormat(ofPlane: 0) == pixelFormat)
    #expect(format.size(ofPlane: 0, in: Size(7, 5)) == Size(7, 5))
  }

  @Test func twoPlanesOfVideo() {
    let format = DRMFormat.nv12
    #expect(format.description == "NV12")
    #expect(format.planeCount == 2)
    #expect([format.plane(0), format.plane(1)] == [.r8, .gr88])
    #expect([format.pixelFormat(ofPlane: 0), format.pixelFormat(ofPlane: 1)] == [.r8Unorm, .rg8Unorm])
    #expect(format.size(ofPlane: 0, in: Size(7, 5)) == Size(7, 5))
    #expect(format.size(ofPlane: 1, in: Size(7, 5)) == Size(4, 3))
  }

  @Test func whoseFourthByteMeansNothing() { #expect(DRMFormat.allCases.filter(\.isOpaque) == [.xrgb8888, .xbgr8888]) }
}

@Suite struct GBMDeviceTests {
  @Test(arguments: [
    (EACCES, SafelightError.Kind.unsupported, "primary node"), (ENOTTY, .unsupported, "upload pictures"),
    (EINVAL, .unsupported, "upload pictures"), (ENOMEM, .environment, "free memory"),
  ])
  func aRefusalSaysWhatToDo(_ code: Int32, _ kind: SafelightError.Kind, _ remedy: String) {
    let error = GBMDevice.refused(Size(6, 4), .r8, "/dev/dri/renderD128", code: code)
    #expect(error.kind == kind)
    #expect(error.what == "GBM buffer of 6×4 R8 on /dev/dri/renderD128")
    #expect(error.remedy?.contains(remedy) == true)
  }

  @Test func aNodeThatDoesNotExistIsNamed() {
    expectError(.environment, what: "/dev/dri/card63") {
      try GBMDevice.allocate(Size(6, 4), .r8, onNode: "/dev/dri/card63")
    }
  }
}
