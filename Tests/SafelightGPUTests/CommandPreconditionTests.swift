import SafelightGPU
import SafelightImage
import TestSupport
import Testing

extension Device {
  /// A new command buffer of a new device on the CPU.
  fileprivate static func commandBuffer(_ label: String = "frame 17") throws -> CommandBuffer {
    try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: label)
  }
}

/// Programmer mistakes stop the program with the object's name and the right call.
@Suite struct CommandPreconditionTests {
  @Test(arguments: mistakes) func stopsTheProgram(_ mistake: Mistake) async { await mistake.expectStop() }

  static let mistakes: [Mistake] = [
    Mistake("committing twice", says: "command buffer 'frame 17' was committed twice", "make a new one") {
      let buffer = try Device.commandBuffer()
      buffer.commit()
      buffer.commit()
    },
    Mistake(
      "encoding after commit", says: "encoder 'late' was made after command buffer 'frame 17' was committed",
      "make a new command buffer"
    ) {
      let buffer = try Device.commandBuffer()
      buffer.commit()
      buffer.makeBlitCommandEncoder(label: "late").endEncoding()
    },
    Mistake(
      "committing with an open encoder", says: "'frame 17' was committed with an open encoder",
      "call endEncoding() first"
    ) {
      let buffer = try Device.commandBuffer()
      let encoder = buffer.makeBlitCommandEncoder()
      buffer.commit()
      encoder.endEncoding()
    },
    Mistake(
      "two encoders at once", says: "encoder 'second' was made while another of 'frame 17' is open",
      "call endEncoding()"
    ) {
      let buffer = try Device.commandBuffer()
      let first = buffer.makeBlitCommandEncoder(label: "first")
      buffer.makeComputeCommandEncoder(label: "second").endEncoding()
      first.endEncoding()
    },
    Mistake(
      "setting a texture after the end", says: "encoder 'blur' was changed after endEncoding()", "make a new encoder"
    ) {
      let device = try Device.open(.cpu)
      let encoder = device.makeCommandQueue().makeCommandBuffer().makeComputeCommandEncoder(label: "blur")
      encoder.endEncoding()
      encoder.setTexture(try device.makeTexture(Size(1, 1), .rgba8Unorm), index: 0)
    },
    Mistake("setting bytes after the end", says: "encoder 'draw' was changed after endEncoding()") {
      let device = try Device.open(.cpu)
      let pass = RenderPassDescriptor(texture: try device.makeTexture(Size(1, 1), .rgba8Unorm))
      let encoder = device.makeCommandQueue().makeCommandBuffer().makeRenderCommandEncoder(pass, label: "draw")
      encoder.endEncoding()
      encoder.setFragmentBytes(UInt32(1), index: 0)
    },
    Mistake("an unbound texture", says: "texture 0 of 'soften' is not bound", "call setTexture(_:index: 0)") {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(Size(1, 1), .rgba8Unorm)
      device.makeCommandQueue().makeCommandBuffer().compute {
        $0.setTexture(texture, index: 1)
        $0.setComputePipelineState(
          SwiftFunctions.pipeline("soften", arguments: [.storageTexture(1), .sampledTexture(0)]) {})
        $0.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(1, 1))
      }
    },
    Mistake("storing to a texture that is loaded", says: "'soften' reads and stores 'both'; store into another texture")
    {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(Size(1, 1), .rgba8Unorm, label: "both")
      device.makeCommandQueue().makeCommandBuffer().compute {
        for index in 0...1 { $0.setTexture(texture, index: index) }
        $0.setComputePipelineState(
          SwiftFunctions.pipeline("soften", arguments: [.loadedTexture(0), .storageTexture(1)]) {})
        $0.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(1, 1))
      }
    },
    Mistake("reading the target of a draw", says: "encoder 'pass': 'canvas' is read while it is drawn into") {
      try RenderPreconditionTests.encode { encoder, canvas in
        encoder.setFragmentTexture(canvas, index: 0)
        encoder.setRenderPipelineState(
          RenderPipelineState(fullScreen: RenderPreconditionTests.function("f", [.sampledTexture(0)])))
        encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
      }
    },
    Mistake("waiting in a handler", says: "waitUntilCompleted() was called on the device's own thread") {
      let queue = try Device.open(.cpu).makeCommandQueue()
      let other = queue.makeCommandBuffer()
      let buffer = queue.makeCommandBuffer()
      buffer.addCompletedHandler { _ in
        other.commit()
        try? other.waitUntilCompleted()
      }
      buffer.commit()
      // The handler ends the process; returning from here would end it early, and successfully.
      try await Task.sleep(for: .seconds(60))
    },
  ]
}

/// Programmer mistakes with the parts of a command buffer.
@Suite struct CommandBufferPreconditionTests {
  @Test(arguments: mistakes + lengths) func stopsTheProgram(_ mistake: Mistake) async { await mistake.expectStop() }

  static let mistakes: [Mistake] = [
    Mistake(
      "recording after the end of an encoder", says: "encoder 'copies' recorded a command after endEncoding()",
      "make a new encoder"
    ) {
      let encoder = try Device.commandBuffer().makeBlitCommandEncoder(label: "copies")
      encoder.endEncoding()
      encoder.insertDebugSignpost("late")
    },
    Mistake("ending an encoder twice", says: "endEncoding() was called twice on encoder 'copies'") {
      let encoder = try Device.commandBuffer().makeBlitCommandEncoder(label: "copies")
      encoder.endEncoding()
      encoder.endEncoding()
    },
    Mistake("letting go of an open encoder", says: "encoder 'copies' was left open", "call endEncoding()") {
      let buffer = try Device.commandBuffer()
      _ = buffer.makeBlitCommandEncoder(label: "copies")
    },
    Mistake(
      "waiting for what was never committed",
      says: "waitUntilScheduled() waits for command buffer 'frame 17', which was never committed", "call commit()"
    ) { try Device.commandBuffer().waitUntilScheduled() },
    Mistake(
      "leaving a group of a buffer open", says: "'frame 17' was committed with 1 open debug groups",
      "call popDebugGroup()"
    ) {
      let buffer = try Device.commandBuffer()
      buffer.pushDebugGroup("a")
      buffer.commit()
    },
    Mistake(
      "leaving a group of an encoder open", says: "encoder 'copies' was ended with 1 open debug groups",
      "call popDebugGroup()"
    ) {
      let encoder = try Device.commandBuffer().makeBlitCommandEncoder(label: "copies")
      encoder.pushDebugGroup("a")
      encoder.endEncoding()
    },
    Mistake(
      "closing a group too many of a buffer", says: "on command buffer 'frame 17', which has no open group",
      "call pushDebugGroup(_:) first"
    ) { try Device.commandBuffer().popDebugGroup() },
    Mistake(
      "closing a group too many of an encoder", says: "on encoder 'copies', which has no open group",
      "call pushDebugGroup(_:) first"
    ) { try Device.commandBuffer().makeBlitCommandEncoder(label: "copies").popDebugGroup() },
    Mistake(
      "making a buffer in a handler of a full queue", says: "makeCommandBuffer() of 'next' would wait forever",
      "queue 'narrow' has 1", "raise maxCommandBufferCount"
    ) {
      let queue = try Device.open(.cpu).makeCommandQueue(label: "narrow", maxCommandBufferCount: 1)
      let buffer = queue.makeCommandBuffer()
      buffer.addScheduledHandler { _ in _ = queue.makeCommandBuffer(label: "next") }
      buffer.commit()
      try await Task.sleep(for: .seconds(60))
    },
    Mistake("a queue of no buffers", says: "queue 'queue' was to have 0 command buffers") {
      _ = try Device.open(.cpu).makeCommandQueue(maxCommandBufferCount: 0)
    },
    Mistake(
      "replaying in a scheduled handler", says: "'getBytes of 'canvas'' cannot be replayed while 'frame 17' runs",
      "in a completed handler"
    ) {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(Size(1, 1), .rgba8Unorm, label: "canvas")
      let buffer = device.makeCommandQueue().makeCommandBuffer(label: "frame 17")
      buffer.addScheduledHandler { _ in _ = try? texture.getBytes() }
      buffer.commit()
      try await Task.sleep(for: .seconds(60))
    },
  ]

  static let lengths = [-16, 8, 17].map { length in
    Mistake("threadgroup memory of \(length) bytes", says: "takes a multiple of 16 bytes") {
      try Device.commandBuffer().compute { $0.setThreadgroupMemoryLength(length, index: 0) }
    }
  }
}

/// Programmer mistakes with events, fences and counters.
@Suite struct SynchronizationPreconditionTests {
  @Test(arguments: mistakes.dropLast()) func stopsTheProgram(_ mistake: Mistake) async { await mistake.expectStop() }

  @Test(arguments: mistakes.suffix(1))
  func waitingForAnOwnFence(_ mistake: Mistake) async { await mistake.expectStop() }

  static let mistakes: [Mistake] = [
    Mistake(
      "an event of another device", says: "event 'theirs' of another device was used on 'ours'", "use a SharedEvent"
    ) {
      let event = try Device.open(.cpu).makeEvent(label: "theirs")
      try Device.commandBuffer("ours").encodeSignalEvent(event, value: 1)
    },
    Mistake(
      "an event within an encoder", says: "'frame 17' recorded an event while an encoder is open",
      "call endEncoding() first"
    ) {
      let device = try Device.open(.cpu)
      let buffer = device.makeCommandQueue().makeCommandBuffer(label: "frame 17")
      let encoder = buffer.makeBlitCommandEncoder()
      buffer.encodeWaitForEvent(device.makeEvent(), value: 1)
      encoder.endEncoding()
    },
    Mistake(
      "a fence of another device", says: "fence 'theirs' of another device was used on encoder 'copies'",
      "makeFence()"
    ) {
      let fence = try Device.open(.cpu).makeFence(label: "theirs")
      try Device.commandBuffer().makeBlitCommandEncoder(label: "copies").waitForFence(fence)
    },
    Mistake("a sample outside its buffer", says: "samples 2..<3 lie outside counter sample buffer 'times' of 2") {
      let device = try Device.open(.cpu)
      let encoder = device.makeCommandQueue().makeCommandBuffer().makeBlitCommandEncoder()
      encoder.sampleCounters(device.makeCounterSampleBuffer(sampleCount: 2, label: "times"), sampleIndex: 2)
    },
    Mistake(
      "waiting for an own fence", says: "encoder 'copies' waits for fence 'done', which it updated itself",
      "wait in another encoder"
    ) {
      let device = try Device.open(.cpu)
      let fence = device.makeFence(label: "done")
      let encoder = device.makeCommandQueue().makeCommandBuffer().makeBlitCommandEncoder(label: "copies")
      encoder.updateFence(fence)
      encoder.waitForFence(fence)
    },
  ]
}

/// Programmer mistakes with textures over buffers.
@Suite struct LinearTexturePreconditionTests {
  @Test(arguments: mistakes) func stopsTheProgram(_ mistake: Mistake) async { await mistake.expectStop() }

  static let mistakes: [Mistake] = [
    Mistake("a texture that ends beyond its buffer", says: "needs 48 bytes; buffer 'bytes' has 40") {
      let device = try Device.open(.cpu)
      let buffer = try device.makeBuffer(length: 40, label: "bytes")
      _ = try device.makeTexture(TextureDescriptor(Size(2, 3), .rgba8Unorm), over: buffer, offset: 8, bytesPerRow: 16)
    },
    Mistake(
      "rows of a texture that are no whole pixels",
      says: "rows of 10 bytes in 'bytes' do not fit: both must be multiples of 4 bytes"
    ) {
      let device = try Device.open(.cpu)
      let buffer = try device.makeBuffer(length: 40, label: "bytes")
      _ = try device.makeTexture(TextureDescriptor(Size(2, 3), .rgba8Unorm), over: buffer, bytesPerRow: 10)
    },
    Mistake(
      "a texture over another device's buffer",
      says: "texture 'ours' cannot show buffer 'theirs' of another device", "make both with the same device"
    ) {
      let buffer = try Device.open(.cpu).makeBuffer(length: 40, label: "theirs")
      let device = try Device.open(.cpu)
      _ = try device.makeTexture(
        TextureDescriptor(Size(2, 3), .rgba8Unorm), over: buffer, bytesPerRow: 8, label: "ours")
    },
  ]
}
