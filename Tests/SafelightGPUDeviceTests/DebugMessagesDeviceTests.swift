import Logging
import SafelightGPU
import SafelightImage
import SafelightShaders
import Synchronization
import TestSupport
import Testing

/// What the driver says through KHR_debug reaches the log of the device that it concerns.
@Suite struct DebugMessagesDeviceTests {
  private final class Lines: Sendable {
    let texts = Mutex<[String]>([])
  }

  private struct Recorder: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.texts.withLock { $0.append("\(event.level): \(event.message)") } }
  }

  @Test(arguments: TestDevice.gles)
  func aCompilersComplaintIsLogged(_ test: TestDevice) throws {
    let lines = Lines()
    let device = try test.open(limits: nil, logger: Logger(label: "test") { _ in Recorder(lines: lines) })
    let wrong = ShaderFunction(
      name: "wrong", assembly: ShaderAssembly(texts: ["#include \"Common/compute.glsl\"\nvoid main() { nonsense; }"]),
      arguments: [])
    #expect(throws: SafelightError.self) { try device.makeComputePipelineState(wrong) }
    device.close()
    #expect(lines.texts.withLock { $0.contains { $0.hasPrefix("error: ") && $0.contains("nonsense") } })
  }
}
