import Foundation
import TestSupport
import Testing

/// Stills that are cut off, which decoders complete with pixels of their own, without a word.
@Suite struct CutStillTests {
  private let folder = TemporaryFolder()

  private func make(_ name: String, _ pixels: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=66x42,noise=alls=30 -pix_fmt \(pixels) -frames:v 1 -update 1 \(name)
      safelight process \(name) -o whole/%d.png --device cpu
      """)
  }

  /// Kinds, and the pixels whose last ones ffmpeg makes up.
  @Test(arguments: [
    ("a.qoi", "rgb24"), ("a.qoi", "rgba"), ("a.dpx", "rgb24"), ("a.dpx", "gray"), ("a.sgi", "rgb24"),
    ("a.sgi", "rgb48be"), ("a.pcx", "rgb24"), ("a.ras", "rgb24"), ("a.ras", "gray"), ("a.tga", "bgra"),
    ("a.pix", "rgb24"), ("a.jpg", "yuvj420p"), ("a.jpg", "yuvj444p"), ("a.jls", "rgb24"), ("a.mjpeg", "yuvj422p"),
  ])
  func aStillWithoutItsEndIsRefused(_ name: String, _ pixels: String) throws {
    try make(name, pixels)
    for cut in [2, 3, 8, 20, 60, 200] {
      let made = try folder.shell(
        """
        head -c -\(cut) \(name) >cut-\(name); rm -rf made
        if safelight process cut-\(name) -o made/%d.png --device cpu; then safelight compare whole made
        else echo "code $?"; fi
        """)
      // Bytes behind the pixels may be missing, but no pixel.
      let isRefused = ["code 65", "code 74"].contains { made.output.hasPrefix($0) }
      #expect(made.output.contains("1 exact") || isRefused, "\(cut): \(made)")
    }
  }

  @Test("other data behind a picture do no harm", arguments: ["a.jpg", "a.tga", "a.sgi", "a.pcx"])
  func whatFollowsDoesNoHarm(_ name: String) throws {
    try make(name, name == "a.jpg" ? "yuvj420p" : name == "a.tga" ? "bgra" : "rgb24")
    try folder.shell(
      "printf 'other data \\377\\330' >>\(name); safelight process \(name) -o made/%d.png --device cpu")
    try folder.shell("safelight compare whole made").prints("1 exact")
  }
}
