import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// A PNG on standard input and on standard output.
@Suite struct StreamedPictureTests {
  /// A picture that is piped in is kept in a file meanwhile, where TMPDIR says.
  @Test func theFolderOfTemporaryFilesCounts() throws {
    let folder = TemporaryFolder()
    let picture = Tool.word("dark-room/frame0001.png")
    try folder.shell("TMPDIR=$PWD/none safelight process - -o a.png --device cpu <\(picture)", code: 74)
      .says("standard input: cannot be kept in a file in \(folder.path("none"))", "set TMPDIR to a folder")
    try folder.shell("TMPDIR=$PWD safelight process - -o a.png --device cpu <\(picture); ls -A").prints("a.png")
    #expect(try folder.names() == ["a.png"])
  }

  let folder = TemporaryFolder()

  init() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc=size=64x48 -frames:v 2 f%d.png
      ffmpeg -v error -i f1.png -frames:v 1 r.jpg
      safelight process f1.png -o expected.png --filter invert --device cpu
      """)
  }

  private func isExpected(_ name: String) throws -> Bool {
    try PNGFile(reading: folder.path(name)).image == folder.image("expected.png")
  }

  @Test(
    "a pipe, a file and a socket hold the same picture", arguments: ["cat f1.png |", "<f1.png", "python3 served.py"])
  func standardInput(source: String) throws {
    try folder.shell(
      """
      cat > served.py <<'PYTHON'
      import socket, subprocess, sys
      near, far = socket.socketpair()
      far.sendall(open("f1.png", "rb").read())
      far.close()
      sys.exit(subprocess.run(sys.argv[1:], stdin=near).returncode)
      PYTHON
      """)
    try folder.shell("\(source) safelight process - -o a.png --filter invert --device cpu")
    #expect(try isExpected("a.png"))
    try folder.shell("\(source) safelight process - -o out --filter invert --device cpu")
    #expect(try folder.names("out") == ["stdin.png"])
    try folder.shell("\(source) safelight histogram - --device cpu").prints("\"width\":64")
  }

  @Test func standardOutput() throws {
    let tool = "--filter invert --device cpu -o - --output-format png"
    try folder.shell(
      "safelight process f1.png \(tool) > a.png; safelight process - \(tool) <f1.png | cat > b.png; safelight process f1.png -o d.png --filter invert --device cpu"
    )
    #expect(try isExpected("a.png"))
    #expect(try isExpected("b.png"))
    #expect(try folder.bytes("a.png") == folder.bytes("d.png"))
    try folder.shell("safelight process r.jpg -o - --output-format png --device cpu > c.png")
    #expect(try folder.image("c.png").size.width == 64)
    try folder.shell("safelight process f1.png f2.png \(tool)", code: 64)
      .says("2 frames cannot go to standard output as PNG").prints(only: "")
    try folder.shell("safelight process f1.png \(tool) --report -", code: 64).says("pixels go to standard output too")
  }

  @Test("Y4M goes on as a stream, and what is neither is told apart")
  func otherStreams() throws {
    try folder.shell(
      """
      ffmpeg -v error -i f%d.png -pix_fmt yuv444p -f yuv4mpegpipe - | safelight process - -o film --device cpu
      """)
    #expect(try folder.names("film") == ["frame.000001.png", "frame.000002.png"])
    try folder.shell("echo hello | safelight process - -o x --device cpu", code: 65)
      .says("not a Y4M film; it holds text; pass a PNG")
    try folder.shell("printf '\\211PN' | safelight process - -o x --device cpu", code: 65).says("standard input")
    for (source, text) in [("cat r.jpg |", "it holds a JPEG picture"), ("</dev/null", "it is empty")] {
      try folder.shell(
        "\(source) safelight process - -o - --output-format png --device cpu", code: 65
      ).says("standard input: it is", text)
    }
  }

  @Test("a pair needs no equal names", arguments: ["f1.png - <f1.png", "- f1.png <f1.png"])
  func comparison(arguments: String) throws {
    try folder.shell("safelight compare \(arguments)").prints(first: "1 compared: 1 exact")
    try folder.shell("safelight compare \(arguments.replacing("<f1", with: "<f2"))", code: 1)
      .prints("1 compared: 0 exact, 0 within, 1 differ")
  }

  @Test("nobody types a picture, and no terminal is painted with one")
  func terminals() throws {
    try folder.shell("script -qec 'safelight process - -o x.png' /dev/null", code: 64)
      .prints("it is a terminal instead of a film or a picture")
    try folder.shell("script -qec 'safelight process f1.png -o -' /dev/null", code: 64)
      .prints("it is a terminal, and pixels")
    try folder.shell("script -qec 'safelight histogram f1.png --format png' /dev/null", code: 64)
      .prints("it is a terminal, and pixels")
  }
}
