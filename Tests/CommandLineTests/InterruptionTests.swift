import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// Killed runs, runs beside one another, folders that go away.
@Suite struct InterruptionTests {
  private let folder = TemporaryFolder()

  private static let input = Tool.fixture("dark-room")

  private func start(_ more: String...) throws -> (Process, Pipe, Pipe) {
    try Tool.start(["equalize", Self.input, "-o", folder.path("out"), "--device", "cpu"] + more)
  }

  /// A folder of so many frames that none of the runs that are stopped gets to the last.
  private func manyFrames() throws -> String {
    try folder.shell("mkdir many; for i in {0..999}; do ln -s \(Tool.darkRoom)/frame0001.png many/f$i.png; done")
    return folder.path("many")
  }

  /// Waits until something is half written.
  private func awaitPart(of process: Process) {
    while process.isRunning, !((try? folder.names("out")) ?? []).contains(where: { $0.hasSuffix(".part") }) {}
  }

  @Test func whatAKilledRunLeavesBehindIsRemovedByTheNext() throws {
    var left: [String] = []
    for _ in 0..<50 where left.isEmpty {
      let (process, output, errors) = try start("--progress", "none")
      awaitPart(of: process)
      kill(process.processIdentifier, SIGKILL)
      _ = try Tool.end(process, output, errors)
      left = try folder.names("out").filter { $0.hasSuffix(".part") }
    }
    #expect(!left.isEmpty, "no run was killed while it wrote")
    try folder.safelight("equalize \(Tool.darkRoom) -o out --existing skip").says("unfinished file")
    let names = try folder.names("out")
    #expect(names.count == 24 && names.allSatisfy { !$0.hasPrefix(".") })
    for name in names { _ = try PNGFile(reading: folder.path("out/\(name)")) }
  }

  /// A batch system runs it again, though a frame has failed.
  @Test func framesThatWereNotBegunAreWorthAnotherRun() throws {
    let (process, output, errors) = try Tool.start(
      ["equalize", Tool.fixture("broken/text.png"), try manyFrames(), "-o", folder.path("out"), "--device", "cpu"]
        + ["--keep-going", "--in-flight", "1", "--progress", "none"])
    awaitPart(of: process)
    kill(process.processIdentifier, SIGTERM)
    try Tool.end(process, output, errors).ends(75)
    #expect(try folder.names("out").count < 1000)
  }

  @Test func twoRunsIntoOneFolderAreHarmless() throws {
    try folder.safelight("equalize \(Tool.darkRoom) -o alone")
    let one = try start()
    let other = try start("--jobs", "1")
    #expect(try Tool.end(one.0, one.1, one.2).code == 0)
    #expect(try Tool.end(other.0, other.1, other.2).code == 0)
    let names = try folder.names("alone")
    #expect(try folder.names("out") == names)
    for name in names { #expect(folder.areEqual("alone/\(name)", "out/\(name)")) }
  }

  @Test func anOutputFolderThatVanishesIsAnError() throws {
    let (process, output, errors) = try Tool.start(
      ["equalize", try manyFrames(), "-o", folder.path("out"), "--device", "cpu", "--in-flight", "1"])
    while process.isRunning, ((try? folder.names("out")) ?? []).isEmpty {}
    #expect(rename(folder.path("out"), folder.path("gone")) == 0)
    try Tool.end(process, output, errors).ends(73).says("cannot be created: No such file or directory")
    #expect(try folder.names() == ["gone", "many"])
  }

  @Test func aFrameOfAnotherSizeInMidSequenceIsMadeAsItIs() throws {
    let frames = ["dark-room/frame0001.png", "haze/haze.png", "dark-room/frame0002.png"].map(Tool.fixture)
    #expect(try Tool.run(["equalize"] + frames + ["-o", folder.path("out"), "--device", "software"]).code == 0)
    for frame in frames {
      let name = URL(filePath: frame).lastPathComponent
      #expect(try folder.image("out/\(name)").size == PNGFile(reading: frame).image.size)
    }
  }

  /// llvmpipe has as many threads as the process may use CPUs, unless the user says otherwise.
  @Test(arguments: [(["SLURM_CPUS_PER_TASK": "1"], 1), (["SLURM_CPUS_PER_TASK": "1", "LP_NUM_THREADS": "2"], 2)])
  func theSoftwareRendererKeepsToItsCPUs(_ environment: [String: String], _ expected: Int) throws {
    let (process, output, errors) = try Tool.start(
      ["equalize", Self.input, "-o", folder.path("out"), "--device", "software"], environment: environment)
    var most: Set<String> = []
    while process.isRunning {
      let tasks =
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/task")) ?? []
      let names = tasks.compactMap {
        try? String(contentsOfFile: "/proc/\(process.processIdentifier)/task/\($0)/comm", encoding: .utf8)
      }
      most.formUnion(names.filter { $0.hasPrefix("llvmpipe-") })
      usleep(2000)
    }
    #expect(try Tool.end(process, output, errors).code == 0)
    #expect(most.count == expected, "\(most)")
  }
}
