import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// `--auto-orient`: frames are turned upright as their tags say, and the tags no longer ask for it.
@Suite struct AutoOrientTests {
  let folder = TemporaryFolder()

  /// Exif data with a text before the orientation and a number behind it.
  private static func exif(_ orientation: Int) -> [UInt8] {
    let entries: [[UInt8]] = [
      [0x01, 0x0F, 0, 2, 0, 0, 0, 3, 0x41, 0x42, 0, 0],
      [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0], [0x01, 0x1A, 0, 4, 0, 0, 0, 1, 0, 0, 0, 6],
    ]
    return Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 3] + entries.flatMap(\.self) + [0, 0, 0, 0]
  }

  /// Writes a picture that is stored as `orientation` says; nil for one without Exif data.
  private func write(_ image: Image, _ orientation: Int?, chunks: [PNGChunk] = [], to name: String) throws {
    let exif = orientation.map { [PNGChunk(type: "eXIf", data: Self.exif($0))] } ?? []
    try folder.write(
      PNGEncoder.encode(PNGFile(image: image, metadata: PNGMetadata(chunks: chunks + exif))), to: name)
  }

  private func exif(of name: String) throws -> [UInt8]? { try PNGFile(reading: folder.path(name)).metadata["eXIf"] }

  /// Orientations 0 and 9 mean nothing, to Pillow too.
  @Test(arguments: ["size-17x31", "rgba8-noise", "greya8-noise", "grey16-every-value"])
  func pixelsAreThoseOfPillow(_ picture: String) throws {
    let text = try Data(contentsOf: URL(filePath: Tool.fixture("golden/orientation/hashes.json")))
    let hashes = try #require(
      JSONDecoder().decode([String: [String: String]].self, from: text)["made/\(picture).png"])
    let image = try PNGFile(reading: Tool.fixture("made/\(picture).png")).image
    for number in 0..<10 { try write(image, number, to: "in/\(number).png") }
    try folder.safelight("process in -o out --auto-orient --report r.json --progress none").says(only: "")
    let report = try folder.report("r.json")
    #expect(report.frames.map(\.pixels) == (0..<10).map { hashes["\($0)"] })
    for number in 0..<10 {
      #expect(try exif(of: "out/\(number).png") == Self.exif([0, 9].contains(number) ? number : 1))
    }
  }

  /// Frames of a sequence differ in their turns, and so in their sizes; a device makes of them what the twins make.
  @Test func eachFrameHasItsOwnTurn() throws {
    let image = SyntheticImage.noise.image(Size(9, 6), channels: .rgb, depth: .bits8)
    let turns = [6, nil, 3, 6, 8, 1, 2]
    for (number, turn) in turns.enumerated() { try write(image, turn, to: "in/f\(number).png") }
    let chain = "blur=1,equalize=smooth=3,pad=left=1:color=gray"
    try folder.shell(
      """
      safelight process in -o out --auto-orient --filter \(chain) --device software --verify-with cpu -q
      safelight process in -o twins --auto-orient --filter \(chain) --device cpu -q; diff -r out twins
      """)
    for (number, turn) in turns.enumerated() {
      let isOnItsSide = (turn ?? 1) >= 5
      #expect(try folder.image("out/f\(number).png").size == (isOnItsSide ? Size(7, 9) : Size(10, 6)))
      #expect(try exif(of: "out/f\(number).png") == (turn == nil ? nil : Self.exif(1)))
    }
    // It is the chain behind the filter that turns, with its second pictures.
    try folder.write(SyntheticImage.ramp.image(Size(6, 9), channels: .rgb, depth: .bits8), to: "second.png")
    try folder.shell(
      """
      mkdir one; cp in/f0.png in/f3.png one/; chain=invert,blend=multiply:with=second.png,crop=width=5:height=6
      safelight process one -o a --auto-orient --filter $chain --report a.json --device cpu
      safelight process one -o b --filter orient=6,$chain --report b.json --device cpu
      """)
    #expect(try folder.report("a.json").frames.map(\.pixels) == folder.report("b.json").frames.map(\.pixels))
    #expect(try folder.text("a.json").contains(#""autoOrient":true"#))
    #expect(try folder.text("b.json").contains(#""autoOrient":false"#))
  }

  @Test func withoutTheOptionOrATagNothingChanges() throws {
    let image = SyntheticImage.noise.image(Size(9, 6), channels: .rgb, depth: .bits8)
    try write(image, nil, to: "in/plain.png")
    try write(image, 6, to: "tagged/t.png")
    try folder.shell(
      """
      safelight process in -o a --filter invert --device cpu
      safelight process tagged -o c --device cpu
      """)
    try folder.safelight("process in -o b --filter invert --auto-orient --progress none").says(only: "")
    #expect(try folder.image("a/plain.png") == folder.image("b/plain.png"))
    #expect(try folder.image("c/t.png") == image)
    #expect(try exif(of: "c/t.png") == Self.exif(6))
  }

  /// Exif data may lie behind the pixels, and huge pictures go in bands of rows.
  @Test func bandsAreThoseOfTheWhole() throws {
    let image = SyntheticImage.noise.image(Size(300, 2000), channels: .rgb, depth: .bits8)
    for turn in [2, 6] {
      try write(image, turn, to: "in/\(turn).png")
      let file = try folder.bytes("in/\(turn).png")
      let place = try #require(file.indices.first { file[$0...].starts(with: "eXIf".utf8) }) - 4
      let chunk = file[place..<place + 12 + Self.exif(1).count]
      try folder.write(
        Array(file[..<place] + file[chunk.endIndex..<file.count - 12] + chunk + file.suffix(12)),
        to: "in/\(turn)-behind.png")
    }
    try folder.shell("safelight process in -o whole --auto-orient --filter blur=2 --report w.json -q --device cpu")
    let bands = try folder.shell(
      """
      safelight process in/2.png in/2-behind.png -o bands --auto-orient --filter blur=2 --report b.json --memory 3M \
      --progress none --device cpu
      """
    ).says("in bands of rows")
    #expect(!bands.errors.contains("all of it"))
    for name in ["2.png", "2-behind.png"] {
      #expect(try folder.image("bands/\(name)") == folder.image("whole/\(name)"))
      #expect(try exif(of: "bands/\(name)") == Self.exif(1))
    }
    // Turns need the whole picture, and say so.
    try folder.safelight("process in/6-behind.png -o none --auto-orient --memory 3M", code: 71)
      .says("'orient=orientation=6' needs all of it at once")
  }

  @Test func theShapeOfPixelsTurnsToo() throws {
    let image = SyntheticImage.ramp.image(Size(8, 6), channels: .rgb, depth: .bits8)
    let shape = PNGChunk(type: "pHYs", data: [0, 0, 0, 1, 0, 0, 0, 2, 0])
    for turn in [3, 8] { try write(image, turn, chunks: [shape], to: "in/\(turn).png") }
    try folder.safelight("process in -o out --auto-orient")
    #expect(try PNGFile(reading: folder.path("out/3.png")).metadata["pHYs"] == [0, 0, 0, 1, 0, 0, 0, 2, 0])
    #expect(try PNGFile(reading: folder.path("out/8.png")).metadata["pHYs"] == [0, 0, 0, 2, 0, 0, 0, 1, 0])
  }

  @Test func existingOutputsAreThoseOfTheOption() throws {
    let image = SyntheticImage.ramp.image(Size(8, 6), channels: .rgb, depth: .bits8)
    try write(image, 6, to: "in/a.png")
    try folder.shell(
      """
      safelight process in -o out --auto-orient --device cpu
      safelight process in -o out --auto-orient --existing verify --device cpu 2>&1 | grep -q "1 skipped"
      safelight process in -o out --existing verify --device cpu 2>&1 | grep -q "made anew"
      safelight submit slurm --dry-run --parts 1 -- process in -o new --auto-orient | grep -q -- "--auto-orient"
      """)
  }

  /// A film of pictures has the sides of the first, upright; a frame of other sides is refused by its name.
  @Test func filmsOfPictures() throws {
    let image = SyntheticImage.noise.image(Size(10, 6), channels: .rgb, depth: .bits8)
    for (number, turn) in [6, 8, 5].enumerated() { try write(image, turn, to: "in/f\(number + 1).png") }
    try folder.safelight("process in -o a.mkv --lossless").says("a.mkv is not rotated as it asks, which --auto-orient")
    let told = try folder.safelight("process in -o b.mkv --lossless --auto-orient")
    #expect(told.errors.contains("Exif data") && !told.errors.contains("rotated"))
    try folder.shell(
      """
      safelight process b.mkv -o film/f%d.png --device cpu -q; safelight process in -o out --auto-orient --device cpu -q
      safelight compare film out
      """)
    try write(image, 1, to: "in/f4.png")
    try folder.safelight("process in -o c.mkv --auto-orient", code: 65).says("in/f4.png")
  }

  /// ffmpeg's own turn is the truth; with the option and without it films are turned, and what is written is upright.
  @Test(arguments: [90, 180, 270]) func filmsOfPhones(_ degrees: Int) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 2 -c:v libx264 -qp 0 plain.mp4
      ffmpeg -v error -i plain.mp4 -c copy -metadata:s:v:0 rotate=\(degrees) phone.mp4
      ffprobe -v error -show_streams phone.mp4 | grep -q displaymatrix
      ffmpeg -v error -i phone.mp4 -f rawvideo -pix_fmt yuv420p wanted.raw
      """)
    for option in ["", "--auto-orient"] {
      try folder.safelight("process phone.mp4 -o a.mkv --lossless \(option) -q")
      try folder.shell(
        """
        ffmpeg -v error -y -noautorotate -i a.mkv -f rawvideo -pix_fmt yuv420p made.raw; cmp wanted.raw made.raw
        ! ffprobe -v error -show_streams a.mkv | grep -q -e displaymatrix -e rotate; rm a.mkv
        """)
    }
    try folder.safelight("process phone.mp4 -o out --auto-orient")
    #expect(try folder.image("out/phone.000001.png").size == (degrees == 180 ? Size(64, 48) : Size(48, 64)))
  }
}
