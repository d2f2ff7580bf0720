import Foundation
import TestSupport
import Testing

/// `--watch` and `--dry-run`.
@Suite struct WatchTests {
  private let folder = TemporaryFolder()

  private func copy(_ name: String, to path: String) throws {
    // As a camera does that writes elsewhere and renames.
    try FileManager.default.copyItem(atPath: Tool.fixture(name), toPath: path + ".unfinished")
    #expect(rename(path + ".unfinished", path) == 0)
  }

  @Test func whatIsNoFileIsTold() throws {
    try folder.shell(
      """
      mkdir in; ln -s none in/b.png; mkfifo in/c.png; cp \(Tool.word("dark-room/frame0001.png")) in/a.png
      safelight process --watch in -o out --until-idle 1 --device cpu
      """, code: 65
    ).says("in/b.png: it is a link to a file that does not exist", "in/c.png: it is a device, pipe or socket")
    #expect(try folder.names("out") == ["a.png"])
  }

  @Test func whatIsThereAndWhatArrivesIsMade() throws {
    try folder.make("in")
    try copy("dark-room/frame0001.png", to: folder.path("in/a.png"))
    let (process, output, errors) = try Tool.start([
      "equalize", "--watch", folder.path("in"), "-o", folder.path("out"), "--device", "cpu", "--report",
      folder.path("report.json"),
    ])
    func wait(for name: String) {
      while process.isRunning && !FileManager.default.fileExists(atPath: folder.path("out/\(name)")) { usleep(1000) }
    }
    wait(for: "a.png")
    try copy("broken/text.png", to: folder.path("in/b.png"))
    try copy("dark-room/frame0002.png", to: folder.path("in/c.png"))
    wait(for: "c.png")
    kill(process.processIdentifier, SIGTERM)
    let outcome = try Tool.end(process, output, errors)
    // A frame failed, which says more than the signal that ends every watch.
    #expect(outcome.code == 65, "\(outcome.errors)")
    #expect(outcome.errors.contains("2 of 3 frames, 66 %") && outcome.errors.contains("1 failed"), "\(outcome.errors)")
    #expect(try folder.names("out") == ["a.png", "c.png"])
    let frames = try folder.report("report.json").frames
    #expect(frames.map(\.index) == [0, 1, 2] && frames.map(\.status) == ["done", "failed", "done"])
    // The same bytes as of a run over files that are there.
    try folder.safelight("equalize in/c.png -o plain")
    #expect(folder.areEqual("plain/c.png", "out/c.png"))
  }

  @Test func aQuietFolderEndsTheWatch() throws {
    try folder.make("in")
    try copy("dark-room/frame0001.png", to: folder.path("in/a.png"))
    for _ in 1...2 { try folder.safelight("equalize --watch in -o out --until-idle 0.2 --existing skip") }
    #expect(try folder.names("out") == ["a.png"])
  }

  @Test func whatCannotBeWatchedIsExplained() throws {
    func run(_ arguments: String...) throws -> Tool.Outcome {
      try Tool.run(["process", "--device", "cpu", "--until-idle", "0", "--watch"] + arguments)
    }
    try run(folder.path, "-o", folder.path + "/.").ends(64).says("taken for new inputs")
    #expect(try run(folder.path, "-o", folder.path("out.png")).code == 64)
    try run(folder.path, "-o", folder.path("out")).ends(66).says("no file has arrived")
    try copy("dark-room/frame0001.png", to: folder.path("a.png"))
    for report in ["a.png", "report.json", "out/report.json", "side/report.png"] {
      try folder.make("side")
      try run(folder.path, "-o", folder.path("out"), "--report", folder.path(report)).ends(64)
    }
    #expect(
      FileManager.default.contentsEqual(atPath: folder.path("a.png"), andPath: Tool.fixture("dark-room/frame0001.png")))
    #expect(try run(folder.path, "-o", folder.path("out"), "--report", folder.path("none/r.json")).code == 73)
    try folder.remove("a.png")
    #expect(try run(folder.path, "-o", folder.path("out.%d.png")).code == 64)
    #expect(try run(folder.path("none"), "-o", folder.path("out")).code == 66)
    #expect(try run(folder.path, "-o", folder.path("out"), "--shard", "0/2").code == 64)
    #expect(try run(folder.path, "-o", folder.path("out"), Tool.fixture("haze")).code == 64)
    try run(folder.path, "-o", folder.path("out"), "--filter", "equalize=smooth=5").ends(64).says("any order")
    #expect(try Tool.run("process", "-o", folder.path("out"), "--device", "cpu").code == 64)
  }

  @Test func aDryRunSaysWhatWouldBeDoneAndDoesNothing() throws {
    let arguments = ["equalize", Tool.fixture("dark-room"), "-o", folder.path("out"), "--frames", "1-3"]
    func run(_ more: String...) throws -> Tool.Outcome { try Tool.run(arguments + more) }
    let before = try run("--dry-run", "--device", "hardware").ends(0).says(only: "")
    let lines = before.output.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[0] == "make  \(Tool.fixture("dark-room/frame0001.png")) → \(folder.path("out/frame0001.png"))")
    #expect(lines[3].hasPrefix("3 frames: 3 to make, 0 to skip; filters equalize=rule="))
    #expect(lines[3].hasSuffix("; device hardware"))
    #expect(try folder.names() == [])

    #expect(try run("--device", "cpu").code == 0)
    #expect(try run("--dry-run").output.contains("(replaces the file there)"))
    #expect(try run("--dry-run", "--existing", "fail").code == 73)
    try folder.write("", to: "file")
    for output in ["file/x.%d.png", "file/out"] {
      try Tool.run("equalize", Tool.fixture("dark-room"), "-o", folder.path(output), "--dry-run").ends(73)
    }
    try run("--dry-run", "--existing", "skip").ends(0).prints("0 to make, 3 to skip")
    try run("--dry-run", "--existing", "verify").ends(0).prints("0 to make, 3 to skip")
    try run("--dry-run", "--existing", "verify", "--compression", "small")
      .ends(0).prints("(the existing file was made with other filters")
  }
}
