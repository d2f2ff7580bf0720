import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Captures of command buffers after a reset.
@Suite struct CaptureLossDeviceTests {
  private let image = SyntheticImage.noise.image(Size(13, 7), channels: .rgba, depth: .bits8)

  /// A texture whose contents a reset has lost.
  private func lost(_ device: Device) throws -> Texture {
    let texture = try device.makeTexture(image.size, image.pixelFormat, label: "kept")
    try device.run { $0.blit { $0.copy(from: image, to: texture) } }
    device.simulateContextLoss()
    return texture
  }

  /// If its inputs cannot be read no command runs, so that nobody sees a signal of a command buffer that is reported as
  /// failed.
  @Test(arguments: TestDevice.all)
  func withoutInputsNothingIsCarriedOut(_ test: TestDevice) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let texture = try lost(device)
    let bytes = try device.makeBuffer(length: 16)
    let event = device.makeSharedEvent()
    let collector = CaptureCollector(labels: "frame")
    try device.captureManager.startCapture(CaptureDescriptor(destination: collector))
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "frame 17")
    let readback = buffer.blit {
      $0.fill(bytes, range: 0..<16, value: 7)
      return $0.read(texture)
    }
    buffer.encodeSignalEvent(event, value: 1)
    buffer.commit()
    expectError(.driver, what: "'frame 17': inputs of its capture: 'kept'") { try buffer.waitUntilCompleted() }
    #expect(throws: SafelightError.self) { try readback.contents() }
    #expect(event.signaledValue == 0)
    #expect(try device.contents(of: bytes) == [UInt8](repeating: 0, count: 16))
    let capture = try #require(collector.captures.first)
    #expect(capture.failure?.contains("were lost") == true)
    #expect(capture.manifest.notes.contains { $0.hasPrefix("the inputs could not be read") })
  }

  /// Contents that a command buffer does not depend on may be lost: it runs as without a capture.
  @Test(arguments: TestDevice.all)
  func whatIsNotNeededMayBeLost(_ test: TestDevice) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let texture = try lost(device)
    let collector = CaptureCollector(labels: "frame")
    try device.captureManager.startCapture(CaptureDescriptor(destination: collector))
    let corner = Image(size: Size(1, 1), channels: .rgba, depth: .bits8, bytes: [1, 2, 3, 4])
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "frame 18")
    buffer.blit { $0.copy(from: corner, to: texture) }
    try buffer.finish()
    let capture = try #require(collector.captures.first)
    let outputs = try CaptureReplay(capture, device: device, twins: TwinLibrary()).run()
    #expect(outputs.count == 1 && outputs[0].difference == nil)
    #expect(outputs[0].expected == [1, 2, 3, 4] + [UInt8](repeating: 0, count: image.bytes.count - 4))
  }
}
