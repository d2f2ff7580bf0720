import Logging
import SafelightGLES
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

extension TestDevice {
  /// Runs `body` with a context of its own on the same device, on a thread of its own.
  func withContext<Result: Sendable>(_ body: @escaping @Sendable (Context) throws -> Result) throws -> Result {
    let info = try open().info
    let candidates = try DeviceEnumeration.candidates(for: info.node.map { .node($0) } ?? .auto)
    let candidate = try #require(candidates.first { $0.index == info.index })
    let thread = try ContextThread()
    let outcome = thread.sync {
      Swift.Result {
        let context = try Context(candidate, options: ContextOptions(isDebugging: true, logger: Logger(label: "test")))
        defer { context.close() }
        return try body(context)
      }
    }
    thread.close {}
    return try #require(outcome).get()
  }
}

/// Readbacks work in every format, whichever the driver prefers.
@Suite struct ReadbackFormatDeviceTests {
  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func everyFormatIsReadInEveryWay(_ test: TestDevice) throws { #expect(try test.withContext(Self.failures) == []) }

  /// Pixels that a driver returns in a wider format are read in strips of 4 MiB: here in three, the last not full.
  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func largePicturesAreReadInStrips(_ test: TestDevice) throws {
    #expect(try test.withContext(Self.isLargePictureRead))
  }

  @Sendable private static func isLargePictureRead(_ context: Context) throws -> Bool {
    context.readbackFormats[.r8Unorm] = .rgba8
    let (size, rowLength) = (Size(2000, 1100), 2004)
    let bytes = (0..<size.area).map { UInt8(truncatingIfNeeded: $0 * 37 + $0 >> 11) }
    let texture = try TextureObject(context, TextureDescriptor(size, .r8Unorm), label: "large")
    try bytes.withUnsafeBytes {
      try $0.baseAddress.map { try texture.upload(TextureImage(), Region(size: size), from: $0, rowLength: 2000) }
    }
    var picture = [UInt8](repeating: 0xA5, count: rowLength * size.height)
    try picture.withUnsafeMutableBytes {
      try $0.baseAddress.map { try texture.read(TextureImage(), Region(size: size), into: $0, rowLength: rowLength) }
    }
    return (0..<size.height).allSatisfy { y in
      let row = picture[(y * rowLength)..<((y + 1) * rowLength)]
      return row.prefix(2000) == bytes[(y * 2000)..<((y + 1) * 2000)] && row.suffix(4).allSatisfy { $0 == 0xA5 }
    }
  }

  /// Returns the formats that are read back wrong, each with the way it was read.
  @Sendable private static func failures(_ context: Context) throws -> [String] {
    var failures: [String] = []
    let hasNormalized16 = context.capabilities.features.contains(.normalized16)
    for format in PixelFormat.colors
    where hasNormalized16 || format.sampleKind != .normalized || format.bytesPerSample != 2 {
      let wide: ReadbackFormat =
        switch format.sampleKind {
        case .integer: .rgba32
        case .float: .rgbaFloat
        case .normalized: format.bytesPerSample == 2 ? .rgba16 : .rgba8
        case .depth, .stencil: .direct
        }
      for way in [nil, wide] {
        context.readbackFormats[format] = way
        let size = Size(7, 5)
        // The high byte of a half or float stays below that of infinity, as a NaN need not keep its bits.
        let bytes: [UInt8] = (0..<size.area * format.bytesPerPixel).map {
          let isHigh = format.sampleKind == .float && $0 % format.bytesPerSample == format.bytesPerSample - 1
          return UInt8(truncatingIfNeeded: $0 * 37 + ($0 >> 4)) & (isHigh ? 0x3F : 0xFF)
        }
        let texture = try TextureObject(context, TextureDescriptor(size, format), label: "read")
        try bytes.withUnsafeBytes {
          try $0.baseAddress.map { try texture.upload(TextureImage(), Region(size: size), from: $0, rowLength: 7) }
        }
        // Into a wider picture, whose other pixels must not change.
        let region = Region(x: 1, y: 2, width: 5, height: 3)
        let pixel = format.bytesPerPixel
        var picture = [UInt8](repeating: 0xA5, count: 9 * 3 * pixel)
        try picture.withUnsafeMutableBytes {
          try $0.baseAddress.map { try texture.read(TextureImage(), region, into: $0, rowLength: 9) }
        }
        var expected = [UInt8](repeating: 0xA5, count: 9 * 3 * pixel)
        for y in 0..<3 {
          for byte in 0..<5 * pixel { expected[y * 9 * pixel + byte] = bytes[((y + 2) * 7 + 1) * pixel + byte] }
        }
        if picture != expected {
          failures.append("\(format.rawValue) read \(way.map { "as \($0)" } ?? "as the driver likes")")
        }
      }
    }
    return failures
  }
}

/// Errors of drivers about storage and attachments.
@Suite struct RenderTargetDeviceTests {
  private static func kind(_ body: () throws -> Void) throws -> SafelightError.Kind? {
    do {
      try body()
      return nil
    } catch let error as SafelightError {
      return error.kind
    }
  }

  /// The largest number of samples depends on the format; exceeding it is an error of kind `limit`.
  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func samplesBeyondTheFormatsAreALimit(_ test: TestDevice) throws {
    let kinds = try test.withContext { context in
      try [(PixelFormat.rgba8Unorm, 4), (.rgba8Unorm, 1000), (.depth32Float, 1000)].map { format, samples in
        var descriptor = TextureDescriptor(Size(4, 4), format)
        descriptor.textureType = .type2DMultisample
        descriptor.sampleCount = samples
        return try Self.kind { _ = try TextureObject(context, descriptor, label: "samples") }
      }
    }
    #expect(kinds == [nil, .limit, .limit])
  }

  /// Attachments that failed do not count as bound: the next pass with the same attachments fails too.
  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func whatFailsToAttachFailsAgain(_ test: TestDevice) throws {
    let kinds = try test.withContext { context in
      let texture = try TextureObject(context, TextureDescriptor(Size(4, 4), .rgba8Unorm), label: "target")
      let target = RenderTarget(context)
      return try [40, 40, 0].map { level in
        try Self.kind { try target.bind([RenderTargetAttachment(texture, TextureImage(level: level))]) }
      }
    }
    #expect(kinds == [.driver, .driver, nil])
  }
}
