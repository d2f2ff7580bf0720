import SafelightGPU
import SafelightImage
import TestSupport
import Testing

@Suite struct ThreadgroupMemoryDeviceTests {
  /// Reverses the order of the words of each threadgroup in threadgroup memory.
  private static let reverse = ShaderFunction(
    "reverse",
    """
    #include "Common/compute.glsl"
    layout(std430, binding = 0) buffer Words { uint words[]; };
    shared uint cache[THREADGROUP_MEMORY_LENGTH_2 / 4];
    void main() {
      uint lane = gl_LocalInvocationIndex;
      cache[lane] = words[gl_GlobalInvocationID.x];
      memoryBarrierShared();
      barrier();
      words[gl_GlobalInvocationID.x] = cache[uint(cache.length()) - 1u - lane];
    }
    """,
    twin: ShaderTwin { arguments in
      let count = min(64, max(1, (arguments.variant?.threadgroupMemoryLengths[2] ?? 0) / 4))
      arguments.buffer(0).withWords { words in
        for first in stride(from: 0, to: words.count, by: count) {
          let group = Array(words[first..<first + count])
          for (index, word) in group.enumerated() { words[first + count - 1 - index] = word }
        }
      }
    })

  private func run(_ device: Device, threads: Int, length: Int?) throws -> [UInt32] {
    let words = try device.makeBuffer(bytes: Array(UInt32(0)..<64).bytes)
    try device.dispatch(Self.reverse, Size(64, 1), group: Size(threads, 1)) {
      $0.setBuffer(words, index: 0)
      if let length { $0.setThreadgroupMemoryLength(length, index: 2) }
    }
    return try device.contents(of: words).words(UInt32.self)
  }

  @Test(arguments: TestDevice.all, [8, 16, 64])
  func theLengthIsThatOfTheDispatch(_ test: TestDevice, _ threads: Int) throws {
    let expected = (0..<64).map { UInt32($0 / threads * threads + threads - 1 - $0 % threads) }
    #expect(try run(try test.open(), threads: threads, length: threads * 4) == expected)
  }

  @Test(arguments: TestDevice.all)
  func aLengthThatWasNotSetIsRefused(_ test: TestDevice) throws {
    let device = try test.open()
    expectError(
      .usage, what: .ends("'test' › 'compute' (", "): reverse"),
      why: "the length of threadgroup memory 2 was not set", remedy: "call setThreadgroupMemoryLength(_:index: 2)"
    ) { try run(device, threads: 8, length: nil) }
  }

  @Test(arguments: TestDevice.all)
  func moreThanTheDeviceHasIsRefused(_ test: TestDevice) throws {
    let device = try test.open()
    let limit = device.capabilities.maximumThreadgroupMemoryLength
    expectError(.limit, why: "\(limit + 16) bytes of threadgroup memory exceed this device's limit of \(limit)") {
      try run(device, threads: 8, length: limit + 16)
    }
  }

  /// Declared memory counts too, also on devices clamped below the driver's limit.
  @Test func declaredMemoryIsLimited() throws {
    let function = { (count: Int) in
      ShaderFunction(
        "large",
        "#include \"Common/compute.glsl\"\nshared uvec4 cache[\(count)];\nvoid main() { cache[0] = uvec4(0u); }",
        twin: ShaderTwin { _ in })
    }
    let minimum = try TestDevice.minimum.open()
    let clamped = try TestDevice(name: "cpu").open(limits: .minimum)
    for device in [minimum, clamped] {
      let pipeline = try device.makeComputePipelineState(function(1024))
      #expect(try pipeline.staticThreadgroupMemoryLength == 16384)
      expectError(.limit, why: "16400 bytes of threadgroup memory exceed this device's limit of 16384") {
        try device.makeComputePipelineState(function(1025))
      }
    }
  }

  @Test(arguments: TestDevice.all)
  func aPipelineTellsItsLimits(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeComputePipelineState(Self.reverse)
    #expect(pipeline.maxTotalThreadsPerThreadgroup == device.capabilities.maximumThreadsPerThreadgroup)
    #expect(pipeline.threadExecutionWidth == device.capabilities.threadExecutionWidth)
    #expect(pipeline.threadExecutionWidth >= 1)
    #expect(try pipeline.staticThreadgroupMemoryLength == 0)
    #expect(ComputePipelineState(Self.reverse).maxTotalThreadsPerThreadgroup == 128)
    #expect(ComputePipelineState(Self.reverse).threadExecutionWidth == 1)
  }
}

/// Functions in which threads that run in step vote.
@Suite struct GroupVoteDeviceTests {
  /// Bit 0: any thread's threshold is reached; bit 1: every thread's is; bit 2: all agree. Threadgroups whose threads
  /// agree have one answer whatever the hardware's width; if they differ, a thread's own word decides which bits are
  /// tested.
  private static let vote = ShaderFunction(
    "vote",
    """
    #extension GL_EXT_shader_group_vote : require
    #include "Common/compute.glsl"
    layout(binding = 0) uniform highp usampler2D source;
    layout(r32ui, binding = 1) writeonly uniform highp uimage2D destination;
    void main() {
      ivec2 place = ivec2(gl_GlobalInvocationID.xy);
      bool mine = texelFetch(source, place, 0).r > 9u;
      bool some = anyInvocationEXT(mine);
      bool every = allInvocationsEXT(mine);
      bool alike = allInvocationsEqualEXT(mine) == (some == every);
      uint answer = uint(mine && some) | uint(!mine && !every) << 1u | uint(alike) << 2u;
      imageStore(destination, place, uvec4(answer));
    }
    """,
    twin: .storing(1) { arguments, x, y in
      SIMD4(arguments.texture(0).texel(x, y).x > 9 ? 5 : 6, 0, 0, 0)
    })

  @Test(arguments: TestDevice.allAndMinimumCPU)
  func threadsVoteOrAreRefused(_ test: TestDevice) throws {
    let device = try test.open()
    guard device.capabilities.features.contains(.groupVote) else {
      return expectError(
        .unsupported, why: .containing("GL_EXT_shader_group_vote"), remedy: .containing("threadgroup memory")
      ) { try device.makeComputePipelineState(Self.vote) }
    }
    // Whole threadgroups: one of 0, one of 20, one of both.
    let size = Size(24, 8)
    let values = (0..<192).map { place -> UInt32 in
      switch place % 24 {
      case 0..<8: 0
      case 8..<16: 20
      default: UInt32(place % 3 * 9)
      }
    }
    let source = try device.makeTexture(size, .r32Uint, bytes: values.bytes)
    let target = try device.makeTexture(size, .r32Uint)
    try device.dispatch(Self.vote, size) {
      $0.setTexture(source, index: 0)
      $0.setTexture(target, index: 1)
    }
    #expect(try target.getBytes().words(UInt32.self) == values.map { $0 > 9 ? UInt32(5) : 6 })
  }
}
