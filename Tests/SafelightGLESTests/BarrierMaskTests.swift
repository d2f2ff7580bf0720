import SafelightGLES
import Testing

@Suite struct BarrierMaskTests {
  /// GL_EXT_buffer_storage brings one bit, which a context without it must not be asked for.
  @Test func bitsOfAMissingExtensionAreLeftOut() {
    #expect(BarrierMask.known(mapsBuffers: true) == .all)
    let bits = BarrierMask.known(mapsBuffers: false)
    #expect(bits.rawValue == BarrierMask.all.rawValue & ~0x4000)
    #expect(BarrierMask([.sharedMemory, .bufferUpdate]).intersection(bits) == .bufferUpdate)
  }
}
