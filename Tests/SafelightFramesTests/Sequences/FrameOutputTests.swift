import Glibc
import SafelightFrames
import SafelightImage
import Testing

@Suite("Frame outputs: determined before any work") struct FrameOutputTests {
  let folder = TemporaryFolder()

  private func frames(_ names: String...) throws -> [Frame] {
    try names.enumerated().map { Frame(index: $0, number: $0 + 1, path: try folder.write($1)) }
  }

  @Test("a folder keeps names, and is created with those above it") func newFolder() throws {
    for name in ["out", "deep/er/out", "deep/er/slash/"] {
      let output = try FrameOutput(folder(name), for: frames("s/a.png", "s/b.PNG"))
      let base = folder(name).hasSuffix("/") ? folder(name) : folder(name) + "/"
      #expect(output.paths == [base + "a.png", base + "b.PNG"])
      try output.prepare()
      try output.prepare()
      try folder.write(name + "/a.png")
    }
    #expect(try folder.names() == ["deep", "out", "s"])
  }

  @Test("a PNG file that is called a JPEG gets a PNG's name") func misnamed() throws {
    let frames = try frames("s/a.jpg", "s/b.v2.JPEG", "s/c.0001", "s/jpg")
    #expect(try FrameOutput("out", for: frames).paths == ["out/a.png", "out/b.v2.png", "out/c.0001", "out/jpg.png"])
    let both = try self.frames("s/a.jpg", "s/a.png")
    expectError(.usage, mentioning: "both", "s/a.jpg") { _ = try FrameOutput("out", for: both) }
  }

  @Test("an existing folder is a folder whatever its name") func existingFolder() throws {
    try folder.write("out.png/x")
    #expect(try FrameOutput(folder("out.png"), for: frames("a.png", "b.png")).paths.last == folder("out.png/b.png"))
  }

  @Test("a pattern writes the frames' numbers") func pattern() throws {
    let frames = [101, 99].map { Frame(index: 0, number: $0, path: "s/\($0).png") }
    #expect(try FrameOutput(folder("o.%04d.png"), for: frames).paths == [folder("o.0101.png"), folder("o.0099.png")])
    for name in ["o.%4d.png", "50%off.png"] {
      expectError(.usage, mentioning: "%04d", "or leave % out") { _ = try FrameOutput(folder(name), for: frames) }
    }
    expectError(.usage, mentioning: ".png") { _ = try FrameOutput(folder("o.%04d"), for: frames) }
    // The pattern that is advised works.
    expectError(.usage, mentioning: "50%%.%04d.png") { _ = try FrameOutput(folder("50%.png"), for: frames) }
    #expect(try FrameOutput(folder("50%%.%04d.png"), for: frames).paths.last == folder("50%.0099.png"))
  }

  @Test("one file to one file") func file() throws {
    let one = try frames("a.png")
    #expect(try FrameOutput(folder("b.png"), for: one).paths == [folder("b.png")])
    try folder.write("c.png")
    #expect(try FrameOutput(folder("c.png"), for: one).paths == [folder("c.png")])
    expectError(.usage, mentioning: "the number is in a folder's name") {
      _ = try FrameOutput(folder("d%03d/x.png"), for: frames("a.png", "d.png"))
    }
    expectError(.usage, mentioning: "2 frames", "b.%04d.png") {
      _ = try FrameOutput(folder("b.png"), for: frames("a.png", "d.png"))
    }
  }

  @Test("two inputs of one name are both named") func collision() throws {
    let both = try frames("s/a.png", "t/a.png")
    expectError(.usage, mentioning: folder("out/a.png"), folder("s/a.png"), folder("t/a.png")) {
      _ = try FrameOutput(folder("out"), for: both)
    }
    #expect(try FrameOutput(folder("out/%d.png"), for: both).paths.count == 2)
    // Also if only one of them is chosen: another run would replace its file by that of the other.
    expectError(.usage, mentioning: "out/a.png") { _ = try FrameOutput(folder("out"), for: [both[0]], of: both) }
    #expect(try folder.names() == ["s", "t"])
  }

  @Test("two frames never go to one file through a link, nor does a report to a frame's") func links() throws {
    let frames = try frames("s/1.png", "s/2.png")
    try folder.write("out/other.txt")
    #expect(symlink("2.png", folder("out/1.png")) == 0)
    // The link leads nowhere at first, then to a file.
    for _ in 1...2 {
      expectError(.usage, mentioning: "\(folder("out/1.png")) is the same file by a link") {
        _ = try FrameOutput(folder("out"), for: frames)
      }
      try folder.write("out/2.png")
    }
    #expect(symlink("out/3.png", folder("report.json")) == 0)
    expectError(.usage, mentioning: "would replace the frame", folder("report.json")) {
      try FrameOutput.checkSideFile(folder("report.json"), beside: [], outputs: [folder("out/3.png")])
    }
  }

  @Test("an output never replaces an input, under any name") func inputs() throws {
    let frames = try frames("s/1.png", "s/2.png")
    #expect(symlink("s", folder("link")) == 0)
    for output in ["s", "s/", "link", "s/../s", "s/%d.png"] {
      expectError(.usage, mentioning: "replace the input", folder("s/1.png")) {
        _ = try FrameOutput(folder(output), for: frames)
      }
    }
    #expect(symlink("s/1.png", folder("alias.png")) == 0)
    expectError(.usage, mentioning: "replace the input", folder("s/1.png")) {
      _ = try FrameOutput(folder("alias.png"), for: [frames[0]])
    }
    // Frames that are not written may be read for those that are.
    expectError(.usage, mentioning: "replace the input", folder("s/2.png")) {
      _ = try FrameOutput(folder("s/2.png"), for: [frames[0]], of: frames)
    }
    // Numbers shifted by one would replace frames that are not read yet.
    let shifted = [
      Frame(index: 0, number: 2, path: folder("s/1.png")), Frame(index: 1, number: 3, path: folder("s/2.png")),
    ]
    expectError(.usage, mentioning: "replace the input", folder("s/2.png")) {
      _ = try FrameOutput(folder("s/%d.png"), for: shifted)
    }
  }

  @Test("formats that are not written yet are not taken for folders") func otherFormats() throws {
    let one = try frames("a.png")
    for output in [
      "-", folder("out.mp4"), folder("out.y4m"), folder("out.mpg"), folder("out.flv"), folder("out.ogv"),
      folder("out.JPG"), folder("out.%03d.tif"),
    ] {
      expectError(.usage, mentioning: "PNG files") { _ = try FrameOutput(output, for: one) }
    }
    expectError(.usage, mentioning: "empty") { _ = try FrameOutput("", for: one) }
  }

  @Test(arguments: [("clip.mp5", ".mp4"), ("clip.MOVV", ".mov"), ("a.pngs", ".png")])
  func mistypedKindsAreNotTakenForFolders(_ name: String, _ nearest: String) throws {
    let one = try frames("a.png")
    expectError(.usage, mentioning: nearest, name + "/") { _ = try FrameOutput(folder(name), for: one) }
    #expect(try FrameOutput(folder(name) + "/", for: one).paths == [folder(name) + "/a.png"])
    try FrameOutput(folder(name) + "/", for: one).prepare()
    #expect(try FrameOutput(folder(name), for: one).paths == [folder(name) + "/a.png"])
  }

  @Test(arguments: ["light.old", "2026.11.24", "take.2", "v1.d"]) func otherEndingsAreFolders(_ name: String) throws {
    #expect(try FrameOutput(folder(name), for: frames("a.png")).paths == [folder(name) + "/a.png"])
  }

  @Test("errors say why an output is impossible") func refusals() throws {
    let one = try frames("a.png")
    try folder.write("plain")
    expectError(.output, mentioning: "neither a folder") { _ = try FrameOutput(folder("plain"), for: one) }
    for output in ["plain/b.png", "plain/%d.png"] {
      expectError(.output, mentioning: folder("plain"), "it is a file") {
        try FrameOutput(folder(output), for: one).prepare()
      }
      expectError(.output, mentioning: folder("plain"), "it is a file") {
        try FrameOutput(folder(output), for: one).check()
      }
    }
    expectError(.output, mentioning: "it is a file") { try FrameOutput(folder("plain/out"), for: one).prepare() }
    try FrameOutput(folder("b.png"), for: one).prepare()
  }
}

@Suite("The files of a film's frames are named after the film") struct VideoFrameFilesTests {
  let folder = TemporaryFolder()

  private func film(_ name: String) throws -> VideoInput { try #require(try VideoInput(folder.write(name))) }

  private func name(_ film: VideoInput, _ output: String = "out", isSingle: Bool = false) throws -> String {
    try String(VideoFrameFiles(folder(output), of: film, isSingle: isSingle).path(7).dropFirst(folder.path.count + 1))
  }

  @Test(arguments: [
    ("clip.mp4", "out/clip.000007.png"), ("clip.tar.MOV", "out/clip.tar.000007.png"),
    ("100%.mkv", "out/100%.000007.png"), (".hidden", "out/.hidden.000007.png"), ("a.gif", "out/a.000007.png"),
    ("rocket.jpg", "out/rocket.png"), ("scan.2.TIFF", "out/scan.2.png"),
  ])
  func inAFolder(_ film: String, _ expected: String) throws { #expect(try name(self.film(film)) == expected) }

  @Test(arguments: [
    ("rtsp://user:secret@host:554/live/cam1?token=1", "cam1"), ("http://host/a/film.mp4#t=1", "film"),
    ("udp://239.0.0.1:1234", "frame"),
  ])
  func addressesHaveNamesAndStandardInputHasNone(_ input: String, _ stem: String) throws {
    #expect(try name(#require(try VideoInput(input))) == "out/\(stem).000007.png")
    #expect(try name(.stream(.standardInput)) == "out/frame.000007.png")
  }

  @Test("a picture is one frame, a film many") func oneFile() throws {
    #expect(try name(film("rocket.jpg"), "one.png") == "one.png")
    #expect(try name(film("clip.mp4"), "one.png", isSingle: true) == "one.png")
    #expect(try name(film("rocket.jpg"), "p.%03d.png") == "p.001.png")
    #expect(try name(film("clip.mp4"), "p.%03d.png") == "p.007.png")
    let third = try VideoFrameFiles(folder("p.%03d.png"), of: film("rocket.jpg"), number: 3, isSingle: false)
    #expect(third.path(1) == folder("p.003.png"))
    expectError(.usage, mentioning: "one.png", "cannot go to one file") {
      _ = try VideoFrameFiles(folder("one.png"), of: film("clip.mp4"), isSingle: false)
    }
    // The input is at fault, not the output.
    expectError(.usage, mentioning: "notes is taken for a film") {
      _ = try VideoFrameFiles(folder("one.png"), of: film("notes"), isSingle: false)
    }
  }
}
