import Foundation
import SafelightFrames
import Testing

/// `--watch` and `--dry-run`.
@Suite struct WatchTests {
  private func copy(_ name: String, to path: String) throws {
    // As a camera does that writes elsewhere and renames.
    try FileManager.default.copyItem(atPath: Tool.fixture(name), toPath: path + ".unfinished")
    #expect(rename(path + ".unfinished", path) == 0)
  }

  @Test func whatIsThereAndWhatArrivesIsMade() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("in"), withIntermediateDirectories: true)
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
    let report = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: folder.path("report.json"))))
    let frames = try #require((report as? [String: Any])?["frames"] as? [[String: Any]])
    #expect(frames.map { $0["index"] as? Int } == [0, 1, 2])
    #expect(frames.map { $0["status"] as? String } == ["done", "failed", "done"])
    // The same bytes as of a run over files that are there.
    let plain = try Tool.run(
      "equalize", folder.path("in/c.png"), "-o", folder.path("plain"), "--device", "cpu")
    #expect(plain.code == 0)
    #expect(FileManager.default.contentsEqual(atPath: folder.path("plain/c.png"), andPath: folder.path("out/c.png")))
  }

  @Test func aQuietFolderEndsTheWatch() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("in"), withIntermediateDirectories: true)
    try copy("dark-room/frame0001.png", to: folder.path("in/a.png"))
    func run() throws -> Int32 {
      try Tool.run(
        "equalize", "--watch", folder.path("in"), "-o", folder.path("out"), "--device", "cpu", "--until-idle", "0.2",
        "--existing", "skip"
      ).code
    }
    #expect(try run() == 0)
    #expect(try run() == 0)
    #expect(try folder.names("out") == ["a.png"])
  }

  @Test func whatCannotBeWatchedIsExplained() throws {
    let folder = try TemporaryFolder()
    func run(_ arguments: String...) throws -> Tool.Outcome {
      let (process, output, errors) = try Tool.start(
        ["process", "--device", "cpu", "--until-idle", "0", "--watch"] + arguments)
      return try Tool.end(process, output, errors)
    }
    let same = try run(folder.path, "-o", folder.path + "/.")
    #expect(same.code == 64 && same.errors.contains("taken for new inputs"), "\(same.errors)")
    #expect(try run(folder.path, "-o", folder.path("out.png")).code == 64)
    let empty = try run(folder.path, "-o", folder.path("out"))
    #expect(empty.code == 66 && empty.errors.contains("no file has arrived"), "\(empty.errors)")
    try copy("dark-room/frame0001.png", to: folder.path("a.png"))
    for report in ["a.png", "report.json", "out/report.json", "side/report.png"] {
      try FileManager.default.createDirectory(atPath: folder.path("side"), withIntermediateDirectories: true)
      let refused = try run(folder.path, "-o", folder.path("out"), "--report", folder.path(report))
      #expect(refused.code == 64, "\(report): \(refused.errors)")
    }
    #expect(
      FileManager.default.contentsEqual(atPath: folder.path("a.png"), andPath: Tool.fixture("dark-room/frame0001.png")))
    #expect(try run(folder.path, "-o", folder.path("out"), "--report", folder.path("none/r.json")).code == 73)
    try FileManager.default.removeItem(atPath: folder.path("a.png"))
    #expect(try run(folder.path, "-o", folder.path("out.%d.png")).code == 64)
    #expect(try run(folder.path("none"), "-o", folder.path("out")).code == 66)
    #expect(try run(folder.path, "-o", folder.path("out"), "--shard", "0/2").code == 64)
    #expect(try run(folder.path, "-o", folder.path("out"), Tool.fixture("haze")).code == 64)
    let film = try run(folder.path, "-o", folder.path("out"), "--filter", "equalize=smooth=5")
    #expect(film.code == 64 && film.errors.contains("any order"))
    #expect(try Tool.run("process", "-o", folder.path("out"), "--device", "cpu").code == 64)
  }

  @Test func aDryRunSaysWhatWouldBeDoneAndDoesNothing() throws {
    let folder = try TemporaryFolder()
    let arguments = ["equalize", Tool.fixture("dark-room"), "-o", folder.path("out"), "--frames", "1-3"]
    func run(_ more: String...) throws -> Tool.Outcome {
      let (process, output, errors) = try Tool.start(arguments + more)
      return try Tool.end(process, output, errors)
    }
    let before = try run("--dry-run", "--device", "hardware")
    #expect(before.code == 0 && before.errors == "")
    let lines = before.output.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[0] == "make  \(Tool.fixture("dark-room/frame0001.png")) → \(folder.path("out/frame0001.png"))")
    #expect(lines[3].hasPrefix("3 frames: 3 to make, 0 to skip; filters equalize=rule="))
    #expect(lines[3].hasSuffix("; device hardware"))
    #expect(try folder.names() == [])

    #expect(try run("--device", "cpu").code == 0)
    #expect(try run("--dry-run").output.contains("(replaces the file there)"))
    #expect(try run("--dry-run", "--existing", "fail").code == 73)
    try Data().write(to: URL(filePath: folder.path("file")))
    for output in ["file/x.%d.png", "file/out"] {
      let missing = try Tool.run("equalize", Tool.fixture("dark-room"), "-o", folder.path(output), "--dry-run")
      #expect(missing.code == 73, "\(output): \(missing.errors)")
    }
    let skipped = try run("--dry-run", "--existing", "skip")
    #expect(skipped.code == 0 && skipped.output.contains("0 to make, 3 to skip"))
    let verified = try run("--dry-run", "--existing", "verify")
    #expect(verified.code == 0 && verified.output.contains("0 to make, 3 to skip"))
    let other = try run("--dry-run", "--existing", "verify", "--compression", "small")
    #expect(other.code == 0 && other.output.contains("(the existing file was made with other filters"))
  }
}
