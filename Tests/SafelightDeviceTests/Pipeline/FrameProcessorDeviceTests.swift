import Safelight
import TestSupport
import Testing

@Suite struct FrameProcessorDeviceTests {
  static let sizes = [Size(17, 31), Size(64, 3), Size(1, 1), Size(17, 31)]

  /// One processor, pictures of any size, kind and depth in turn: each as a processor of its own makes it.
  @Test(arguments: TestDevice.all)
  func sizesChangeFromPictureToPicture(_ test: TestDevice) async throws {
    let device = try test.open()
    let processor = FrameProcessor(
      device: device, chain: try FilterChain(parsing: "equalize,saturation=1.5", device: device))
    for depth in SampleDepth.allCases {
      for channels in [Channels.rgb, .gray, .rgba, .grayAlpha] {
        for size in Self.sizes {
          let image = SyntheticImage.noise.image(size, channels: channels, depth: depth)
          let alone = FrameProcessor(
            device: device, chain: try FilterChain(parsing: "equalize,saturation=1.5", device: device))
          let result = try await processor.process(image)
          #expect(try await result == alone.process(image), "\(size) \(channels) \(depth)")
          #expect(result.size == size && result.channels == channels && result.depth == depth)
        }
      }
    }
  }

  /// Working textures and counts are shared by all frames on the way: none may see another's.
  @Test(arguments: TestDevice.all)
  func framesOnTheWayKeepOrderAndContents(_ test: TestDevice) async throws {
    let device = try test.open()
    let processor = FrameProcessor(device: device, chain: try FilterChain(parsing: "equalize", device: device))
    let images = (0..<12).map { frame in
      var image = SyntheticImage.noise.image(Size(33, 17), channels: .rgb, depth: .bits8)
      // Each frame has a value of its own in a third of its pixels, so that no two tables are alike.
      for index in 0..<33 * 17 / 3 { image[x: index % 33, y: index / 33, sample: 0] = 7 * frame }
      return image
    }
    let submissions = try images.enumerated().map { try processor.submit($1, label: "frame \($0)") }
    for (image, submission) in zip(images, submissions) {
      let result = try await submission.image()
      let alone = FrameProcessor(device: device, chain: try FilterChain(parsing: "equalize", device: device))
      #expect(try await result == alone.process(image))
    }
    #expect(Set(images).count == images.count)
  }

  /// Chains of one, two and three: the twins agree, and one filter after the other gives the same.
  @Test(arguments: TestDevice.all, SampleDepth.allCases)
  func chainsAreTheirFiltersInTurn(_ test: TestDevice, _ depth: SampleDepth) async throws {
    let device = try test.open()
    let image = SyntheticImage.noise.image(Size(65, 63), channels: .rgba, depth: depth)
    var filters: [String] = []
    var expected = image
    for filter in ["saturation=1.5", "equalize=channels=luma", "saturation=0.5"] {
      filters.append(filter)
      let single = FrameProcessor(device: device, chain: try FilterChain(parsing: filter, device: device))
      let before = expected
      expected = try await single.process(before)
      #expect(expected != before)
      let chain = try FilterChain(parsing: filters.joined(separator: ","), device: device)
      let processor = FrameProcessor(device: device, chain: chain, verifying: try Device.open(.cpu))
      #expect(try await processor.process(image) == expected, "\(filters)")
    }
  }

  /// A twin that cannot run is not passed over.
  @Test(arguments: TestDevice.all)
  func verifyingNeedsItsTwin(_ test: TestDevice) async throws {
    let device = try test.open()
    let twin = try Device.open(.cpu)
    twin.close()
    let processor = FrameProcessor(
      device: device, chain: try FilterChain(parsing: "passthrough", device: device), verifying: twin)
    let image = SyntheticImage.noise.image(Size(17, 31), channels: .rgb, depth: .bits8)
    await #expect(throws: SafelightError.self) { try await processor.process(image) }
  }

  @Test(arguments: TestDevice.all)
  func passthroughKeepsEveryByte(_ test: TestDevice) async throws {
    let device = try test.open()
    let processor = FrameProcessor(
      device: device, chain: try FilterChain(parsing: "passthrough,passthrough,passthrough,passthrough", device: device)
    )
    for size in Self.sizes {
      let image = SyntheticImage.noise.image(size, channels: .rgba, depth: .bits16)
      #expect(try await processor.process(image) == image)
    }
  }
}
