import Foundation
import SafelightFrames
import SafelightImage
import Testing

/// `safelight compare` of pictures that are not of one kind: nothing is converted, whatever the tolerance.
@Suite struct CompareKindTests {
  private let folder = TemporaryFolder()

  init() throws {
    try write("expected", Size(24, 16), .rgb, .bits8)
  }

  private func write(_ name: String, _ size: Size, _ channels: Channels, _ depth: SampleDepth) throws {
    let image = SyntheticImage.noise.image(size, channels: channels, depth: depth)
    try PNGFile(image: image).write(to: folder.path("\(name).png"))
  }

  private static let others: [(Size, Channels, SampleDepth, String)] = [
    (Size(24, 17), .rgb, .bits8, "the expected picture has the size 24×16, the actual one 24×17"),
    (Size(24, 16), .rgba, .bits8, "pictures: one has alpha and the other has none; treat the missing alpha as opaque"),
    (Size(24, 16), .gray, .bits8, "the expected picture has the channels rgb, the actual one gray"),
    (Size(24, 16), .rgb, .bits16, "the expected picture has a depth of 8, the actual one 16"),
  ]

  @Test(arguments: others)
  func itIsSaidHowTheyDiffer(_ size: Size, _ channels: Channels, _ depth: SampleDepth, _ text: String) throws {
    try write("actual", size, channels, depth)
    try Tool.run(
      "compare", folder.path("expected.png"), folder.path("actual.png"), "--tolerance", "max<=200", "--progress", "none"
    ).ends(4).prints(text, "0 compared: 0 exact, 0 within, 0 differ; 1 not comparable")
  }

  /// What is there is not called missing.
  @Test func whatCannotBeReadHasAWordOfItsOwn() throws {
    try Data("no picture".utf8).write(to: URL(filePath: folder.path("actual.png")))
    try Tool.run(
      "compare", folder.path("expected.png"), folder.path("actual.png"), "--report", folder.path("r.json"),
      "--progress", "none"
    ).ends(65)
    let report = try folder.text("r.json")
    #expect(report.contains("nothing compared; 1 not readable") && report.contains("\"unreadable\""), "\(report)")
    let listing = try Tool.run(
      "compare", folder.path("expected.png"), folder.path("actual.png"), "--format", "json", "--progress", "none")
    // What programs read is there, and null.
    for key in ["max", "mean", "bias", "over", "psnr", "ssim"] {
      #expect(listing.output.contains("\"\(key)\" : null"), "\(key) in \(listing.output)")
    }
  }
}
