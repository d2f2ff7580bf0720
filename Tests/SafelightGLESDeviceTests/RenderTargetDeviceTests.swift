import Logging
import SafelightGLES
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// What a driver refuses of storage and attachments.
@Suite struct RenderTargetDeviceTests {
  /// Runs `body` in a context of the device's kind.
  private func run(
    _ test: TestDevice, _ body: @escaping @Sendable (Context) throws -> [SafelightError.Kind?]
  ) throws -> [SafelightError.Kind?] {
    let info = try test.open().info
    let candidates = try DeviceEnumeration.candidates(for: info.node.map { .node($0) } ?? .auto)
    let candidate = try #require(candidates.first { $0.index == info.index })
    let thread = ContextThread()
    let result = thread.sync {
      Result {
        let context = try Context(candidate, options: ContextOptions(isDebugging: true, logger: Logger(label: "test")))
        defer { context.close() }
        return try body(context)
      }
    }
    thread.close {}
    return try #require(result).get()
  }

  private static func kind(_ body: () throws -> Void) throws -> SafelightError.Kind? {
    do {
      try body()
      return nil
    } catch let error as SafelightError {
      return error.kind
    }
  }

  /// The most samples are each format's own, and more are a limit of the device.
  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func samplesBeyondTheFormatsAreALimit(_ test: TestDevice) throws {
    let kinds = try run(test) { context in
      try [(PixelFormat.rgba8Unorm, 4), (.rgba8Unorm, 1000), (.depth32Float, 1000)].map { format, samples in
        var descriptor = TextureDescriptor(Size(4, 4), format)
        descriptor.textureType = .type2DMultisample
        descriptor.sampleCount = samples
        return try Self.kind { _ = try TextureObject(context, descriptor, label: "samples") }
      }
    }
    #expect(kinds == [nil, .limit, .limit])
  }

  /// What failed to attach is not taken for bound: the next pass of the same attachments is told again.
  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func whatFailsToAttachFailsAgain(_ test: TestDevice) throws {
    let kinds = try run(test) { context in
      let texture = try TextureObject(context, TextureDescriptor(Size(4, 4), .rgba8Unorm), label: "target")
      let target = RenderTarget(context)
      return try [40, 40, 0].map { level in
        try Self.kind { try target.bind([RenderTargetAttachment(texture, TextureImage(level: level))]) }
      }
    }
    #expect(kinds == [.driver, .driver, nil])
  }
}
