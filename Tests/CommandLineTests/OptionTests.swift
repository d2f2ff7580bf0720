import Foundation
import TestSupport
import Testing

/// Options that cannot be meant as they are written are refused, with what would be meant.
@Suite struct OptionTests {
  private let folder = TemporaryFolder()

  private static let picture = Tool.fixture("haze/haze.png")

  /// They hold one histogram a frame, and a filter that changes nothing would be believed.
  @Test(arguments: ["json", "csv"])
  func countsOfAFrameTakeNoFilter(_ format: String) throws {
    try folder.safelight("histogram '\(Self.picture)' -o counts.\(format) --filter invert", code: 64)
      .says("--filter invert: \(format) holds only the histogram of each frame", "write .svg or .png")
    #expect(try folder.names() == [])
  }

  @Test(arguments: [
    ("process", ["--filter", "invert", "--filter", "gamma=2"], "--filter", "--filter 'invert,gamma=2'"),
    ("process", ["--filter=invert", "--filter=gamma=2"], "--filter", "--filter 'invert,gamma=2'"),
    ("process", ["--frames", "1-3", "--jobs", "1", "--frames", "1"], "--frames", "--frames 1-3,1"),
    ("process", ["-o", "/dev/null/a", "--output", "/dev/null/b"], "--output", "leave one of them out"),
    ("equalize", ["--report", "/dev/null/a", "--report", "/dev/null/b"], "--report", "leave one of them out"),
    ("equalize", ["--shard", "0/2", "--shard", "1/2"], "--shard", "leave one of them out"),
    ("equalize", ["--existing", "skip", "--existing", "fail"], "--existing", "leave one of them out"),
    ("histogram", ["--device", "cpu", "--device", "software"], "--device", "leave one of them out"),
    ("compare", ["--tolerance", "max<=1", "--tolerance", "max<=2"], "--tolerance", "leave one of them out"),
    ("bench", ["--size", "8x8", "--size", "9x9"], "--size", "leave one of them out"),
    ("golden verify", ["--variant", "a", "--variant", "b"], "--variant", "leave one of them out"),
  ])
  func oneValueIsNotTwo(_ command: String, _ options: [String], _ name: String, _ remedy: String) throws {
    let inputs = ["compare", "golden verify"].contains(command) ? [Self.picture, folder.path] : [Self.picture]
    let output =
      ["process", "equalize"].contains(command) && !options.contains("-o") ? ["-o", folder.path("out")] : []
    let words = command.split(separator: " ").map(String.init)
    let outcome = try Tool.run(words + (command == "bench" ? [] : inputs) + output + options).ends(64).prints(only: "")
    #expect(outcome.errors.hasPrefix("safelight: \(name): it is given twice"), "\(outcome.errors)")
    #expect(outcome.errors.contains(remedy), "\(outcome.errors)")
    #expect(try folder.names() == [])
  }

  /// Lists stay lists, and a value that reads as an option is none.
  @Test func whatMayBeRepeatedMayBe() throws {
    try folder.copy(Self.picture, to: "a.png")
    try folder.shell("safelight compare '\(Self.picture)' a.png --report r.json --report r.xml --progress none")
    #expect(try folder.names() == ["a.png", "r.json", "r.xml"])
    try folder.shell("safelight process '\(Self.picture)' -o b.png --encoder --filter --filter invert", code: 64)
      .says("--encoder: it is for a film")
  }

  @Test(arguments: [
    ["process", "--jobs", "4611686018427387904"], ["process", "--jobs", "0"], ["process", "--jobs", "4097"],
    ["process", "--in-flight", "9223372036854775807"], ["process", "--in-flight", "0"],
    ["process", "--max-pixels", "0"], ["histogram", "--max-pixels", "0"],
    ["process", "--shard", "9223372036854775806/9223372036854775807"], ["process", "--shard", "0/1000001"],
    ["bench", "--pipeline", "--size", "8x8", "--rounds", "1", "--jobs", "9223372036854775807"],
    ["bench", "--dispatch", "--rounds", "9223372036854775807"], ["bench", "passthrough", "--rounds", "100001"],
    ["bench", "passthrough", "--rounds", "0"],
    ["compare", "--jobs", "9223372036854775807"], ["golden", "verify", "--jobs", "9223372036854775807"],
  ])
  func numbersBeyondAllMeasureAreRefused(_ arguments: [String]) throws {
    let inputs =
      switch arguments[0] {
      case "process": [Self.picture, "-o", folder.path("out")]
      case "bench": [String]()
      default: [Self.picture, folder.path]
      }
    let outcome = try Tool.run(arguments + inputs).ends(64)
    let range = arguments.contains("--shard") ? "N from 1 to 1000000" : "a number from 1 "
    #expect(outcome.errors.contains(range), "\(outcome.errors)")
    #expect(try folder.names() == [])
  }

  @Test(arguments: ["12x", "0", "-1", "", "M", "1e3", "9e99G", "0.4", "nan", "١M"])
  func noSizesOfMemory(_ size: String) throws {
    let outcome = try Tool.run(["process", Self.picture, "-o", folder.path("out"), "--memory=\(size)"]).ends(64)
    #expect(outcome.errors.contains("--memory"), "\(outcome.errors)")
  }

  /// A refusal names the memory that is enough: bands become smaller where larger ones do not fit.
  @Test func theNamedMemoryIsEnough() throws {
    try folder.shell("ffmpeg -v error -f lavfi -i testsrc2=size=1500x1000,format=rgba64be -frames:v 1 large.png")
    let refused = try folder.shell(
      "safelight process large.png -o out.png --filter blend=with=large.png --memory 1M --device cpu", code: 71)
    let named = try #require(refused.errors.firstMatch(of: #/and (\d+) MB in bands of rows/#)?.output.1)
    try folder.shell(
      "safelight process large.png -o out.png --filter blend=with=large.png --memory \(named)M --device cpu")
  }

  @Test func memoryThatHoldsNoFrame() throws {
    try folder.shell("safelight process '\(Self.picture)' -o out --filter flip=vertical --memory 300.5k", code: 71)
      .says(Self.picture, "flip=axis=vertical", "frames may take 301 kB", "--memory")
    try folder.shell("safelight process '\(Self.picture)' -o out --filter blur=1 --memory 1k", code: 71)
      .says("in bands of rows, but frames may take 1 kB")
    let warned = try folder.shell(
      "safelight process '\(Self.picture)' -o a.png --filter blur=1,equalize --memory 500k --progress none")
    let warning = "in bands of rows, for lack of memory"
    #expect(warned.errors.components(separatedBy: warning).count == 2, "\(warned.errors)")
    try folder.safelight("process '\(Self.picture)' -o b.png --filter blur=1,equalize --memory 9223372036854775807")
    try folder.shell("safelight compare a.png b.png --progress none")
    // A file that is broken everywhere is not said to lack memory.
    let claim = Tool.fixture("broken/huge-claim.png")
    try folder.shell("safelight process '\(claim)' -o out --filter flip=vertical --memory 1M", code: 65)
    try folder.shell("safelight process '\(claim)' -o out --filter blur=1 --max-pixels 9223372036854775807", code: 65)
  }

  @Test func theLargestNumbersAreTaken() throws {
    try folder.safelight("process '\(Self.picture)' -o out --jobs 4096 --in-flight 65536 --shard 999999/1000000")
  }
}
