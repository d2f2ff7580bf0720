import SafelightGPU
import SafelightImage
import SafelightShaders
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
    let words = try device.makeBuffer(length: 64 * 4)
    let pipeline = try device.makeComputePipelineState(Self.reverse, threadsPerThreadgroup: Size(threads, 1))
    let start: [UInt8] = (0..<64).flatMap { number -> [UInt8] in [UInt8(number), 0, 0, 0] }
    try device.run {
      $0.blit { $0.write(start, to: words) }
      $0.compute {
        $0.setComputePipelineState(pipeline)
        $0.setBuffer(words, index: 0)
        if let length { $0.setThreadgroupMemoryLength(length, index: 2) }
        $0.dispatchThreads(Size(64, 1), threadsPerThreadgroup: Size(threads, 1))
      }
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
    let error = #expect(throws: SafelightError.self) { try run(device, threads: 8, length: nil) }
    #expect(error?.kind == .usage)
    #expect(error?.what.hasPrefix("'test' › 'compute' (") == true)
    #expect(error?.what.hasSuffix("): reverse") == true)
    #expect(error?.why == "the length of threadgroup memory 2 was not set")
    #expect(error?.remedy == "call setThreadgroupMemoryLength(_:index: 2)")
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

  @Test(arguments: [-16, 8, 17])
  func lengthsAreMultiplesOf16(_ length: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [length] in
      let encoder = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer().makeComputeCommandEncoder()
      encoder.setThreadgroupMemoryLength(length, index: 0)
      encoder.endEncoding()
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("takes a multiple of 16 bytes"))
  }
}
