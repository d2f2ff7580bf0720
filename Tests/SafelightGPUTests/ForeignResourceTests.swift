import SafelightGPU
import SafelightImage
import Testing

/// A resource of another device is refused: its contents exist only there, and would be zeros here.
@Suite struct ForeignResourceTests {
  private let (own, other): (Device, Device)

  init() throws {
    own = try Device.open(.cpu)
    other = try Device.open(.cpu)
  }

  private func error(_ record: (BlitCommandEncoder) throws -> Void) throws -> SafelightError? {
    let buffer = own.makeCommandQueue().makeCommandBuffer(label: "mixed")
    let encoder = buffer.makeBlitCommandEncoder(label: "copies")
    try record(encoder)
    encoder.endEncoding()
    buffer.commit()
    do throws(SafelightError) {
      try buffer.waitUntilCompleted()
      return nil
    } catch {
      return error
    }
  }

  @Test func aBufferOfAnotherDeviceIsRefusedAtTheCommit() throws {
    let (own, foreign) = (
      try own.makeBuffer(length: 4, label: "mine"), try other.makeBuffer(length: 4, label: "theirs")
    )
    let error = try #require(try error { $0.copy(from: foreign, range: 0..<4, to: own, offset: 0) })
    #expect(error.kind == .usage)
    #expect(error.what.contains("'mixed' › 'copies' (ForeignResourceTests.swift:"), "\(error)")
    #expect(error.what.contains("buffer 'theirs'"), "\(error)")
    #expect(
      error.why.contains("a device '\(other.name)', and the command buffer to another, '\(self.own.name)'"), "\(error)")
  }

  @Test func aTextureOfAnotherDeviceAndItsViewsAreRefused() throws {
    let foreign = try other.makeTexture(Size(2, 2), .rgba8Unorm, label: "theirs")
    let mine = try own.makeTexture(Size(2, 2), .rgba8Unorm, label: "mine")
    for texture in [foreign, foreign.makeTextureView(pixelFormat: .rgba8Unorm)] {
      let error = try #require(try error { $0.copy(from: texture, to: mine) })
      #expect(error.what.contains("texture 'theirs'"), "\(error)")
    }
    #expect(try error { $0.copy(from: mine, to: try own.makeTexture(Size(2, 2), .rgba8Unorm, label: "too")) } == nil)
    // Scratch memory of a kernel belongs to no device.
    #expect(try error { $0.fill(Buffer(length: 4, label: "scratch"), range: 0..<4, value: 7) } == nil)
  }
}
