import Dispatch
import Glibc
import SafelightGPU
import SafelightImage
import SafelightShaders
import Synchronization
import TestSupport
import Testing

@Suite struct CommandErrorTests {
  /// The line of ``failing(_:)`` that records the command which fails.
  private static let failingLine = #line + 3
  private func failing(_ queue: CommandQueue) -> CommandBuffer {
    let buffer = queue.makeCommandBuffer(label: "frame 17")
    buffer.dispatch(
      SwiftFunctions.pipeline("soften") { throw SwiftFunctions.Failure(description: "no more light") },
      label: "second stage")
    return buffer
  }

  @Test func theErrorNamesBufferEncoderFunctionAndCause() async throws {
    let buffer = failing(try Device.open(.cpu).makeCommandQueue())
    buffer.commit()
    let thrown = try #require(throws: SafelightError.self) { try buffer.waitUntilCompleted() }
    #expect(buffer.status == .error)
    #expect(buffer.error == thrown)
    #expect(thrown.what == "'frame 17' › 'second stage' (CommandErrorTests.swift:\(Self.failingLine)): soften")
    #expect(thrown.why.contains("no more light"))
    #expect(thrown.kind == .driver)
    await #expect(throws: thrown) { try await buffer.completed() }
  }

  @Test func anErrorOfATwinKeepsItsKindAndRemedy() throws {
    let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "b")
    let cause = SafelightError(.input, "table", why: "it is empty", remedy: "fill it")
    let line = #line + 1
    buffer.dispatch(SwiftFunctions.pipeline { throw cause }, label: "e")
    buffer.commit()
    let expected = SafelightError(
      .input, "'b' › 'e' (CommandErrorTests.swift:\(line)): table", why: "it is empty", remedy: "fill it")
    #expect(throws: expected) { try buffer.waitUntilCompleted() }
  }

  @Test func nothingAfterTheErrorRunsInItsBufferAndAllInTheNext() throws {
    let queue = try Device.open(.cpu).makeCommandQueue()
    let ran = Mutex<[String]>([])
    let bad = failing(queue)
    bad.dispatch(SwiftFunctions.pipeline { ran.withLock { $0.append("same buffer") } })
    let good = queue.makeCommandBuffer { ran.withLock { $0.append("next buffer") } }
    bad.commit()
    try good.finish()
    #expect(ran.withLock { $0 } == ["next buffer"])
    #expect(bad.status == .error)
    #expect(good.status == .completed)
    #expect(good.error == nil)
  }

  @Test func everyEncoderSaysWhatBecameOfIt() throws {
    let queue = try Device.open(.cpu).makeCommandQueue()
    let buffer = queue.makeCommandBuffer(label: "b")
    buffer.pushDebugGroup("frame")
    buffer.dispatch(SwiftFunctions.pipeline {}, label: "first")
    let encoder = buffer.makeComputeCommandEncoder(label: "second")
    encoder.setComputePipelineState(SwiftFunctions.pipeline { throw SwiftFunctions.Failure(description: "no") })
    encoder.pushDebugGroup("group")
    encoder.insertDebugSignpost("signpost")
    encoder.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(1, 1))
    encoder.popDebugGroup()
    encoder.endEncoding()
    buffer.dispatch(SwiftFunctions.pipeline {}, label: "third")
    buffer.makeBlitCommandEncoder(label: "fourth").endEncoding()
    buffer.popDebugGroup()
    #expect(buffer.encoderInfos.map(\.state) == [.unknown, .unknown, .unknown, .unknown])
    buffer.commit()
    #expect(throws: SafelightError.self) { try buffer.waitUntilCompleted() }
    #expect(buffer.encoderInfos.map(\.label) == ["first", "second", "third", "fourth"])
    #expect(buffer.encoderInfos.map(\.state) == [.completed, .faulted, .pending, .pending])
    #expect(buffer.encoderInfos.map(\.debugSignposts) == [[], ["group", "signpost"], [], []])

    let good = queue.makeCommandBuffer {}
    try good.finish()
    #expect(good.encoderInfos.map(\.state) == [.completed])
  }

  @Test func handlersOfAFailedBufferRun() throws {
    let seen = Mutex<SafelightError?>(nil)
    let buffer = failing(try Device.open(.cpu).makeCommandQueue())
    buffer.addCompletedHandler { done in seen.withLock { $0 = done.error } }
    buffer.commit()
    #expect(throws: SafelightError.self) { try buffer.waitUntilCompleted() }
    #expect(seen.withLock { $0 } == buffer.error)
    #expect(seen.withLock { $0?.what.hasPrefix("'frame 17' › 'second stage' (") } == true)
  }

  @Test func aReadbackHasContentsOnlyAfterSuccess() throws {
    let device = try Device.open(.cpu)
    let queue = device.makeCommandQueue()
    let bytes = try device.makeBuffer(length: 4)
    let gate = DispatchSemaphore(value: 0)
    let buffer = queue.makeCommandBuffer()
    let readback = buffer.blit { $0.read(bytes, range: 0..<4) }
    buffer.wait(for: gate)
    #expect(throws: SafelightError.self) { try readback.contents() }
    buffer.commit()
    expectError(.usage) { try readback.contents() }
    gate.signal()
    try buffer.waitUntilCompleted()
    #expect(try readback.contents() == [0, 0, 0, 0])

    let bad = queue.makeCommandBuffer()
    let lost = bad.blit { $0.read(bytes, range: 0..<4) }
    bad.dispatch(SwiftFunctions.pipeline { throw SwiftFunctions.Failure(description: "later") })
    bad.commit()
    #expect(throws: SafelightError.self) { try bad.waitUntilCompleted() }
    #expect(throws: SafelightError.self) { try lost.contents() }
  }

  @Test func aFunctionWithoutTwinIsUnsupported() throws {
    let device = try Device.open(.cpu)
    let function = ShaderFunction("gpuOnly", "void main() {}", arguments: [])
    let compute = try #require(throws: SafelightError.self) { try device.makeComputePipelineState(function) }
    #expect(compute.kind == .unsupported)
    #expect(compute.what == "gpuOnly")
    #expect(throws: compute) { try device.makeRenderPipelineState(fullScreen: function) }
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "b")
    let line = #line + 1
    buffer.dispatch(ComputePipelineState(function), label: "e")
    buffer.commit()
    expectError(.unsupported, what: "'b' › 'e' (CommandErrorTests.swift:\(line)): gpuOnly") {
      try buffer.waitUntilCompleted()
    }
  }

  @Test func aClosedDeviceRefusesWork() async throws {
    let device = try Device.open(.cpu)
    let queue = device.makeCommandQueue()
    let pipeline = SwiftFunctions.pipeline {}
    device.close()
    device.close()
    let buffer = queue.makeCommandBuffer()
    buffer.dispatch(pipeline)
    buffer.commit()
    let thrown = try #require(throws: SafelightError.self) { try buffer.waitUntilCompleted() }
    #expect(thrown.kind == .usage)
    #expect(thrown.why.contains("closed"))
    await #expect(throws: thrown) { try await buffer.completed() }
    #expect(throws: SafelightError.self) { try device.replay(buffer.recording) }
    #expect(throws: SafelightError.self) { try device.makeComputePipelineState(pipeline.function) }
  }

  /// Work that was accepted is done before the device closes.
  @Test func closingWaitsForCommittedWork() throws {
    let device = try Device.open(.cpu)
    let queue = device.makeCommandQueue()
    let ran = Mutex(0)
    let buffers = (0..<20).map { _ in
      let buffer = queue.makeCommandBuffer { ran.withLock { $0 += 1 } }
      buffer.commit()
      return buffer
    }
    device.close()
    #expect(ran.withLock { $0 } == 20)
    #expect(buffers.allSatisfy { $0.status == .completed })
  }

  /// Where the device refuses at once, handlers run inside `commit()`: the queue must not be locked then.
  @Test func aHandlerOfARefusedBufferMayCommitAnother() async {
    await #expect(processExitsWith: .exitCode(7)) {
      alarm(20)
      let device = try Device.open(.cpu)
      let queue = device.makeCommandQueue()
      device.close()
      let next = queue.makeCommandBuffer()
      let buffer = queue.makeCommandBuffer()
      buffer.addCompletedHandler { _ in next.commit() }
      buffer.commit()
      exit(buffer.status == .error && next.status == .error ? 7 : 1)
    }
  }
}
