import Safelight
import TestSupport
import Testing

@Suite struct FrameProcessorDeviceTests {
  static let sizes = [Size(17, 31), Size(64, 3), Size(1, 1), Size(17, 31)]

  /// One processor makes of pictures of any size, kind and depth what a processor for each makes.
  @Test(arguments: TestDevice.all)
  func sizesChangeFromPictureToPicture(_ test: TestDevice) async throws {
    let device = try test.open()
    let chain = "equalize,saturation=1.5"
    let processor = try FrameProcessor(chain, on: device)
    for depth in SampleDepth.allCases {
      for channels in [Channels.rgb, .gray, .rgba, .grayAlpha] {
        for size in Self.sizes {
          let image = SyntheticImage.noise.image(size, channels: channels, depth: depth)
          let result = try await processor.process(image)
          let alone = try await FrameProcessor(chain, on: device).process(image)
          #expect(result == alone, "\(size) \(channels) \(depth)")
          #expect(result.size == size && result.channels == channels && result.depth == depth)
        }
      }
    }
  }

  /// All frames on the way share textures and counts, and none sees another's.
  @Test(arguments: TestDevice.all)
  func framesOnTheWayKeepOrderAndContents(_ test: TestDevice) async throws {
    let device = try test.open()
    let processor = try FrameProcessor("equalize", on: device)
    let images = (0..<12).map { frame in
      var image = SyntheticImage.noise.image(Size(33, 17), channels: .rgb, depth: .bits8)
      // Each frame has a value of its own in a third of its pixels, so that no two tables are alike.
      for index in 0..<33 * 17 / 3 { image[x: index % 33, y: index / 33, sample: 0] = 7 * frame }
      return image
    }
    let submissions = try images.enumerated().map { try processor.submit($1, label: "frame \($0)") }
    for (image, submission) in zip(images, submissions) {
      let alone = try await FrameProcessor("equalize", on: device).process(image)
      #expect(try await submission.image() == alone)
    }
    #expect(Set(images).count == images.count)
  }

  /// For chains of one, two and three filters the twins agree, and single filters in turn make the same.
  @Test(arguments: TestDevice.all, SampleDepth.allCases)
  func chainsAreTheirFiltersInTurn(_ test: TestDevice, _ depth: SampleDepth) async throws {
    let device = try test.open()
    let image = SyntheticImage.noise.image(Size(65, 63), channels: .rgba, depth: depth)
    var filters: [String] = []
    var expected = image
    for filter in ["saturation=1.5", "equalize=channels=luma", "saturation=0.5"] {
      filters.append(filter)
      let before = expected
      expected = try await FrameProcessor(filter, on: device).process(before)
      #expect(expected != before)
      let processor = try FrameProcessor(filters.joined(separator: ","), on: device, verifying: Device.open(.cpu))
      #expect(try await processor.process(image) == expected, "\(filters)")
    }
  }

  /// A twin that cannot run is an error.
  @Test(arguments: TestDevice.all)
  func verifyingNeedsItsTwin(_ test: TestDevice) async throws {
    let twin = try Device.open(.cpu)
    twin.close()
    let processor = try FrameProcessor("passthrough", on: test.open(), verifying: twin)
    let image = SyntheticImage.noise.image(Size(17, 31), channels: .rgb, depth: .bits8)
    await #expect(throws: SafelightError.self) { try await processor.process(image) }
  }

  @Test(arguments: TestDevice.all)
  func passthroughKeepsEveryByte(_ test: TestDevice) async throws {
    let processor = try FrameProcessor("passthrough,passthrough,passthrough,passthrough", on: test.open())
    for size in Self.sizes {
      let image = SyntheticImage.noise.image(size, channels: .rgba, depth: .bits16)
      #expect(try await processor.process(image) == image)
    }
  }
}

/// Luma and chroma through filters: the conversion kernels around the way of a picture.
@Suite struct FramePlanesDeviceTests {
  static let color = ColorDescription(matrix: .bt709, range: .limited, siting: .left)
  private static let layouts: [PixelLayout] = [
    .yCbCr420Planar8, .yCbCr422Planar10, .yCbCr444Planar16, .yCbCr420BiPlanar8,
  ]

  private func result(
    _ frame: VideoFrame, _ filter: String, as layout: FrameLayout, on device: Device
  ) async throws -> FramePicture {
    let processor = try FrameProcessor(filter, on: device, verifying: Device.open(.cpu))
    return try await processor.submit(.planes(frame), as: layout, label: "frame").finished()
  }

  /// The planes that came back; nil for a picture.
  private func planes(_ picture: FramePicture) -> [PixelPlane]? {
    if case .planes(let frame) = picture { frame.planes } else { nil }
  }

  /// Returns the picture of a frame, by the kernel alone.
  private func decoded(_ frame: VideoFrame, on device: Device) throws -> Image {
    try device.picture(ImageDescriptor(size: frame.size, channels: .rgb, depth: frame.layout.depth)) { buffer, target in
      let textures = try frame.planes.map { try buffer.texture($0.size, $0.pixelFormat, $0.bytes) }
      try ImageYCbCrToRGB(device: device, layout: frame.layout, color: frame.color)
        .encode(to: buffer, planes: textures, destination: target)
    }
  }

  @Test(arguments: TestDevice.all, layouts)
  func filtersSeeThePicture(_ test: TestDevice, _ layout: PixelLayout) async throws {
    let device = try test.open()
    let frame = MemoryVideo(1, Size(37, 21), layout, color: Self.color).frames[0]
    let picture = try decoded(frame, on: device)
    let expected = try await FrameProcessor("invert", on: device).process(picture)
    let result = try #require(try await result(frame, "invert", as: .image, on: device).image)
    #expect(result.bytes == expected.bytes && result.bytes != picture.bytes)
    #expect(result.color == ColorDescription(matrix: .identity, range: .full, alpha: .opaque))
  }

  /// Twice inverted frames are as before, except outside the gamut of red, green and blue; untouched ones are byte for
  /// byte.
  @Test(arguments: TestDevice.all, layouts)
  func whatNoFilterTouchesComesBackAsItWas(_ test: TestDevice, _ layout: PixelLayout) async throws {
    let device = try test.open()
    // The samples' meaning is unknown and not needed.
    let frame = MemoryVideo(1, Size(37, 21), layout, color: .unspecified).frames[0]
    let result = try await result(frame, "passthrough", as: .planes(layout, .unspecified), on: device)
    #expect(planes(result) == frame.planes)
    await #expect(throws: SafelightError.self) {
      try await self.result(frame, "invert", as: .planes(layout, .unspecified), on: device)
    }
  }

  /// A device with only small textures cuts the frame without visible seams.
  @Test(arguments: layouts)
  func framesLargerThanATextureComeOutAsWholeOnes(_ layout: PixelLayout) async throws {
    let whole = try Device.open(.cpu)
    let small = try Device.open(.cpu, options: DeviceOptions(limits: .minimum))
    let edge = small.capabilities.maximumTextureSize
    var color = Self.color
    color.range = .full
    for size in [Size(edge + 7, 5), Size(5, edge + 7)] {
      let frame = MemoryVideo(1, size, layout, color: Self.color).frames[0]
      for layout in [FrameLayout.image, .planes(layout, color)] {
        let expected = try await result(frame, "levels=gamma=1.4", as: layout, on: whole)
        let actual = try await result(frame, "levels=gamma=1.4", as: layout, on: small)
        #expect(actual.image == expected.image && planes(actual) == planes(expected))
      }
    }
  }

  @Test func anotherDepthIsRefused() async throws {
    let device = try Device.open(.cpu)
    let frame = MemoryVideo(1, Size(4, 4), .yCbCr420Planar8, color: Self.color).frames[0]
    let error = await #expect(throws: SafelightError.self) {
      try await result(frame, "invert", as: .planes(.yCbCr420Planar10, Self.color), on: device)
    }
    #expect(error?.kind == .unsupported && error?.why.contains("8 bits") == true)
  }
}

/// What samples mean goes with them through a chain.
@Suite struct ColorTagDeviceTests {
  private func process(_ color: ColorDescription, _ chain: String, _ channels: Channels = .rgba) async throws -> Image {
    var image = SyntheticImage.noise.image(Size(7, 5), channels: channels, depth: .bits16)
    image.color = color
    return try await FrameProcessor(chain, on: Device.open(.cpu)).process(image)
  }

  private static let linear = ColorDescription(matrix: .identity, range: .full, transfer: .linear, primaries: .bt709)
  private static let limited = ColorDescription(matrix: .identity, range: .limited, transfer: .sRGB, primaries: .bt709)

  @Test func filtersThatChangeNoMeaningKeepIt() async throws {
    for chain in [
      "saturation=2", "equalize,hue=10", "ycbcr=bits=16", "srgb-to-linear,linear-to-srgb", "exposure=1",
      "white-balance=9000",
    ] { #expect(try await process(.sRGB, chain).color == .sRGB, "\(chain)") }
    #expect(try await process(.unspecified, "saturation=2").color == .unspecified)
  }

  @Test func filtersThatChangeTheMeaningSaySo() async throws {
    #expect(try await process(.sRGB, "srgb-to-linear").color == Self.linear)
    #expect(try await process(Self.linear, "linear-to-srgb").color == .sRGB)
    let untagged = try await process(.unspecified, "srgb-to-linear").color
    #expect(untagged == ColorDescription(transfer: .linear, primaries: .bt709))
    #expect(try await process(.unspecified, "premultiply").color.alpha == .premultiplied)
    #expect(try await process(.unspecified, "premultiply,unpremultiply").color.alpha == .straight)
  }

  @Test(arguments: [
    (ColorDescription.sRGB, "linear-to-srgb", "transfer sRGB", "transfer linear"),
    (linear, "srgb-to-linear", "transfer linear", "transfer sRGB"),
    (ColorDescription.sRGB, "srgb-to-linear,saturation,srgb-to-linear", "transfer linear", "transfer sRGB"),
    (ColorDescription.unspecified, "premultiply,premultiply", "alpha premultiplied", "straight alpha"),
    (ColorDescription(alpha: .straight), "unpremultiply", "alpha straight", "premultiplied alpha"),
    (limited, "srgb-to-linear", "identity limited", "full range"),
    (ColorDescription(range: .limited, transfer: .linear), "linear-to-srgb", "limited", "full range"),
    (limited, "premultiply", "identity limited", "full range"),
    (limited, "unpremultiply", "identity limited", "full range"),
    (limited, "exposure=1", "identity limited", "full range"),
    (limited, "pad=left=1", "identity limited", "full range"),
    (limited, "white-balance=9000", "identity limited", "full range"),
    (limited, "saturation=2,ycbcr", "identity limited", "full range"),
  ])
  func aMismatchNamesBoth(_ color: ColorDescription, _ chain: String, _ tagged: String, _ made: String) async throws {
    let error = await #expect(throws: SafelightError.self) { try await process(color, chain) }
    #expect(error?.kind == .unsupported)
    #expect(error?.why.contains(tagged) == true && error?.why.hasSuffix("was made for \(made)") == true)
  }

  /// A PNG has straight alpha, whether it says anything of colors or not.
  @Test func aPNGIsNotUnpremultiplied() async throws {
    let made = SyntheticImage.noise.image(Size(3, 2), channels: .rgba, depth: .bits8)
    let read = try PNGDecoder.decode(PNGEncoder.encode(PNGFile(image: made)), name: "made").image
    let error = await #expect(throws: SafelightError.self) { try await process(read.color, "unpremultiply") }
    #expect(error?.why.contains("alpha straight") == true)
    #expect(try await process(read.color, "premultiply,unpremultiply").color == read.color)
  }

  @Test func picturesThatMeanSomethingElseAreNotEqual() {
    var image = SyntheticImage.flat.image(Size(2, 2), channels: .rgb, depth: .bits8)
    let plain = image
    image.color = .sRGB
    #expect(image != plain)
    #expect(image.replacing(bytes: plain.bytes).color == .sRGB)
    #expect(VideoFrame(image: image).color == .sRGB && VideoFrame(image: image).image(channels: .rgb) == image)
  }

  @Test func aGreyPictureHoldsNoColours() async throws {
    for chain in ["white-balance=9000", "color-matrix=rg=1", "channel-mix=rr=2"] {
      for channels in [Channels.gray, .grayAlpha] {
        let error = await #expect(throws: SafelightError.self) { try await process(.unspecified, chain, channels) }
        #expect(error?.kind == .unsupported && error?.why.contains("gray picture") == true)
      }
    }
    for chain in ["hue=30", "channel-swap", "gray", "white-balance", "channel-mix=rg=1:gb=1:br=1", "ycbcr"] {
      _ = try await process(.unspecified, chain, .gray)
    }
  }
}
