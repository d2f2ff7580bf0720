import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// The shape of pixels, from films and PNG files to films and PNG files.
@Suite struct PixelAspectTests {
  let folder = TemporaryFolder()

  /// `a.EXTENSION`: 64×48 pixels of 16:15.
  private func makeFilm(_ film: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -vf setsar=16/15 -pix_fmt yuv420p -frames:v 2 \
      \(film.hasSuffix(".ts") ? "-c:v libx264" : "") \(film)
      """)
  }

  /// A PNG of 8×6 pixels with the `pHYs` numbers.
  private func makePicture(_ name: String, _ numbers: [UInt32], unit: UInt8) throws {
    let data = numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } } + [unit]
    let image = SyntheticImage.ramp.image(Size(8, 6), channels: .rgb, depth: .bits8)
    try PNGFile(image: image, metadata: PNGMetadata(chunks: [PNGChunk(type: "pHYs", data: data)]))
      .write(to: folder.path(name))
  }

  /// What ffprobe says of a film, and the chunk of a PNG, which ffmpeg reads and writes the wrong way round: its first
  /// number counts the pixels in a unit from left to right.
  private func shape(_ film: String) throws -> String {
    if film.hasSuffix(".png") {
      guard let data = try density(film) else { return "none" }
      return [data[4..<8], data[0..<4]].map { "\($0.reduce(0) { $0 << 8 | Int($1) })" }.joined(separator: ":")
    }
    return try folder.shell(
      "ffprobe -v error -select_streams v -show_entries stream=sample_aspect_ratio -of default=nw=1:nk=1 \(film)"
    ).output.split(separator: "\n").first.map(String.init) ?? ""
  }

  private func density(_ name: String) throws -> [UInt8]? {
    try PNGFile(reading: folder.path(name)).metadata["pHYs"]
  }

  @Test(arguments: ["a.mp4", "a.mkv", "a.mov", "a.y4m", "a.nut", "a.ts"])
  func filmsGiveItToPicturesAndFilms(_ film: String) throws {
    try makeFilm(film)
    try folder.shell(
      """
      safelight process \(film) -o out/a.%d.png --device cpu
      safelight process out -o b.mkv --device cpu; safelight process out -o b.y4m --device cpu
      safelight process \(film) -o c.mp4 --device cpu
      """)
    for name in ["out/a.1.png", "out/a.2.png"] { #expect(try density(name) == [0, 0, 0, 15, 0, 0, 0, 16, 0]) }
    for film in ["b.mkv", "b.y4m", "c.mp4", "out/a.1.png"] { #expect(try shape(film) == "16:15", "\(film)") }
  }

  /// As ffmpeg's own scale does; a crop changes nothing.
  @Test(arguments: [
    ("resize=width=32:height=48", "scale=32:48"), ("resize=width=32", "scale=32:24"),
    ("resize=width=60:height=48", "scale=60:48"), ("crop=width=30:height=20", "crop=30:20"),
    ("resize=width=60:height=60:fit=cover", "scale=80:60,crop=60:60"),
    ("resize=width=60:height=60:fit=contain", "scale=60:45,pad=60:60"),
    ("crop=width=30:height=20,resize=width=30:height=10", "crop=30:20,scale=30:10"),
  ])
  func resizingKeepsTheProportions(_ filter: String, _ ffmpegs: String) throws {
    try makeFilm("a.mkv")
    try folder.shell(
      """
      ffmpeg -v error -i a.mkv -vf \(ffmpegs) -c:v ffv1 wanted.mkv
      safelight process a.mkv -o a.nut --filter \(filter) --device cpu
      safelight process a.mkv -o out/a.%d.png --filter \(filter) --device cpu
      safelight process a.mkv -o whole/a.%d.png --device cpu
      safelight process whole -o again/ --filter \(filter) --device cpu
      safelight process whole -o b.mkv --filter \(filter) --device cpu
      """)
    let wanted = try shape("wanted.mkv")
    for film in ["a.nut", "b.mkv", "out/a.1.png", "again/a.1.png"] { #expect(try shape(film) == wanted, "\(film)") }
  }

  @Test func theOptionSetsIt() throws {
    try makeFilm("a.mkv")
    try makePicture("dpi.png", [11811, 11811], unit: 1)
    try folder.shell(
      """
      safelight process a.mkv -o b.mkv --pixel-aspect 1:1 --device cpu
      safelight process a.mkv -o c.mkv --pixel-aspect 20:22 --filter resize=width=32:height=48 --device cpu
      safelight process a.mkv -o out/a.%d.png --pixel-aspect 2:1 --device cpu
      safelight process out -o d.mkv --device cpu
      safelight process dpi.png -o e.png --pixel-aspect 2:1 --device cpu
      """)
    for (film, wanted) in [
      ("b.mkv", "1:1"), ("c.mkv", "10:11"), ("out/a.1.png", "2:1"), ("d.mkv", "2:1"), ("e.png", "23622:11811"),
    ] {
      #expect(try shape(film) == wanted, "\(film)")
    }
    for wrong in ["0:1", "1", "1:1:1", "-1:1", "x:y", "1:4294967296"] {
      try folder.safelight("process a.mkv -o e.mkv --pixel-aspect=\(wrong)", code: 64).says("--pixel-aspect")
    }
  }

  /// A resolution with equal axes is a size on paper, and stays byte for byte.
  @Test func resolutionsStay() throws {
    try makePicture("dpi.png", [11811, 11811], unit: 1)
    try makePicture("fax.png", [8031, 3858], unit: 1)
    try folder.shell(
      """
      safelight process dpi.png -o a.png --filter resize=width=4:height=6 --device cpu
      safelight process fax.png -o b.png --device cpu
      safelight process fax.png -o c.png --filter resize=width=4:height=6 --device cpu
      safelight process dpi.png -o dpi.mkv --device cpu; safelight process fax.png -o fax.mkv --device cpu
      """)
    #expect(try density("a.png") == density("dpi.png") && density("b.png") == density("fax.png"))
    // Pixels twice as wide.
    #expect(try density("c.png") == [0, 0, 31, 95, 0, 0, 30, 36, 1])
    #expect(try ["1:1", "N/A"].contains(shape("dpi.mkv")))
    #expect(try shape("fax.mkv") == "1286:2677" || shape("fax.mkv") == "3858:8031")
  }

  @Test func whatAFilmCannotHoldIsTold() throws {
    try folder.shell("mkdir in")
    try makePicture("in/a.1.png", [1, 2], unit: 0)
    try makePicture("in/a.2.png", [1, 3], unit: 0)
    try folder.safelight("process in -o a.mkv").says("its pixels are 3:1, but those of a.mkv are 2:1")
    try folder.safelight("process in/a.1.png -o a.raw").says("a.raw does not say that its pixels are 2:1")
    let told = try folder.safelight("process in -o b.mkv --pixel-aspect 1:1")
    #expect(!told.errors.contains("its pixels"), "\(told.errors)")
    // A run that writes another shape makes other files.
    try folder.shell(
      """
      safelight process in -o out --device cpu
      safelight process in -o out --existing verify --device cpu 2>&1 | grep -q "2 skipped"
      safelight process in -o out --existing verify --pixel-aspect 1:1 --device cpu 2>&1 | grep -q "made anew"
      """)
  }
}
