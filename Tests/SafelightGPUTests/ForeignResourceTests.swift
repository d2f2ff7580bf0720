import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// A resource of another device is refused: its contents exist only there, and would be zeros here.
@Suite struct ForeignResourceTests {
  private let (own, other): (Device, Device)

  init() throws {
    own = try Device.open(.cpu)
    other = try Device.open(.cpu)
  }

  private func run(_ record: (BlitCommandEncoder) throws -> Void) throws { try own.run { try $0.blit(record) } }

  @Test func aBufferOfAnotherDeviceIsRefusedAtTheCommit() throws {
    let (own, foreign) = (
      try own.makeBuffer(length: 4, label: "mine"), try other.makeBuffer(length: 4, label: "theirs")
    )
    expectError(
      .usage, what: .containing("'test' › 'blit' (ForeignResourceTests.swift:", "buffer 'theirs'"),
      why: .containing("a device '\(other.name)', and the command buffer to another, '\(self.own.name)'")
    ) { try run { $0.copy(from: foreign, range: 0..<4, to: own, offset: 0) } }
  }

  @Test func aTextureOfAnotherDeviceAndItsViewsAreRefused() throws {
    let foreign = try other.makeTexture(Size(2, 2), .rgba8Unorm, label: "theirs")
    let mine = try own.makeTexture(Size(2, 2), .rgba8Unorm, label: "mine")
    for texture in [foreign, foreign.makeTextureView(pixelFormat: .rgba8Unorm)] {
      expectError(what: .containing("texture 'theirs'")) { try run { $0.copy(from: texture, to: mine) } }
    }
    try run { $0.copy(from: mine, to: try own.makeTexture(Size(2, 2), .rgba8Unorm, label: "too")) }
    // Scratch memory of a kernel belongs to no device.
    try run { $0.fill(Buffer(length: 4, label: "scratch"), range: 0..<4, value: 7) }
  }
}

/// Exported storage is not reused.
@Suite struct ExportedStorageTests {
  @Test func aPoolDoesNotUseExportedStorageAgain() throws {
    let device = try Device.open(.cpu)
    let pool = device.makeResourcePool(budget: 1024)
    func use(isExported: Bool) throws {
      let texture = try pool.makeTexture(Size(4, 4), .rgba8Unorm)
      try device.blit { $0.write([UInt8](repeating: 1, count: 64), to: texture) }
      if isExported { texture.lifetime.markExported() }
    }
    func settled() throws -> ResourcePool.Statistics {
      // After all work of the device's thread that holds the texture.
      _ = device.statistics
      return pool.statistics
    }
    try use(isExported: true)
    #expect(
      try settled() == ResourcePool.Statistics(made: 1, reused: 0, usedBytes: 0, idleBytes: 0, highWaterMark: 64))
    #expect(device.statistics.textures == 0)
    try use(isExported: false)
    #expect(
      try settled() == ResourcePool.Statistics(made: 2, reused: 0, usedBytes: 0, idleBytes: 64, highWaterMark: 64))
  }
}
