import Safelight
import TestSupport
import Testing

/// Frames that come and go through mapped memory, as on a GPU; here on whatever maps buffers for good.
@Suite struct MappedFramesDeviceTests {
  private static let color = ColorDescription(matrix: .bt709, range: .limited, siting: .left)
  private static let layouts: [PixelLayout] = [
    .yCbCr420Planar8, .yCbCr422Planar10, .yCbCr444Planar16, .yCbCr420BiPlanar8,
  ]

  private func processor(_ device: Device, maps: Bool) throws -> FrameProcessor {
    FrameProcessor(device: device, chain: try FilterChain(parsing: "equalize,invert", device: device), maps: maps)
  }

  /// Sizes and kinds change from frame to frame, all on the way at once: memory of one must not be taken for another's.
  @Test(arguments: TestDevice.all)
  func theyAreThoseThatComeAsTheyAre(_ test: TestDevice) async throws {
    let device = try test.open()
    let (mapped, plain) = (try processor(device, maps: true), try processor(device, maps: false))
    var images: [Image] = []
    for round in 0..<3 {
      for (number, size) in [Size(17, 31), Size(64, 3), Size(2100, 2), Size(17, 31)].enumerated() {
        for channels in [Channels.rgb, .gray] {
          var image = SyntheticImage.noise.image(size, channels: channels, depth: .bits8)
          for place in 0..<size.width { image[x: place, y: 0, sample: 0] = 20 * round + number }
          images.append(image)
        }
      }
    }
    for _ in 0..<2 {
      let submissions = try images.map { try mapped.submit($0, label: "frame") }
      for (image, submission) in zip(images, submissions) {
        let expected = try await plain.process(image)
        #expect(try await submission.image() == expected)
        // Asked again, it is the same, whoever has the memory by now.
        #expect(try await submission.image() == expected)
      }
    }
  }

  @Test(arguments: TestDevice.all, Self.layouts)
  func planesToo(_ test: TestDevice, _ layout: PixelLayout) async throws {
    let device = try test.open()
    let (mapped, plain) = (try processor(device, maps: true), try processor(device, maps: false))
    let frames = MemoryVideo(4, Size(2101, 5), layout, color: Self.color).frames
    let layout = FrameLayout.planes(layout, Self.color)
    let submissions = try frames.map { try mapped.submit(.planes($0), as: layout, label: "frame") }
    for (frame, submission) in zip(frames, submissions) {
      let expected = try await plain.submit(.planes(frame), as: layout, label: "frame").finished()
      guard case .planes(let expected) = expected, case .planes(let actual) = try await submission.finished() else {
        Issue.record("no planes came back")
        continue
      }
      #expect(actual.planes == expected.planes)
    }
  }
}
