import Dispatch
import SafelightGPU
import SafelightImage
import SafelightKernels
import Synchronization
import TestSupport
import Testing

/// Devices of one process that share a driver, each on its own thread.
@Suite struct TwoDevicesDeviceTests {
  /// Draws and readbacks at once, on which Mesa 22.3 may crash without the workaround "one llvmpipe context at a time".
  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func theyDrawAtOnce(_ test: TestDevice) async throws {
    let devices = [try test.openAnother(), try test.openAnother(), try test.openAnother()]
    let image = SyntheticImage.noise.image(Size(67, 31), channels: .rgba, depth: .bits8)
    let outcomes = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for device in devices {
        group.addTask {
          let queue = device.makeCommandQueue()
          let kernel = ImageSaturation(device: device, amount: 2)
          var last: [UInt8] = []
          let source = try device.makeTexture(image.size, image.pixelFormat)
          let targets = try (0..<20).map { _ in try device.makeTexture(image.size, image.pixelFormat) }
          for _ in 0..<100 {
            let buffer = queue.makeCommandBuffer(label: "two devices")
            let upload = buffer.makeBlitCommandEncoder()
            upload.copy(from: image, to: source)
            upload.endEncoding()
            for target in targets { kernel.encode(to: buffer, source: source, destination: target, form: .render) }
            let read = buffer.makeBlitCommandEncoder()
            let readbacks = targets.map { read.read($0) }
            read.endEncoding()
            buffer.commit()
            try await buffer.completed()
            last = try readbacks.flatMap { try $0.contents() }
          }
          return last
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(outcomes).count == 1)
  }
}
