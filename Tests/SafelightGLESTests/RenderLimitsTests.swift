import SafelightGLES
import Testing

@Suite struct RenderLimitsTests {
  /// Tables 20.40 to 20.47 of the OpenGL ES 3.1 specification.
  @Test func minimumsAreThoseOfTheSpecification() {
    let minimum = RenderLimits.minimum
    #expect(minimum.colorAttachments == 4)
    #expect(minimum.vertexStorageBuffers == 0)
    #expect(minimum.fragmentStorageBuffers == 0)
    #expect(minimum.integerSamples == 1)
    #expect(Capabilities.minimum.render == minimum)
  }

  /// More than the specification asks of textures; see ``RenderLimits/minimum``.
  @Test func theMinimumHasFourSamples() {
    #expect(RenderLimits.minimum.samples == 4)
    #expect(RenderLimits.minimum.depthSamples == 4)
  }

  @Test(
    arguments: [
      \RenderLimits.colorAttachments, \.vertexStorageBuffers, \.fragmentStorageBuffers, \.samples,
      \.depthSamples, \.integerSamples,
    ] as [any WritableKeyPath<RenderLimits, Int> & Sendable])
  func clampingTakesTheLesserOfEachField(_ field: any WritableKeyPath<RenderLimits, Int> & Sendable) {
    var large = Capabilities.minimum
    large.render[keyPath: field] += 1000
    #expect(large.clamped(to: .minimum) == .minimum)
    #expect(Capabilities.minimum.clamped(to: large) == .minimum)
  }

  @Test func mesaHasEightSubpixelBitsWhateverItTells() {
    #expect(RenderLimits.subpixelBits(told: 4, driver: "OpenGL ES 3.2 Mesa 22.3.6") == 8)
    #expect(RenderLimits.subpixelBits(told: 4, driver: "OpenGL ES 3.1 (ANGLE 2.1.27295)") == 4)
    #expect(RenderLimits.subpixelBits(told: 8, driver: "OpenGL ES 3.2 NVIDIA 550.54") == 8)
  }

  @Test func layoutsOfVerticesHaveTheirLengths() {
    #expect(VertexFormat.float3.length == 12)
    #expect(VertexFormat.half2.length == 4)
    #expect(VertexFormat.uchar4Normalized.length == 4)
    #expect(VertexFormat.ushort2.length == 4)
    #expect(VertexFormat.int.length == 4)
    #expect(VertexFormat.short4Normalized.length == 8)
  }
}
