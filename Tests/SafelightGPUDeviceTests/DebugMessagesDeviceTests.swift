import Logging
import SafelightGPU
import SafelightImage
import SafelightShaders
import Synchronization
import TestSupport
import Testing

/// Messages of KHR_debug reach the log of their device.
@Suite struct DebugMessagesDeviceTests {
  private final class Lines: Sendable {
    let texts = Mutex<[String]>([])
  }

  private struct Recorder: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.texts.withLock { $0.append("\(event.level): \(event.message)") } }
  }

  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func aCompilersComplaintIsLogged(_ test: TestDevice) throws {
    let lines = Lines()
    let device = try test.open(limits: nil, logger: Logger(label: "test") { _ in Recorder(lines: lines) })
    let wrong = ShaderFunction("wrong", "#include \"Common/compute.glsl\"\nvoid main() { nonsense; }", arguments: [])
    #expect(throws: SafelightError.self) { try device.makeComputePipelineState(wrong) }
    device.close()
    // ANGLE reports compiler errors only in the shader's log.
    if device.info.driver.contains("ANGLE") { return }
    let texts = lines.texts.withLock { $0 }
    #expect(texts.contains { $0.hasPrefix("error: ") && $0.contains("nonsense") }, "\(texts)")
  }

  /// Signposts travel through the driver (`glDebugMessageInsert`): of the buffer and of every kind of encoder.
  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func signpostsReachTheDriver(_ test: TestDevice) throws {
    let lines = Lines()
    let device = try test.open(limits: nil, logger: Logger(label: "test") { _ in Recorder(lines: lines) })
    let texture = try device.makeTexture(Size(1, 1), .rgba8Unorm)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.insertDebugSignpost("of the buffer")
    func mark(_ encoder: CommandEncoder) {
      encoder.pushDebugGroup("group of \(encoder.label)")
      encoder.insertDebugSignpost("signpost of \(encoder.label)")
      encoder.popDebugGroup()
      encoder.endEncoding()
    }
    mark(buffer.makeBlitCommandEncoder(label: "blit"))
    mark(buffer.makeComputeCommandEncoder(label: "compute"))
    mark(buffer.makeRenderCommandEncoder(RenderPassDescriptor(texture: texture), label: "render"))
    try buffer.finish()
    device.close()
    let texts = lines.texts.withLock { $0 }
    for text in ["of the buffer", "signpost of blit", "signpost of compute", "signpost of render"] {
      #expect(texts.contains { $0.hasSuffix(text) }, "\(texts)")
    }
    for name in ["blit", "compute", "render"] {
      // Opened and closed: the driver reports both.
      #expect(texts.filter { $0.hasSuffix("group of \(name)") }.count == 2, "\(texts)")
    }
  }
}
