import SafelightFrames
import SafelightImage
import Testing

@Suite("The files of a film's frames are named after the film")
struct FilmFrameFilesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func film(_ name: String) throws -> FilmInput {
    try #require(try FilmInput(folder.write(name)))
  }

  private func name(_ film: FilmInput, _ output: String = "out", isSingle: Bool = false) throws -> String {
    try String(FilmFrameFiles(folder(output), of: film, isSingle: isSingle).path(7).dropFirst(folder.path.count + 1))
  }

  @Test(
    "in a folder",
    arguments: [
      ("clip.mp4", "out/clip.000007.png"), ("clip.tar.MOV", "out/clip.tar.000007.png"),
      ("100%.mkv", "out/100%.000007.png"),
      (".hidden", "out/.hidden.000007.png"), ("a.gif", "out/a.000007.png"), ("rocket.jpg", "out/rocket.png"),
      ("scan.2.TIFF", "out/scan.2.png"),
    ])
  func inAFolder(_ film: String, _ expected: String) throws {
    #expect(try name(self.film(film)) == expected)
  }

  @Test(
    "addresses and cameras have names too, standard input has none",
    arguments: [
      ("rtsp://user:secret@host:554/live/cam1?token=1", "cam1"), ("http://host/a/film.mp4#t=1", "film"),
      ("udp://239.0.0.1:1234", "frame"),
    ])
  func withoutAFile(_ input: String, _ stem: String) throws {
    #expect(try name(#require(try FilmInput(input))) == "out/\(stem).000007.png")
    #expect(try name(.stream(.standardInput)) == "out/frame.000007.png")
  }

  @Test("a picture is one frame, a film many")
  func oneFile() throws {
    #expect(try name(film("rocket.jpg"), "one.png") == "one.png")
    #expect(try name(film("clip.mp4"), "one.png", isSingle: true) == "one.png")
    #expect(try name(film("rocket.jpg"), "p.%03d.png") == "p.001.png")
    #expect(try name(film("clip.mp4"), "p.%03d.png") == "p.007.png")
    let third = try FilmFrameFiles(folder("p.%03d.png"), of: film("rocket.jpg"), number: 3, isSingle: false)
    #expect(third.path(1) == folder("p.003.png"))
    expectError(.usage, mentioning: "one.png", "cannot go to one file") {
      _ = try FilmFrameFiles(folder("one.png"), of: film("clip.mp4"), isSingle: false)
    }
    // Not the output is at fault, but the input.
    expectError(.usage, mentioning: "notes is taken for a film") {
      _ = try FilmFrameFiles(folder("one.png"), of: film("notes"), isSingle: false)
    }
  }
}
