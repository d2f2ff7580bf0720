import Safelight
import SafelightKernels
import TestSupport
import Testing

/// Filters that count, on pictures with pixels that are not seen. What they make is compared with hashes in the suites
/// of goldens.
@Suite struct VisiblePixelsDeviceTests {
  static let chains = [
    "equalize", "equalize=channels=each", "equalize=smooth=2", "clahe=columns=3:rows=2",
    "clahe=columns=3:rows=2:channels=luma", "stretch", "stretch=channels=linked", "stretch=channels=luma",
    "match='\(Fixtures.path("made/rgba8-sprite.png"))'",
    "match='\(Fixtures.path("made/rgba8-sprite.png"))':channels=luma",
  ]

  /// A sprite on a ground of alpha 0 and this color.
  private func sprite(on ground: Int, _ name: String = "made/rgba8-sprite.png") throws -> Image {
    var image = try Fixtures.image(name)
    for place in 0..<image.size.area {
      let (x, y) = (place % image.size.width, place / image.size.width)
      if image[x: x, y: y, sample: 3] == 0 { for sample in 0..<3 { image[x: x, y: y, sample: sample] = ground } }
    }
    return image
  }

  /// The chain by all pixels.
  private func byAll(_ chain: String) -> String { chain + (chain.contains("=") ? ":" : "=") + "counts=all" }

  private func seen(_ image: Image) -> [[Int]] {
    (0..<image.size.area).map { place in
      (0..<4).map { image[x: place % image.size.width, y: place / image.size.width, sample: $0] }
    }.filter { $0[3] > 0 }
  }

  @Test(arguments: TestDevice.all, chains)
  func whatIsNotSeenDecidesNothing(_ test: TestDevice, _ chain: String) async throws {
    let device = try test.open()
    for name in ["made/rgba8-sprite.png", "made/rgba16-sprite.png"] {
      let (black, white) = (try sprite(on: 0, name), try sprite(on: 255, name))
      let made = try await FrameProcessor(chain, on: device).process(black)
      #expect(try await seen(FrameProcessor(chain, on: device).process(white)) == seen(made), "\(name)")
      #expect(chain.hasPrefix("match") || seen(made) != seen(black), "\(name)")
      let all = try await FrameProcessor(byAll(chain), on: device).process(black)
      #expect(seen(all) != seen(made), "\(name) by all pixels")
    }
  }

  @Test(arguments: TestDevice.all, chains)
  func aPictureOfWhichNothingIsSeenStays(_ test: TestDevice, _ chain: String) async throws {
    let image = try Fixtures.image("made/rgba8-invisible.png")
    #expect(try await FrameProcessor(chain, on: test.open()).process(image) == image)
  }

  /// Windows mix the colors of all pixels, unless a color counts by its alpha.
  @Test(arguments: TestDevice.all, ["blur=1.5", "box=5", "bilateral=5"])
  func colorsThatAreNotSeenDoNotShow(_ test: TestDevice, _ chain: String) async throws {
    let device = try test.open()
    for name in ["made/rgba8-sprite.png", "made/rgba16-sprite.png"] {
      let (black, white) = (try sprite(on: 0, name), try sprite(on: 255, name))
      let weighted = try FrameProcessor("\(chain):alpha=weighted", on: device)
      #expect(try await weighted.process(black) == weighted.process(white), "\(name)")
      let plain = try FrameProcessor(chain, on: device)
      #expect(try await seen(plain.process(black)) != seen(plain.process(white)), "\(name) without weights")
    }
  }

  @Test(arguments: ["blur=1.5", "box=5", "bilateral=5"])
  func premultipliedColorsAreNotWeighedAgain(_ chain: String) throws {
    var image = try sprite(on: 0).descriptor
    image.color.alpha = .premultiplied
    let device = try Device.open(.cpu)
    let weighted = try FilterChain(parsing: "\(chain):alpha=weighted", device: device)
    let error = #expect(throws: SafelightError.self) { try weighted.output(of: image) }
    #expect(error?.kind == .unsupported && error?.why.contains("once more") == true)
    #expect(try FilterChain(parsing: chain, device: device).output(of: image) == image)
  }

  /// Black by right, where colors are multiplied by alpha.
  @Test(arguments: chains) func premultipliedPixelsAllCount(_ chain: String) throws {
    var image = try sprite(on: 0).descriptor
    #expect(try looksAtAlpha(chain, image))
    image.color.alpha = .premultiplied
    #expect(try !looksAtAlpha(chain, image))
  }

  /// It would take time for nothing.
  @Test(arguments: chains + ["mean"]) func picturesWithoutAlphaAreNotSearchedForIt(_ chain: String) throws {
    #expect(try looksAtAlpha(chain, ImageDescriptor(size: Size(41, 37), channels: .rgba, depth: .bits8)))
    #expect(try !looksAtAlpha(chain, ImageDescriptor(size: Size(41, 37), channels: .rgb, depth: .bits8)))
    #expect(try !looksAtAlpha(byAll(chain), ImageDescriptor(size: Size(41, 37), channels: .rgba, depth: .bits8)))
  }

  /// True if functions for pictures like `image` leave pixels out.
  private func looksAtAlpha(_ chain: String, _ image: ImageDescriptor) throws -> Bool {
    let device = try Device.open(.cpu)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    func texture(_ label: String) throws -> TiledTexture {
      try TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, label: label)
    }
    let (source, destination) = (try texture("source").holding(image), try texture("destination"))
    for filter in try FilterChain(parsing: chain, device: device).filters {
      if let measurement = filter.measurement {
        let memory = try device.makeBuffer(length: measurement.byteCount(of: source))
        measurement.encode(to: buffer, source: source, into: memory, offset: 0)
      }
      filter.encode(to: buffer, source: source, input: nil, destination: destination)
    }
    return buffer.recording.hasFunction(defining: "COUNTS_VISIBLE", as: "1")
  }
}
