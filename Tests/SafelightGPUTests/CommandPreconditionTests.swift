import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// Programmer mistakes stop the program with the object's name and the right call.
@Suite struct CommandPreconditionTests {
  private func said(_ result: ExitTest.Result?, _ parts: String...) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in parts { #expect(text.contains(part), "stopped with: \(text)") }
  }

  @Test func committingTwice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "frame 17")
      buffer.commit()
      buffer.commit()
    }
    said(result, "command buffer 'frame 17' was committed twice", "make a new one")
  }

  @Test func encodingAfterCommit() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "frame 17")
      buffer.commit()
      buffer.makeBlitCommandEncoder(label: "late").endEncoding()
    }
    said(result, "encoder 'late' was made after command buffer 'frame 17' was committed", "make a new command buffer")
  }

  @Test func committingWithAnOpenEncoder() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "frame 17")
      let encoder = buffer.makeBlitCommandEncoder()
      buffer.commit()
      encoder.endEncoding()
    }
    said(result, "'frame 17' was committed with an open encoder", "call endEncoding() first")
  }

  @Test func twoEncodersAtOnce() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "frame 17")
      let first = buffer.makeBlitCommandEncoder(label: "first")
      buffer.makeComputeCommandEncoder(label: "second").endEncoding()
      first.endEncoding()
    }
    said(result, "encoder 'second' was made while another of 'frame 17' is open", "call endEncoding()")
  }

  @Test func settingAfterTheEnd() async {
    let texture = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let encoder = device.makeCommandQueue().makeCommandBuffer().makeComputeCommandEncoder(label: "blur")
      encoder.endEncoding()
      encoder.setTexture(try device.makeTexture(Size(1, 1), .rgba8Unorm), index: 0)
    }
    said(texture, "encoder 'blur' was changed after endEncoding()", "make a new encoder")
    let viewport = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let pass = RenderPassDescriptor(texture: try device.makeTexture(Size(1, 1), .rgba8Unorm))
      let encoder = device.makeCommandQueue().makeCommandBuffer().makeRenderCommandEncoder(pass, label: "draw")
      encoder.endEncoding()
      encoder.setFragmentBytes(UInt32(1), index: 0)
    }
    said(viewport, "encoder 'draw' was changed after endEncoding()")
  }

  @Test func anUnboundTexture() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      let encoder = buffer.makeComputeCommandEncoder()
      encoder.setTexture(try device.makeTexture(Size(1, 1), .rgba8Unorm), index: 1)
      encoder.setComputePipelineState(
        SwiftFunctions.pipeline("soften", arguments: [.storageTexture(1), .sampledTexture(0)]) {})
      encoder.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(1, 1))
      encoder.endEncoding()
    }
    said(result, "texture 0 of 'soften' is not bound", "call setTexture(_:index: 0)")
  }

  @Test func readingTheTargetOfADraw() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(Size(1, 1), .rgba8Unorm, label: "canvas")
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      let encoder = buffer.makeRenderCommandEncoder(RenderPassDescriptor(texture: texture), label: "pass")
      encoder.setFragmentTexture(texture, index: 0)
      encoder.setRenderPipelineState(
        RenderPipelineState(
          fullScreen: ShaderFunction(name: "f", assembly: ShaderAssembly(texts: []), arguments: [.sampledTexture(0)])))
      encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
      encoder.endEncoding()
    }
    said(result, "encoder 'pass': 'canvas' is read while it is drawn into")
  }

  @Test func waitingInAHandler() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
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
    }
    said(result, "waitUntilCompleted() was called on the device's own thread")
  }
}

/// Programmer mistakes with the parts of a command buffer.
@Suite struct CommandBufferPreconditionTests {
  private func said(_ result: ExitTest.Result?, _ parts: String...) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in parts { #expect(text.contains(part), "stopped with: \(text)") }
  }

  @Test func recordingAfterTheEndOfAnEncoder() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer()
      let encoder = buffer.makeBlitCommandEncoder(label: "copies")
      encoder.endEncoding()
      encoder.insertDebugSignpost("late")
    }
    said(result, "encoder 'copies' recorded a command after endEncoding()", "make a new encoder")
  }

  @Test func endingAnEncoderTwice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer()
      let encoder = buffer.makeBlitCommandEncoder(label: "copies")
      encoder.endEncoding()
      encoder.endEncoding()
    }
    said(result, "endEncoding() was called twice on encoder 'copies'")
  }

  @Test func lettingGoOfAnOpenEncoder() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer()
      _ = buffer.makeBlitCommandEncoder(label: "copies")
    }
    said(result, "encoder 'copies' was left open", "call endEncoding()")
  }

  @Test func waitingForWhatWasNeverCommitted() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "frame 17").waitUntilScheduled()
    }
    said(result, "waitUntilScheduled() waits for command buffer 'frame 17', which was never committed", "call commit()")
  }

  @Test func leavingADebugGroupOpen() async {
    let ofBuffer = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "frame 17")
      buffer.pushDebugGroup("a")
      buffer.commit()
    }
    said(ofBuffer, "'frame 17' was committed with 1 open debug groups", "call popDebugGroup()")
    let ofEncoder = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let encoder = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer().makeBlitCommandEncoder(label: "copies")
      encoder.pushDebugGroup("a")
      encoder.endEncoding()
    }
    said(ofEncoder, "encoder 'copies' was ended with 1 open debug groups", "call popDebugGroup()")
  }

  @Test func closingADebugGroupTooMany() async {
    let ofBuffer = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "frame 17").popDebugGroup()
    }
    said(ofBuffer, "on command buffer 'frame 17', which has no open group", "call pushDebugGroup(_:) first")
    let ofEncoder = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Device.open(.cpu).makeCommandQueue().makeCommandBuffer().makeBlitCommandEncoder(label: "copies")
        .popDebugGroup()
    }
    said(ofEncoder, "on encoder 'copies', which has no open group", "call pushDebugGroup(_:) first")
  }

  @Test func makingABufferInAHandlerOfAFullQueue() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let queue = try Device.open(.cpu).makeCommandQueue(label: "narrow", maxCommandBufferCount: 1)
      let buffer = queue.makeCommandBuffer()
      buffer.addScheduledHandler { _ in _ = queue.makeCommandBuffer(label: "next") }
      buffer.commit()
      try await Task.sleep(for: .seconds(60))
    }
    said(
      result, "makeCommandBuffer() of 'next' would wait forever", "queue 'narrow' has 1", "raise maxCommandBufferCount"
    )
  }

  @Test func aQueueOfNoBuffers() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Device.open(.cpu).makeCommandQueue(maxCommandBufferCount: 0)
    }
    said(result, "queue 'queue' was to have 0 command buffers")
  }

  @Test func replayingInAScheduledHandler() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let texture = try device.makeTexture(Size(1, 1), .rgba8Unorm, label: "canvas")
      let buffer = device.makeCommandQueue().makeCommandBuffer(label: "frame 17")
      buffer.addScheduledHandler { _ in _ = try? texture.getBytes() }
      buffer.commit()
      try await Task.sleep(for: .seconds(60))
    }
    said(result, "'getBytes of 'canvas'' cannot be replayed while 'frame 17' runs", "in a completed handler")
  }
}

/// Programmer mistakes with events, fences and counters.
@Suite struct SynchronizationPreconditionTests {
  private func said(_ result: ExitTest.Result?, _ parts: String...) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in parts { #expect(text.contains(part), "stopped with: \(text)") }
  }

  @Test func anEventOfAnotherDevice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let event = try Device.open(.cpu).makeEvent(label: "theirs")
      try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "ours").encodeSignalEvent(event, value: 1)
    }
    said(result, "event 'theirs' of another device was used on 'ours'", "use a SharedEvent")
  }

  @Test func anEventWithinAnEncoder() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let buffer = device.makeCommandQueue().makeCommandBuffer(label: "frame 17")
      let encoder = buffer.makeBlitCommandEncoder()
      buffer.encodeWaitForEvent(device.makeEvent(), value: 1)
      encoder.endEncoding()
    }
    said(result, "'frame 17' recorded an event while an encoder is open", "call endEncoding() first")
  }

  @Test func aFenceOfAnotherDevice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let fence = try Device.open(.cpu).makeFence(label: "theirs")
      let encoder = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer().makeBlitCommandEncoder(label: "copies")
      encoder.waitForFence(fence)
    }
    said(result, "fence 'theirs' of another device was used on encoder 'copies'", "makeFence()")
  }

  @Test func waitingForAnOwnFence() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let fence = device.makeFence(label: "done")
      let encoder = device.makeCommandQueue().makeCommandBuffer().makeBlitCommandEncoder(label: "copies")
      encoder.updateFence(fence)
      encoder.waitForFence(fence)
    }
    said(result, "encoder 'copies' waits for fence 'done', which it updated itself", "wait in another encoder")
  }

  @Test func aSampleOutsideItsBuffer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let encoder = device.makeCommandQueue().makeCommandBuffer().makeBlitCommandEncoder()
      encoder.sampleCounters(device.makeCounterSampleBuffer(sampleCount: 2, label: "times"), sampleIndex: 2)
    }
    said(result, "samples 2..<3 lie outside counter sample buffer 'times' of 2")
  }
  @Test func aTextureThatEndsBeyondItsBuffer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let buffer = try device.makeBuffer(length: 40, label: "bytes")
      _ = try device.makeTexture(TextureDescriptor(Size(2, 3), .rgba8Unorm), over: buffer, offset: 8, bytesPerRow: 16)
    }
    said(result, "needs 48 bytes; buffer 'bytes' has 40")
  }

  @Test func rowsOfATextureThatAreNoWholePixels() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let buffer = try device.makeBuffer(length: 40, label: "bytes")
      _ = try device.makeTexture(TextureDescriptor(Size(2, 3), .rgba8Unorm), over: buffer, bytesPerRow: 10)
    }
    said(result, "rows of 10 bytes in 'bytes' do not fit: both must be multiples of 4 bytes")
  }

  @Test func aTextureOverAnotherDevicesBuffer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let buffer = try Device.open(.cpu).makeBuffer(length: 40, label: "theirs")
      let device = try Device.open(.cpu)
      _ = try device.makeTexture(
        TextureDescriptor(Size(2, 3), .rgba8Unorm), over: buffer, bytesPerRow: 8, label: "ours")
    }
    said(result, "texture 'ours' cannot show buffer 'theirs' of another device", "make both with the same device")
  }
}
