import Dispatch
import SafelightGPU
import SafelightImage
import SafelightShaders
import Synchronization
import TestSupport
import Testing

@Suite struct AsynchronousCompilationDeviceTests {
  @Test(arguments: TestDevice.onEveryPlatform)
  func aPipelineComesAndRuns(_ test: TestDevice) async throws {
    let device = try test.openAnother()
    let pipeline = try await device.makeComputePipelineState(
      ComputeFunctions.scale, threadsPerThreadgroup: Size(4, 1))
    if !device.info.isCPU { #expect(device.statistics.programs == 1) }
    let buffer = try device.makeBuffer(length: 16)
    try device.run {
      $0.compute {
        $0.setComputePipelineState(pipeline)
        $0.setBuffer(buffer, index: 0)
        $0.setBytes(SIMD4<UInt32>(1, 9, 0, 0), index: 3)
        $0.dispatchThreads(Size(4, 1), threadsPerThreadgroup: Size(4, 1))
      }
    }
    #expect(try device.contents(of: buffer).words(UInt32.self) == [9, 9, 9, 9])
    // The dispatch used the compiled program.
    if !device.info.isCPU { #expect(device.statistics.programs == 1) }
  }

  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func aRefusalIsThrown(_ test: TestDevice) async throws {
    let device = try test.open()
    let function = ShaderFunction("soften", "layout(local_size_x = 1) in;\nvoid main() { nonsense; }")
    let error = await #expect(throws: SafelightError.self) { try await device.makeComputePipelineState(function) }
    #expect(error?.what == "compute function 'soften' does not compile")
    #expect(error?.why.contains("at source:2") == true)
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func manyComeAtOnceEachOnce(_ test: TestDevice) async throws {
    let device = try test.openAnother()
    let functions = (0..<12).map { number in
      ShaderFunction(
        "f\(number)",
        """
        #include "Common/compute.glsl"
        layout(std430, binding = 0) buffer Words { uint words[]; };
        void main() { words[gl_GlobalInvocationID.x] = \(number)u; }
        """, twin: ShaderTwin { $0.buffer(0).withWords { $0[0] = UInt32(number) } })
    }
    let made = try await withThrowingTaskGroup(of: ComputePipelineState.self) { group in
      for function in functions {
        group.addTask { try await device.makeComputePipelineState(function, threadsPerThreadgroup: Size(1, 1)) }
      }
      return try await group.reduce(into: [String: ComputePipelineState]()) { $0[$1.function.name] = $1 }
    }
    #expect(made.count == 12)
    for number in 0..<12 {
      let pipeline = try #require(made["f\(number)"])
      let buffer = try device.makeBuffer(length: 4)
      try device.run {
        $0.compute {
          $0.setComputePipelineState(pipeline)
          $0.setBuffer(buffer, index: 0)
          $0.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(1, 1))
        }
      }
      #expect(try device.contents(of: buffer).words(UInt32.self) == [UInt32(number)])
    }
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func theHandlerIsCalledOnceAlsoByAClosedDevice(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let outcomes = Mutex<[Result<ComputePipelineState, SafelightError>]>([])
    let done = DispatchSemaphore(value: 0)
    let compile = {
      device.makeComputePipelineState(ComputeFunctions.scale) { outcome in
        outcomes.withLock { $0.append(outcome) }
        done.signal()
      }
    }
    compile()
    done.wait()
    #expect(throws: Never.self) { try outcomes.withLock { $0 }[0].get() }
    device.close()
    compile()
    done.wait()
    expectError(why: .containing("closed")) { try outcomes.withLock { $0 }[1].get() }
    #expect(outcomes.withLock { $0.count } == 2)
  }

  /// A device that is closed while pipelines compile completes each request.
  @Test(arguments: TestDevice.onEveryPlatform)
  func closingAnswersForEveryPipeline(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let answers = Mutex(0)
    let done = DispatchSemaphore(value: 0)
    for number in 0..<8 {
      let function = ShaderFunction(
        "f", "layout(local_size_x = 1) in;\nvoid main() { int a = \(number); }", twin: ShaderTwin { _ in })
      device.makeComputePipelineState(function) { _ in
        answers.withLock { $0 += 1 }
        done.signal()
      }
    }
    device.close()
    for _ in 0..<8 { done.wait() }
    #expect(answers.withLock { $0 } == 8)
  }

  /// Devices with the minimum limits of OpenGL ES 3.1 compile on their own thread.
  @Test(arguments: TestDevice.onEveryPlatform)
  func theMinimumHasNoThreadsOfTheDrivers(_ test: TestDevice) throws {
    #expect(try !test.open(limits: .minimum).capabilities.compilesInParallel)
  }
}
