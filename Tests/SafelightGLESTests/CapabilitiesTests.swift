import SafelightGLES
import Testing

@Suite struct CapabilitiesTests {
  /// Tables 20.40 to 20.47 of the OpenGL ES 3.1 specification.
  @Test func minimumsAreThoseOfTheSpecification() {
    let minimum = Capabilities.minimum
    #expect(minimum.maximumTextureSize == 2048)
    #expect(minimum.maximumThreadsPerThreadgroup == 128)
    #expect(minimum.maximumThreadgroupWidth == 128)
    #expect(minimum.maximumThreadgroupHeight == 128)
    #expect(minimum.maximumThreadgroupMemoryLength == 16 * 1024)
    #expect(minimum.maximumStorageBuffers == 4)
    #expect(minimum.maximumStorageTextures == 4)
    #expect(minimum.maximumBufferLength == 128 * 1024 * 1024)
    #expect(minimum.maximumUniformLength == 16 * 1024)
  }

  @Test(arguments: Self.fields)
  func clampingTakesTheLesserOfEachField(_ field: any WritableKeyPath<Capabilities, Int> & Sendable) {
    var large = Capabilities.minimum
    large[keyPath: field] += 1000
    #expect(large.clamped(to: .minimum) == .minimum)
    #expect(Capabilities.minimum.clamped(to: large) == .minimum)
    var small = Capabilities.minimum
    small[keyPath: field] = 1
    #expect(Capabilities.minimum.clamped(to: small) == small)
  }

  static let fields: [any WritableKeyPath<Capabilities, Int> & Sendable] = [
    \.maximumTextureSize, \.maximumThreadsPerThreadgroup, \.maximumThreadgroupWidth, \.maximumThreadgroupHeight,
    \.maximumThreadgroupMemoryLength, \.maximumStorageBuffers, \.maximumStorageTextures, \.maximumBufferLength,
    \.maximumUniformLength,
  ]
}
