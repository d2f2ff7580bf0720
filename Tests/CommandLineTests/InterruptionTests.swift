import Foundation
import SafelightFrames
import SafelightImage
import Testing

/// Killed runs, runs beside one another, folders that go away.
@Suite struct InterruptionTests {
  private static let input = Tool.fixture("dark-room")

  private func start(_ folder: TemporaryFolder, _ more: String...) throws -> (Process, Pipe, Pipe) {
    try Tool.start(["equalize", Self.input, "-o", folder.path("out"), "--device", "cpu"] + more)
  }

  /// Waits until something is half written.
  private func awaitPart(_ folder: TemporaryFolder, of process: Process) {
    while process.isRunning, !((try? folder.names("out")) ?? []).contains(where: { $0.hasSuffix(".part") }) {}
  }

  @Test func whatAKilledRunLeavesBehindIsRemovedByTheNext() throws {
    let folder = try TemporaryFolder()
    var left: [String] = []
    for _ in 0..<50 where left.isEmpty {
      let (process, output, errors) = try start(folder, "--progress", "none")
      awaitPart(folder, of: process)
      kill(process.processIdentifier, SIGKILL)
      _ = try Tool.end(process, output, errors)
      left = try folder.names("out").filter { $0.hasSuffix(".part") }
    }
    #expect(!left.isEmpty, "no run was killed while it wrote")
    let (process, output, errors) = try start(folder, "--existing", "skip")
    let outcome = try Tool.end(process, output, errors)
    #expect(outcome.code == 0 && outcome.errors.contains("unfinished file"), "\(outcome.errors)")
    let names = try folder.names("out")
    #expect(names.count == 24 && names.allSatisfy { !$0.hasPrefix(".") })
    for name in names { _ = try PNGFile(reading: folder.path("out/\(name)")) }
  }

  /// A batch system runs it again, though a frame has failed.
  @Test func framesThatWereNotBegunAreWorthAnotherRun() throws {
    let folder = try TemporaryFolder()
    let (process, output, errors) = try Tool.start(
      ["equalize", Tool.fixture("broken/text.png"), Self.input, "-o", folder.path("out"), "--device", "cpu"]
        + ["--keep-going", "--in-flight", "1", "--progress", "none"])
    awaitPart(folder, of: process)
    kill(process.processIdentifier, SIGTERM)
    let outcome = try Tool.end(process, output, errors)
    #expect(outcome.code == 75, "\(outcome.errors)")
    #expect(try folder.names("out").count < 24)
  }

  @Test func twoRunsIntoOneFolderAreHarmless() throws {
    let folder = try TemporaryFolder()
    let alone = try Tool.run("equalize", Self.input, "-o", folder.path("alone"), "--device", "cpu")
    #expect(alone.code == 0)
    let one = try start(folder)
    let other = try start(folder, "--jobs", "1")
    #expect(try Tool.end(one.0, one.1, one.2).code == 0)
    #expect(try Tool.end(other.0, other.1, other.2).code == 0)
    let names = try folder.names("alone")
    #expect(try folder.names("out") == names)
    for name in names {
      #expect(
        FileManager.default.contentsEqual(atPath: folder.path("alone/\(name)"), andPath: folder.path("out/\(name)")))
    }
  }

  @Test func anOutputFolderThatVanishesIsAnError() throws {
    let folder = try TemporaryFolder()
    // Slow enough that frames are left when the first one is seen.
    let (process, output, errors) = try start(folder, "--in-flight", "1", "--compression", "small")
    while process.isRunning, ((try? folder.names("out")) ?? []).isEmpty {}
    #expect(rename(folder.path("out"), folder.path("gone")) == 0)
    let outcome = try Tool.end(process, output, errors)
    #expect(outcome.code == 73, "\(outcome.errors)")
    #expect(outcome.errors.contains("cannot be created: No such file or directory"), "\(outcome.errors)")
    #expect(try folder.names() == ["gone"])
  }

  @Test func aFrameOfAnotherSizeInMidSequenceIsMadeAsItIs() throws {
    let folder = try TemporaryFolder()
    let frames = ["dark-room/frame0001.png", "haze/haze.png", "dark-room/frame0002.png"].map(Tool.fixture)
    let (process, output, errors) = try Tool.start(
      ["equalize"] + frames + ["-o", folder.path("out"), "--device", "software"])
    #expect(try Tool.end(process, output, errors).code == 0)
    for frame in frames {
      let name = URL(filePath: frame).lastPathComponent
      #expect(try PNGFile(reading: folder.path("out/\(name)")).image.size == PNGFile(reading: frame).image.size)
    }
  }

  /// llvmpipe has as many threads as the process may use CPUs, unless the user says otherwise.
  @Test(arguments: [(["SLURM_CPUS_PER_TASK": "1"], 1), (["SLURM_CPUS_PER_TASK": "1", "LP_NUM_THREADS": "2"], 2)])
  func theSoftwareRendererKeepsToItsCPUs(_ environment: [String: String], _ expected: Int) throws {
    let folder = try TemporaryFolder()
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
