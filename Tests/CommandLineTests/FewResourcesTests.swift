import Foundation
import Glibc
import TestSupport
import Testing

/// With too few threads or descriptors a command ends at once and says what helps, whatever it was about to do.
@Suite struct FewResourcesTests {
  private let folder = TemporaryFolder()

  /// A word before a command that makes its limit on threads count: root has none, and others share theirs with all
  /// else that they run.
  private static var ordinaryUser: String {
    geteuid() == 0
      ? "setpriv --reuid=\(Int.random(in: 1_000_000..<2_000_000)) --regid=65534 --clear-groups --inh-caps=-all"
      : "unshare --user"
  }

  /// False where other users cannot run the tool, and where nobody may make namespaces.
  private static let isPossible =
    (try? TemporaryFolder().shell("\(ordinaryUser) safelight --version || echo no").output.contains("no")) == false

  static let lines = [
    "process in -o out --filter invert --device cpu", "process in -o out --filter invert --device software",
    "process in -o out.mkv --lossless --device cpu", "process film.y4m -o out.mkv --lossless --device cpu",
    "compare in/f0.png in/f1.png", "process in -o out --filter invert --device cpu,cpu", "conform invert --quick",
  ]

  init() throws {
    try folder.writeFrames(3)
    try folder.shell(
      "ffmpeg -v error -f lavfi -i testsrc2=size=32x16 -frames:v 3 -pix_fmt yuv444p film.y4m; chmod -R a+rwX .")
  }

  @Test(.enabled(if: isPossible, "other users cannot run the tool here"), arguments: lines)
  func tooFewThreads(_ line: String) throws {
    for count in [1, 2, 3, 4, 5, 6, 9, 13, 16] {
      try folder.shell("\(Self.ordinaryUser) prlimit --nproc=\(count) safelight \(line)", code: 71)
        .says("too few threads", "ulimit -u")
    }
    #expect(try folder.names() == ["film.y4m", "in"])
  }

  @Test(arguments: lines) func tooFewDescriptors(_ line: String) throws {
    for count in [9, 12, 16, 20, 28, 34] {
      try folder.shell("ulimit -n \(count); exec safelight \(line)", code: 71).says("too few open files", "ulimit -n")
    }
    #expect(try folder.names() == ["film.y4m", "in"])
  }

  /// Threads need room for their stacks; the remedy names the limit that lacks.
  @Test func tooLittleAddressSpace() throws {
    try folder.shell("ulimit -s 65536; ulimit -v 400000; exec safelight \(Self.lines[0])", code: 71)
      .says("too few threads", "raise the limit on memory (ulimit -v)")
    try folder.shell("ulimit -d 20000; exec safelight \(Self.lines[0])", code: 71)
      .says("too few threads", "raise the limit on memory (ulimit -d)")
  }

  /// Nobody takes the report of an earlier run for that of one that could not begin.
  @Test func noReportOfAnEarlierRunStays() throws {
    try folder.shell("safelight process in -o out --report r.json -q --device cpu")
    try folder.shell("ulimit -n 20; exec safelight process in -o none --report r.json --device cpu", code: 71)
    #expect(try !folder.names().contains("r.json"))
    // The run removes only files that are reports.
    try folder.shell("echo mine >r.json; ulimit -n 20; exec safelight process in -o none --report r.json", code: 71)
    #expect(try folder.text("r.json") == "mine\n")
  }

  /// What is enough is enough: nothing traps or waits just above the limit.
  @Test(.enabled(if: isPossible, "other users cannot run the tool here"), arguments: lines.dropLast())
  func justEnough(_ line: String) throws {
    let refused = try folder.shell("\(Self.ordinaryUser) prlimit --nproc=1 safelight \(line)", code: 71).errors
    let threads = try #require(refused.firstMatch(of: /up to (\d+) are needed/).flatMap { Int($0.1) })
    let told = try folder.shell("ulimit -n 20; exec safelight \(line)", code: 71).errors
    let files = try #require(told.firstMatch(of: /up to (\d+) more/).flatMap { Int($0.1) })
    // Those of several processes come in turn, each with its own threads.
    let processes = line.contains("cpu,cpu") ? 3 : 1
    let limits = "prlimit --nproc=\(processes * threads + 1) --nofile=\(files + 5)"
    let outcome = try folder.shell(
      "TMPDIR=$PWD \(Self.ordinaryUser) \(limits) safelight \(line)", code: line.hasPrefix("compare") ? 1 : 0)
    #expect(!outcome.errors.contains("Fatal error") && !outcome.errors.contains("too few"), "\(outcome)")
    if line.hasPrefix("process") { outcome.says("3 of 3 frames") }
  }
}
