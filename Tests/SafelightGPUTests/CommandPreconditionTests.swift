import SafelightGPU
import SafelightImage
import SafelightShaders
import Testing

/// Mistakes of a program stop it with the object's name and what to call instead.
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
    said(result, "encoder 'pass' reads 'canvas' while drawing into it")
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
      // The handler ends the process; returning from here would end it too early, and well.
      try await Task.sleep(for: .seconds(60))
    }
    said(result, "waitUntilCompleted() was called on the device's own thread")
  }
}
