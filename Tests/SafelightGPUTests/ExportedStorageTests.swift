import SafelightGPU
import SafelightImage
import Testing

/// Exported storage is not reused.
@Suite struct ExportedStorageTests {
  @Test func aPoolDoesNotUseExportedStorageAgain() throws {
    let device = try Device.open(.cpu)
    let pool = device.makeResourcePool(budget: 1024)
    func use(isExported: Bool) throws {
      let texture = try pool.makeTexture(Size(4, 4), .rgba8Unorm)
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      let encoder = buffer.makeBlitCommandEncoder()
      encoder.write([UInt8](repeating: 1, count: 64), to: texture)
      encoder.endEncoding()
      buffer.commit()
      try buffer.waitUntilCompleted()
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
