import Safelight
import Testing

/// What a kernel makes, as a picture to look at, where no golden of a filter shows it.
struct KernelPicture: Sendable, CustomTestStringConvertible {
  /// The golden's name.
  let name: String
  /// One of several ways that must all give it, such as a form; empty where there is one.
  let way: String
  /// Makes the picture on a device.
  let make: @Sendable (Device) throws -> Image

  init(_ name: String, way: String = "", make: @escaping @Sendable (Device) throws -> Image) {
    self.name = name
    self.way = way
    self.make = make
  }

  var testDescription: String { way.isEmpty ? name : "\(name), \(way)" }

  static let all = histograms + equalizations + cubes + renderings + conversions

  /// The film's frame with its green alone, red rising from left to right and blue from top to bottom.
  static let colorful: Image = {
    var image = ConformanceFrame.image
    for y in 0..<image.size.height {
      for x in 0..<image.size.width {
        image[x: x, y: y, sample: 0] = x * 255 / (image.size.width - 1)
        image[x: x, y: y, sample: 2] = y * 255 / (image.size.height - 1)
      }
    }
    return image
  }()
}

/// One command buffer for a picture.
struct KernelRun {
  let device: Device
  let buffer: CommandBuffer

  init(_ device: Device, label: String = #function) {
    self.device = device
    buffer = device.makeCommandQueue().makeCommandBuffer(label: label)
  }

  /// A texture that holds `image`.
  func texture(_ image: Image) throws -> Texture { try texture(image.size, image.pixelFormat, image.bytes) }

  /// A texture that holds `bytes`.
  func texture(_ size: Size, _ format: PixelFormat, _ bytes: [UInt8]) throws -> Texture {
    let texture = try device.makeTexture(size, format)
    blit { $0.write(bytes, to: texture) }
    return texture
  }

  /// Records copies.
  @discardableResult
  func blit<Result>(_ record: (BlitCommandEncoder) -> Result) -> Result {
    let encoder = buffer.makeBlitCommandEncoder()
    defer { encoder.endEncoding() }
    return record(encoder)
  }

  /// Runs what was recorded.
  func run() throws {
    buffer.commit()
    try buffer.waitUntilCompleted()
  }
}

extension Image {
  /// The pictures one below the other; they must be of one width and one kind.
  static func stacked(_ images: [Image]) throws -> Image {
    let first = try #require(images.first)
    try #require(images.allSatisfy { $0.size.width == first.size.width && $0.pixelFormat == first.pixelFormat })
    return Image(
      size: Size(first.size.width, images.reduce(0) { $0 + $1.size.height }), channels: first.channels,
      depth: first.depth, bytes: images.flatMap(\.bytes))
  }
}
