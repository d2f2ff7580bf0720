import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// `--explain`: the passes of the first frame, on standard output, and nothing else.
@Suite struct ExplainTests {
  let folder = TemporaryFolder()

  init() throws {
    for number in 0..<2 {
      let image = SyntheticImage.noise.image(Size(60, 40 + number), channels: .rgb, depth: .bits8)
      try folder.write(image, to: "in/a\(number).png")
    }
  }

  private func explained(_ arguments: String) throws -> String {
    let told = try folder.safelight("process \(arguments) --explain -q").says(only: "")
    #expect(try folder.names().allSatisfy { ["in", "film.mkv", "gray.png"].contains($0) })
    return told.output
  }

  /// Every line of a chain of two filters, without the spaces that align the columns.
  @Test func eachPassHasItsLines() throws {
    let lines = try explained("in --filter blur=2,stretch").split(separator: "\n")
    let words = lines.map { $0.split(separator: " ").joined(separator: " ") }
    #expect(
      words.joined(separator: "\n") == """
        in/a0.png: 60×40, RGB of 8 bits
        pass function reads for a pixel bytes makes bytes
        blur
        1 blur picture 60×40 rgba8Unorm 1×13 pixels around its place 9600 B temporary 1 60×40 rgba16Uint 19.2 kB
        2 blur temporary 1 60×40 rgba16Uint 13×1 pixels around its place 19.2 kB result 60×40 rgba8Unorm 9600 B
        stretch
        3 histogram_automatic picture 60×40 rgba8Unorm each pixel 9600 B 768 numbers 3072 B
        4 stretch_transform 768 numbers made by a pass before 3072 B table 256×1 2048 B
        5 lookup picture 60×40 rgba8Unorm the pixel at its place 9600 B result 60×40 rgba8Unorm 9600 B
        table 256×1 made by a pass before 2048 B
        makes 60×40, RGB of 8 bits
        5 passes a frame move 96.6 kB: 53.1 kB read, 43.5 kB written
        a huge picture goes in bands of rows; its file is read once for stretch, and once more for the result
        """)
    // Bytes end where their title does.
    let table = lines.filter { $0.hasPrefix(" ") }
    #expect(table.count == 7 && table.dropLast().allSatisfy { $0.count == table[0].count })
  }

  @Test(arguments: [
    ("levels=black=0.1,gamma=1.2,saturation=1.1", "(3 filters, run as one)"),
    ("levels=black=0.1,gamma=1.2,saturation=1.1", "1 lookup+saturation"), ("gamma=1.2", "worked out by the CPU"),
    ("mean", "10 numbers"), ("passthrough", "1 pass a frame moves 19.2 kB: 9600 B read, 9600 B written"),
    ("crop=width=5:height=6", "makes 5×6, RGB of 8 bits"), ("resize=width=30:mode=bilinear", "before scaling"),
    ("blend=with=in/a0.png", "second picture 60×40 rgba8Unorm"),
    ("montage=with=in/a0.png:with=in/a0.png", "second picture 2 60×40 rgba8Unorm"),
    ("crop=width=9,over=with=in/a0.png:x=3", "of it 6×40 at (3, 0)"),
    ("over=image=in/a0.png:x=3", "of it 57×40 at (3, 0)"), ("equalize=smooth=3", "of 3 frames before"),
    ("flip=horizontal", "goes in bands of rows; its file is read once"),
    ("flip=vertical", "'flip=axis=vertical' needs all of it at once; "),
    ("flip=vertical", "its rows need those of the picture from the bottom up"),
    ("invert,rotate=90", "needs all of it at once; one of its rows needs all rows of the picture"),
    ("resize=width=30:height=2:mode=area", "one of its rows needs more than a quarter of all rows of the picture"),
    ("pad=top=4:edge=wrap", "needs all of it at once; it needs rows again after those below them"),
    ("equalize=smooth=3", "remembers the frames before; a frame in bands is begun several times"),
  ]) func itSays(_ chain: String, _ text: String) throws {
    let told = try explained("in/a0.png --filter \(chain)")
    #expect(told.contains(text), "\(told)")
  }

  /// Films and turned pictures have a first frame too, and an output may be named.
  @Test func everyInputHasAFirstFrame() throws {
    let film = try folder.shell(
      "ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 1 -pix_fmt yuv420p film.mkv")
    #expect(film.code == 0)
    let told = try explained("film.mkv --filter invert -o out.mkv")
    #expect(told.hasPrefix("film.mkv, frame 1: 64×48, RGB of 8 bits\nluma and chroma (yuv420p) become red"), "\(told)")
    #expect(told.hasSuffix("a frame of a film is held whole, however large\n"))
    #expect(try explained("in --frames 2 -o out").hasPrefix("in/a1.png: 60×41, "))
    let exif = Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
    let gray = SyntheticImage.ramp.image(Size(8, 6), channels: .gray, depth: .bits16)
    try PNGFile(image: gray, metadata: PNGMetadata(chunks: [PNGChunk(type: "eXIf", data: exif)]))
      .write(to: folder.path("gray.png"))
    let turned = try explained("gray.png --auto-orient --filter invert")
    #expect(turned.contains("the pixel at its place before the turn") && turned.contains("makes 6×8, gray of 16 bits"))
    #expect(try !explained("gray.png --filter invert").contains("turn"))
  }

  /// Mistakes end it as they end a run.
  @Test(arguments: [
    ("in --filter gama", 64, "the nearest that exists is gamma"), ("in --filter gamma=abc", 64, "gamma must be"),
    ("in --filter crop=width=100", 65, "it reaches beyond the picture of 60×40"),
    ("in --filter over=image=none.png", 66, "none.png"), ("none", 66, "no such file"),
    ("in --filter blend=with=gray.png", 65, "8×6"), ("in --dry-run", 64, "leave --dry-run out"),
    ("in --report r.json", 64, "leave --report out"), ("in --lossless", 64, "--lossless"),
  ]) func itFailsAsARunDoes(_ arguments: String, _ code: Int32, _ text: String) throws {
    try folder.write(SyntheticImage.ramp.image(Size(8, 6), channels: .rgb, depth: .bits8), to: "gray.png")
    try folder.safelight("process \(arguments) --explain", code: code).says(text).prints(only: "")
    #expect(try folder.names() == ["gray.png", "in"])
  }

  @Test func onlyARunNeedsAnOutput() throws {
    for verb in ["process", "equalize"] {
      try folder.safelight("\(verb) in", code: 64).says("Missing expected argument '--output <output>'")
    }
    try folder.safelight("equalize in --explain").prints("equalization_transform")
    try folder.shell("safelight submit slurm --dry-run -- process in --explain", code: 64).says("--explain")
  }
}
