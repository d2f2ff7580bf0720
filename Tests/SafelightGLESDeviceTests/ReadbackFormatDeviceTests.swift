import Logging
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

@testable import SafelightGLES

/// A driver chooses how it hands out textures: what one prefers must not decide whether the others work.
@Suite struct ReadbackFormatDeviceTests {
  @Test(arguments: TestDevice.gles)
  func everyFormatIsReadInEveryWay(_ test: TestDevice) throws {
    let info = try test.open().info
    let candidates = try DeviceEnumeration.candidates(for: info.node.map { .node($0) } ?? .auto)
    let candidate = try #require(candidates.first { $0.index == info.index })
    let thread = ContextThread()
    let failures = thread.sync { Result { try Self.failures(candidate) } }
    thread.close {}
    let found = try #require(failures).get()
    #expect(found == [])
  }

  /// The formats whose bytes come back wrong, by the way they were read.
  private static func failures(_ candidate: DeviceCandidate) throws -> [String] {
    let context = try Context(candidate, options: ContextOptions(isDebugging: true, logger: Logger(label: "test")))
    defer { context.close() }
    var failures: [String] = []
    for format in PixelFormat.allCases {
      let wide: ReadbackFormat = TextureFormat(format).isInteger ? .rgba32 : .rgba8
      for way in [nil, wide] {
        context.readbackFormats[format] = way
        let size = Size(7, 5)
        let bytes: [UInt8] = (0..<size.area * format.bytesPerPixel).map {
          UInt8(truncatingIfNeeded: $0 * 37 + ($0 >> 4))
        }
        let texture = try TextureObject(context, size: size, pixelFormat: format, label: "read")
        try bytes.withUnsafeBytes {
          try $0.baseAddress.map { try texture.upload(Region(size: size), from: $0, rowLength: 7) }
        }
        // Into a wider picture, whose other pixels must stay.
        let region = Region(x: 1, y: 2, width: 5, height: 3)
        let pixel = format.bytesPerPixel
        var picture = [UInt8](repeating: 0xA5, count: 9 * 3 * pixel)
        try picture.withUnsafeMutableBytes {
          try $0.baseAddress.map { try texture.read(region, into: $0, rowLength: 9, context: context) }
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
