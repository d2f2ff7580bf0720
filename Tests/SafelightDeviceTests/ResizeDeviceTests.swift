import Safelight
import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// What is true of pictures at another size by any rule.
@Suite struct ResizeDeviceTests {
  private static let modes = ["nearest", "bilinear", "bicubic", "lanczos", "area"]
  private static let sizes = ["width=13:height=40", "width=50:height=9", "percent=50", "percent=200"]

  private static func result(_ chain: String, of image: Image, _ test: TestDevice) async throws -> Image {
    let device = try test.open()
    return try await FrameProcessor(device: device, chain: FilterChain(parsing: chain, device: device)).process(image)
  }

  /// Returns noise whose pixels are all opaque, or have any alpha.
  private static func noise(_ depth: SampleDepth, _ size: Size = Size(26, 18), isOpaque: Bool = true) -> Image {
    var image = SyntheticImage.noise.image(size, channels: .rgba, depth: depth)
    for y in 0..<size.height where isOpaque {
      for x in 0..<size.width { image[x: x, y: y, sample: 3] = depth == .bits8 ? 255 : 65535 }
    }
    return image
  }

  @Test(arguments: TestDevice.all, modes) func alphaPlaysNoPartInOpaquePictures(
    _ test: TestDevice, _ mode: String
  ) async throws {
    for depth in SampleDepth.allCases {
      for size in Self.sizes {
        let chain = "resize=\(size):mode=\(mode)"
        let one = try await Self.result(chain, of: Self.noise(depth), test)
        let other = try await Self.result("\(chain):alpha=as-is", of: Self.noise(depth), test)
        #expect(one == other, "\(chain) of \(depth)")
      }
    }
  }

  @Test(arguments: TestDevice.all, modes.dropFirst()) func transparentColorsDoNotShow(
    _ test: TestDevice, _ mode: String
  ) async throws {
    for depth in SampleDepth.allCases {
      let image = Self.noise(depth, isOpaque: false)
      var other = image
      for y in 0..<image.size.height {
        for x in 0..<image.size.width where (x + y) % 3 == 0 {
          for channel in 0..<4 { other[x: x, y: y, sample: channel] = channel == 3 ? 0 : 77 }
        }
      }
      var changed = other
      for y in 0..<image.size.height {
        for x in 0..<image.size.width where (x + y) % 3 == 0 {
          for channel in 0..<3 { changed[x: x, y: y, sample: channel] = 200 }
        }
      }
      for size in Self.sizes {
        let chain = "resize=\(size):mode=\(mode)"
        let one = try await Self.result(chain, of: other, test)
        #expect(try await Self.result(chain, of: changed, test) == one, "\(chain) of \(depth)")
        #expect(
          try await Self.result("\(chain):alpha=as-is", of: changed, test)
            != Self.result("\(chain):alpha=as-is", of: other, test))
      }
    }
  }

  /// Of 2095 columns some of seven have weights that rounding leaves 48 short of one together.
  @Test(arguments: TestDevice.all, modes) func whiteStaysWhite(_ test: TestDevice, _ mode: String) async throws {
    for (channels, samples) in [(Channels.gray, 1), (.rgb, 3), (.rgba, 4)] {
      var image = SyntheticImage.noise.image(Size(2095, 1), channels: channels, depth: .bits16)
      for x in 0..<2095 { for sample in 0..<samples { image[x: x, y: 0, sample: sample] = 65535 } }
      let made = try await Self.result("resize=width=7:height=1:mode=\(mode)", of: image, test)
      let results = (0..<7).flatMap { x in (0..<samples).map { made[x: x, y: 0, sample: $0] } }
      #expect(Set(results) == [65535], "\(mode) \(channels)")
    }
  }

  /// The largest and the smallest sample stay.
  @Test(arguments: TestDevice.all, modes) func flatPicturesStayFlat(_ test: TestDevice, _ mode: String) async throws {
    for depth in SampleDepth.allCases {
      let greatest = depth == .bits8 ? 255 : 65535
      for value in [0, 1, greatest] {
        var image = SyntheticImage.noise.image(Size(61, 7), channels: .gray, depth: depth)
        for y in 0..<7 { for x in 0..<61 { image[x: x, y: y, sample: 0] = value } }
        // Light of 16 bits has no step for the darkest samples of 16.
        for light in value == 1 && depth == .bits16 ? ["as-is"] : ["as-is", "linear"] {
          let made = try await Self.result("resize=width=9:height=60:mode=\(mode):light=\(light)", of: image, test)
          let samples = (0..<60).flatMap { y in (0..<9).map { made[x: $0, y: y, sample: 0] } }
          #expect(Set(samples) == [value], "\(mode) \(light) \(depth)")
        }
      }
    }
  }

  /// A destination says the size; the filter's own words say the rest.
  @Test(arguments: TestDevice.all) func texturesAreScaledToTheirSizes(_ test: TestDevice) async throws {
    let image = Self.noise(.bits8, isOpaque: false)
    for mode in ImageResize.Mode.allCases {
      let device = try test.open()
      let source = try device.makeTexture(image.size, .rgba8Unorm)
      let target = try device.makeTexture(Size(11, 31), .rgba8Unorm)
      let buffer = device.makeCommandQueue().makeCommandBuffer(label: "resize")
      let blit = buffer.makeBlitCommandEncoder()
      blit.copy(from: image, to: source)
      blit.endEncoding()
      try ImageResize(device: device, mode: mode).encode(to: buffer, source: source, destination: target)
      let reading = buffer.makeBlitCommandEncoder()
      let result = reading.read(target)
      reading.endEncoding()
      buffer.commit()
      try await buffer.completed()
      let expected = try await Self.result("resize=width=11:height=31:mode=\(mode.rawValue)", of: image, test)
      #expect(try result.contents() == expected.bytes, "\(mode)")
    }
  }
  /// The color of what lies around a picture of blue, green and red.
  @Test(arguments: TestDevice.all) func colorsAroundKeepTheirChannels(_ test: TestDevice) async throws {
    let device = try test.open()
    let source = try device.makeTexture(Size(2, 2), .bgra8Unorm)
    let target = try device.makeTexture(Size(5, 2), .bgra8Unorm)
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "pad")
    ImagePad(device: device, left: 2, right: 1, color: "#ff8000")
      .encode(to: buffer, source: source, destination: target, pipeline: .render)
    let blit = buffer.makeBlitCommandEncoder()
    let result = blit.read(target)
    blit.endEncoding()
    buffer.commit()
    try await buffer.completed()
    #expect(try Array(result.contents().prefix(8)) == [0, 128, 255, 255, 0, 128, 255, 255])
  }
}
