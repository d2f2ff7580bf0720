import Foundation
import TestSupport
import Testing

/// Runs that end before their first frame leave nothing behind that reads as if they had gone well.
@Suite struct EarlyEndTests {
  private let folder = TemporaryFolder()

  private func run(_ input: String, in other: TemporaryFolder? = nil, _ more: String...) throws -> Tool.Outcome {
    let folder = other ?? folder
    return try Tool.run(
      ["process", input, "-o", folder.path("out"), "--report", folder.path("r.json"), "--device", "cpu"] + more)
  }

  @Test func noReportOfAnEarlierRunStays() throws {
    #expect(try run(Tool.fixture("dark-room"), "--frames", "1-3").code == 0)
    #expect(try folder.json("r.json")["error"] is NSNull)
    #expect(try run(folder.path("none"), "--shard", "0/2").code == 66)
    let none = try folder.json("r.json")
    #expect((none["error"] as? String)?.contains("none: no such file or folder") == true)
    #expect(
      (none["frames"] as? [Any])?.isEmpty == true && none["device"] is NSNull && none["shard"] as? String == "0/2")
    let summary = try #require(none["summary"] as? [String: Any])
    #expect(["done", "skipped", "failed", "untouched"].allSatisfy { summary[$0] as? Int == 0 })
    // Before, between and after: a filter, a device, what exists.
    for (more, reason) in [
      (["--filter", "equalise"], "equalise"), (["--device", "index:999"], "index:999"),
      (["--existing", "fail"], "it exists already"), (["--frames", "99"], "99"),
    ] {
      #expect(try run(Tool.fixture("dark-room"), "--frames", "1-3").code == 0)
      let line = ["process", Tool.fixture("dark-room"), "-o", folder.path("out"), "--report", folder.path("r.json")]
      #expect(try Tool.run(line + more).code != 0)
      #expect((try folder.json("r.json")["error"] as? String)?.contains(reason) == true, "\(reason)")
    }
  }

  /// A process that is killed writes nothing any more. A hangup ends a run well, unless it is ignored (nohup(1)).
  @Test(arguments: [("DFL", "KILL", "-9 False"), ("DFL", "HUP", "75 True"), ("IGN", "HUP", "0 True")])
  func noReportOfAnEarlierRunStaysBehind(_ disposition: String, _ sent: String, _ end: String) throws {
    #expect(try run(Tool.fixture("dark-room"), "--frames", "1").code == 0)
    let script =
      """
      import os, signal, subprocess, time
      signal.signal(signal.SIGHUP, signal.SIG_\(disposition))
      run = subprocess.Popen(
          ["safelight", "process", "-", "-o", "held/", "--device", "cpu", "--report", "r.json"], stdin=subprocess.PIPE,
          stderr=subprocess.DEVNULL)
      run.stdin.write(b"YUV4MPEG2 W2 H2 F25:1 Ip A1:1 C444\\n" + b"FRAME\\n" + bytes(12))
      run.stdin.flush()
      # The first frame is read: the run has begun, and waits for the second.
      while os.path.exists("r.json") and run.poll() is None: time.sleep(0.01)
      run.send_signal(signal.SIG\(sent))
      # Whoever ignores it waits for the second frame until there is none.
      try: run.wait(\(disposition == "DFL" ? 60 : 0.2))
      except subprocess.TimeoutExpired: run.stdin.close()
      print(run.wait(), os.path.exists("r.json"))
      """
    try folder.write(script, to: "hold.py")
    #expect(try folder.shell("python3 hold.py").output == "\(end)\n")
  }

  /// A hangup right after an earlier run's report is gone: here, while a filter's file does not come yet.
  @Test func aSignalAtTheBeginningIsReported() throws {
    try folder.write(
      """
      import os, signal, subprocess, time
      signal.signal(signal.SIGHUP, signal.SIG_DFL)
      line = ["safelight", "process", "1.png", "-o", "out/", "--device", "software", "--report", "r.json"]
      subprocess.run(line, check=True, stderr=subprocess.DEVNULL)
      os.mkfifo("k.glsl")
      run = subprocess.Popen(line + ["--filter", "shader=k.glsl"], stderr=subprocess.DEVNULL)
      while os.path.exists("r.json") and run.poll() is None: time.sleep(0.01)
      run.send_signal(signal.SIGHUP)
      text = "uvec4 pointKernel(uvec4 pixel) { return pixel; }"
      with open("file.glsl", "w") as file: file.write(text)
      pipe = os.open("k.glsl", os.O_RDWR)
      os.rename("file.glsl", "k.glsl")
      os.write(pipe, text.encode())
      os.close(pipe)
      print(run.wait(), os.path.exists("r.json"))
      """, to: "hold.py")
    try folder.shell("ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 1 1.png")
    #expect(try folder.shell("python3 hold.py").output == "75 True\n")
  }

  @Test func nothingButAReportIsReplaced() throws {
    let picture = Tool.fixture("haze/haze.png")
    try folder.copy(picture, to: "r.json")
    #expect(try run(folder.path("none.png")).code == 66)
    #expect(FileManager.default.contentsEqual(atPath: picture, andPath: folder.path("r.json")))
    // What cannot be understood makes nothing, and a plan tells of no run.
    let other = TemporaryFolder()
    #expect(try run(picture, in: other, "--filter", "equalise").code == 64)
    #expect(try run(other.path("none.png"), in: other, "--dry-run").code == 66)
    #expect(try other.names() == [])
  }

  @Test func aFilmThatCannotBeReadIsReported() throws {
    try Data("YUV4MPEG2 none".utf8).write(to: folder.url.appending(path: "a.y4m"))
    #expect(try run(folder.path("a.y4m")).code == 65)
    #expect((try folder.json("r.json")["error"] as? String)?.contains("a.y4m") == true)
  }

  @Test(arguments: [
    (["process", "none.png", "-o", "out"], 66), (["equalize", "none/", "-o", "out"], 66),
    (["histogram", "none.png"], 66), (["compare", "none.png", "none.png"], 66),
    (["process", Tool.fixture("haze/haze.png"), "-o", "out", "--device", "index:999"], 69),
  ])
  func theLastLineForProgramsIsASummary(_ arguments: [String], _ code: Int) throws {
    let outcome = try Tool.run(arguments + ["--progress", "json"])
    #expect(Int(outcome.code) == code)
    let events = try outcome.events
    #expect(events.map { $0["event"] as? String } == ["message", "summary"], "\(outcome.errors)")
    #expect(events.last?["done"] as? Int == 0)
  }

  /// Whatever is said at the end of a run comes before it.
  @Test func theSummaryIsLastWhereNothingIsToDo() throws {
    let picture = Tool.fixture("haze/haze.png")
    #expect(try run(picture).code == 0)
    let outcome = try run(picture, "--existing", "skip", "--progress", "json").ends(0)
    #expect(outcome.errors.split(separator: "\n").last?.hasPrefix(#"{"event":"summary","done":0,"skipped":1"#) == true)
  }
}
