import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// Pictures of several kinds become one film, whose kind loses nothing of any.
@Suite struct MixedPictureTests {
  let folder = TemporaryFolder()

  /// Files that ffmpeg makes of one gray picture: `in/1.png` … of these pixel formats.
  private func make(_ formats: [String]) throws {
    let lines = formats.enumerated().map { "ffmpeg -v error -i base.png -pix_fmt \($1) in/\($0 + 1).png" }
    try folder.shell(
      """
      mkdir -p in; ffmpeg -v error -f lavfi -i testsrc2=size=32x24 -frames:v 1 -pix_fmt gray base.png
      \(lines.joined(separator: "\n"))
      """)
  }

  @Test(arguments: [
    (["gray", "rgb24", "pal8"], "1 is gray of 8 bits, 2 are RGB of 8 bits; all become RGB of 8 bits", "rgb24"),
    (["rgb24", "rgba", "gray"], "all become RGB with alpha of 8 bits", "rgba"),
    (["gray", "gray16be", "gray"], "1 is gray of 16 bits, 2 are gray of 8 bits; all become gray", "gray16le"),
    (["gray", "rgb48be"], "all become RGB of 16 bits", "rgb48le"),
    (["monob", "ya8", "rgb24"], "all become RGB with alpha of 8 bits", "rgba"),
  ])
  func allAreKept(_ formats: [String], _ line: String, _ pixels: String) throws {
    try make(formats)
    let told = try folder.shell("safelight process in -o a.nut --device cpu").says("of the frames, ", line)
    #expect(told.errors.components(separatedBy: "all become").count == 2)
    // Each frame as ffmpeg widens its picture; to RGB of 16 bits it is exact by way of gray alone.
    let lines = formats.enumerated().map { place, format in
      let way = format == "gray" && pixels == "rgb48le" ? "-vf format=gray16le" : ""
      return "ffmpeg -v error -i in/\(place + 1).png \(way) -pix_fmt \(pixels) -f rawvideo - >> wanted"
    }
    try folder.shell(
      """
      \(lines.joined(separator: "\n"))
      ffmpeg -v error -i a.nut -pix_fmt \(pixels) -f rawvideo made; cmp wanted made
      """)
  }

  @Test func filmsOfLumaAndChromaTakeThemToo() throws {
    try make(["gray", "rgb24", "rgb48be", "pal8"])
    for film in ["a.mp4", "a.webm", "a.y4m", "a.mkv"] {
      try folder.safelight("process in -o \(film) --filter gamma=1.1").says("all become RGB of 16 bits", "4 frames")
    }
  }

  /// Where alpha has no place, pictures without it are not said to lose it.
  @Test func alphaIsNotMadeForFilmsWithoutIt() throws {
    try make(["rgb24", "rgba", "gray"])
    let told = try folder.safelight("process in -o a.mp4")
      .says("of the frames, 1 is gray of 8 bits, 2 are RGB of 8 bits; all become RGB of 8 bits")
    #expect(told.errors.components(separatedBy: "its alpha is left out").count == 2, "\(told.errors)")
    #expect(told.errors.contains("in/2.png: its alpha is left out of a.mp4"))
  }

  @Test func oneKindHasNoLine() throws {
    try make(["gray", "gray"])
    let told = try folder.safelight("process in -o a.nut")
    #expect(!told.errors.contains("of the frames"), "\(told.errors)")
  }

  /// A picture that cannot be read is reported as such, and not by its kind.
  @Test func whatIsNoPictureIsReported() throws {
    try make(["gray", "rgb24"])
    try folder.shell("head -c 20 in/2.png > in/3.png; safelight process in -o a.nut --device cpu", code: 65)
      .says("in/3.png")
  }
}
