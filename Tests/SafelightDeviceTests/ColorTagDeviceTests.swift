import Safelight
import TestSupport
import Testing

/// What samples mean goes with them through a chain.
@Suite struct ColorTagDeviceTests {
  private func process(_ color: ColorDescription, _ chain: String, _ channels: Channels = .rgba) async throws -> Image {
    let device = try Device.open(.cpu)
    var image = SyntheticImage.noise.image(Size(7, 5), channels: channels, depth: .bits16)
    image.color = color
    return try await FrameProcessor(device: device, chain: FilterChain(parsing: chain, device: device))
      .process(image, label: "picture")
  }

  private static let linear = ColorDescription(matrix: .identity, range: .full, transfer: .linear, primaries: .bt709)

  private static let limited = ColorDescription(matrix: .identity, range: .limited, transfer: .sRGB, primaries: .bt709)

  @Test func filtersThatChangeNoMeaningKeepIt() async throws {
    for chain in [
      "saturation=2", "equalize,hue=10", "ycbcr=bits=16", "srgb-to-linear,linear-to-srgb", "exposure=1",
      "white-balance=9000",
    ] {
      #expect(try await process(.sRGB, chain).color == .sRGB, "\(chain)")
    }
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
    (limited, "white-balance=9000", "identity limited", "full range"),
    (limited, "saturation=2,ycbcr", "identity limited", "full range"),
  ])
  func aMismatchNamesBoth(_ color: ColorDescription, _ chain: String, _ tagged: String, _ made: String) async throws {
    let error = await #expect(throws: SafelightError.self) { try await process(color, chain) }
    #expect(error?.kind == .unsupported)
    #expect(error?.why.contains(tagged) == true && error?.why.hasSuffix("was made for \(made)") == true)
  }

  /// A PNG has straight alpha, whether it says anything of colours or not.
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
