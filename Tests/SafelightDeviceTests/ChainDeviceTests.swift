import Foundation
import Safelight
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// The device that is opened for a chain of filters, by the rule of the tool's `--device`.
@Suite struct ChainDeviceTests {
  private let hasGPU = (try? Device.open(.hardware)) != nil

  @Test func withoutAGPUAChainGoesThroughTheTwins() throws {
    let device = try Device.open(for: "equalize,saturation=1.2")
    #expect(device.info.isCPU == !hasGPU)
    // Why there is no GPU is kept.
    #expect(device.refusals.isEmpty == hasGPU)
  }

  @Test func whatNeedsOpenGLESRulesTheTwinsOut() throws {
    let folder = TemporaryFolder()
    try "uvec4 pointKernel(uvec4 pixel) { return pixel; }".write(
      toFile: folder.path("own.glsl"), atomically: false, encoding: .utf8)
    #expect(try !Device.open(for: "shader=file='\(folder.path("own.glsl"))'").info.isCPU)
    #expect(try !Device.open(for: "invert", options: DeviceOptions(platform: .surfaceless)).info.isCPU)
  }

  @Test func otherSelectorsOpenWhatTheyName() throws {
    #expect(try Device.open(.cpu, for: "invert").info.isCPU)
    #expect(try Device.open(.software, for: "invert").info.isSoftware)
    expectError(.usage) { try Device.open(.cpu, for: "none") }
  }
}
