import SafelightGLES
import Testing

/// Values are those of the EGL registry, written out, as the code under test uses its header.
@Suite struct ContextRequestTests {
  private static let version: Set<Substring> = ["EGL_KHR_create_context"]
  private static let all: Set<Substring> = ["EGL_KHR_create_context", "EGL_EXT_create_context_robustness"]

  @Test func everythingIsTriedFromTheBestDown() {
    let ladder = ContextRequest.ladder(extensions: Self.all, isDebugging: true)
    #expect(
      ladder.map { [$0.isDebugging ? 1 : 0, $0.isRobust ? 1 : 0, $0.minor] } == [
        [1, 1, 2], [1, 1, 1], [1, 0, 2], [1, 0, 1], [0, 1, 2], [0, 1, 1], [0, 0, 2], [0, 0, 1],
      ])
  }

  @Test func nothingIsAskedThatTheDisplayDoesNotOffer() {
    #expect(ContextRequest.ladder(extensions: [], isDebugging: true).map(\.attributes) == [[0x3098, 3, 0x3038]])
    let versions = ContextRequest.ladder(extensions: Self.version, isDebugging: false)
    #expect(versions.map(\.attributes) == [[0x3098, 3, 0x30FB, 2, 0x3038], [0x3098, 3, 0x30FB, 1, 0x3038]])
    let robust = ContextRequest.ladder(extensions: ["EGL_EXT_create_context_robustness"], isDebugging: true)
    #expect(robust.map(\.minor) == [0, 0])
    #expect(robust.map(\.isRobust) == [true, false])
    #expect(robust.allSatisfy { !$0.isDebugging })
  }

  @Test func aPlainContextIsAlwaysTheLastTry() {
    for extensions in [[], Self.version, Self.all] {
      for isDebugging in [false, true] {
        let last = ContextRequest.ladder(extensions: extensions, isDebugging: isDebugging).last
        #expect(last?.isRobust == false && last?.isDebugging == false)
      }
    }
  }

  @Test func attributesOfTheFullRequest() {
    let request = ContextRequest.ladder(extensions: Self.all, isDebugging: true).first
    #expect(request?.attributes == [0x3098, 3, 0x30FB, 2, 0x30FC, 1, 0x30BF, 1, 0x3138, 0x31BF, 0x3038])
  }

  /// A GBM display of Mesa 22.3 is EGL 1.4: it rejects the EGL 1.5 names of attributes whose values changed
  /// (robustness, debugging). Other drivers reject flags of zero.
  @Test func attributesOfEGL14AloneAndNoEmptyFlags() {
    let of15: Set<Int32> = [0x31B0, 0x31B1, 0x31B2, 0x31BD]
    for request in ContextRequest.ladder(extensions: Self.all, isDebugging: true) {
      let names = stride(from: 0, to: request.attributes.count - 1, by: 2).map { request.attributes[$0] }
      #expect(of15.isDisjoint(with: names))
      #expect(names.contains(0x30FC) == request.isDebugging)
      #expect(request.attributes.last == 0x3038)
      #expect(request.attributes.count % 2 == 1)
    }
  }

  /// Priorities are requested only if supported, and given up first, as a driver may deny the context over them.
  @Test func aPriorityIsAskedForFirst() {
    let ranked = Self.version.union(["EGL_IMG_context_priority"])
    let high = ContextRequest.ladder(extensions: ranked, isDebugging: false, priority: .high).map(\.attributes)
    #expect(
      high == [
        [0x3098, 3, 0x30FB, 2, 0x3100, 0x3101, 0x3038], [0x3098, 3, 0x30FB, 1, 0x3100, 0x3101, 0x3038],
        [0x3098, 3, 0x30FB, 2, 0x3038], [0x3098, 3, 0x30FB, 1, 0x3038],
      ])
    let low = ContextRequest.ladder(extensions: ranked, isDebugging: false, priority: .low)
    #expect(low.first?.attributes == [0x3098, 3, 0x30FB, 2, 0x3100, 0x3103, 0x3038])
    let plain = ContextRequest.ladder(extensions: ranked, isDebugging: false)
    #expect(ContextRequest.ladder(extensions: ranked, isDebugging: false, priority: .medium) == plain)
    #expect(ContextRequest.ladder(extensions: Self.version, isDebugging: false, priority: .high) == plain)
    #expect(DevicePriority.allCases.allSatisfy { DevicePriority(level: $0.level) == $0 })
    #expect(DevicePriority(level: 0x3357) == .medium)
  }
}

@Suite struct CapabilitiesTests {
  typealias Field = any WritableKeyPath<Capabilities, Int> & Sendable

  /// Tables 20.40 to 20.47 of the OpenGL ES 3.1 specification, but more samples; see ``RenderLimits/minimum``.
  static let minimums: [(Field, Int)] = [
    (\.maximumTextureSize, 2048), (\.maximumThreadsPerThreadgroup, 128), (\.maximumThreadgroupWidth, 128),
    (\.maximumThreadgroupHeight, 128), (\.maximumThreadgroupMemoryLength, 16 * 1024), (\.maximumStorageBuffers, 4),
    (\.maximumStorageTextures, 4), (\.maximumBufferLength, 128 * 1024 * 1024), (\.maximumUniformLength, 16 * 1024),
    (\.render.colorAttachments, 4), (\.render.vertexStorageBuffers, 0), (\.render.fragmentStorageBuffers, 0),
    (\.render.fragmentStorageTextures, 0),
    (\.render.samples, 4), (\.render.depthSamples, 4), (\.render.integerSamples, 1),
  ]

  @Test(arguments: minimums)
  func minimumsAreThoseOfTheSpecification(_ field: Field, _ minimum: Int) {
    #expect(Capabilities.minimum[keyPath: field] == minimum)
    #expect(Capabilities.minimum.render == RenderLimits.minimum)
  }

  @Test(arguments: minimums)
  func clampingTakesTheLesserOfEachField(_ field: Field, _ minimum: Int) {
    var large = Capabilities.minimum
    large[keyPath: field] += 1000
    #expect(large.clamped(to: .minimum) == .minimum)
    #expect(Capabilities.minimum.clamped(to: large) == .minimum)
    var small = Capabilities.minimum
    small[keyPath: field] = minimum - 1
    #expect(Capabilities.minimum.clamped(to: small) == small)
  }
}

@Suite struct RenderLimitsTests {
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

@Suite struct BarrierMaskTests {
  /// GL_EXT_buffer_storage adds one bit, which is an error without it.
  @Test func bitsOfAMissingExtensionAreLeftOut() {
    #expect(BarrierMask.known(mapsBuffers: true) == .all)
    let bits = BarrierMask.known(mapsBuffers: false)
    #expect(bits.rawValue == BarrierMask.all.rawValue & ~0x4000)
    #expect(BarrierMask([.sharedMemory, .bufferUpdate]).intersection(bits) == .bufferUpdate)
  }
}
