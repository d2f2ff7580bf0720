import TestSupport
import Testing

/// `equalize --smooth`: parts of a film are as in the whole, and frames that are only read for others are verified too.
@Suite struct VideoTests {
  private let folder = TemporaryFolder()

  private static let film = Tool.fixture("dark-room")

  private func equalize(_ arguments: [String], shaders: String? = nil) throws -> Tool.Outcome {
    try Tool.run(
      ["equalize", Self.film, "--smooth", "5", "--device", "software"] + arguments,
      environment: shaders.map { ["SAFELIGHT_SHADERS": $0] } ?? [:])
  }

  private func expectEqual(_ one: String, _ other: String) throws {
    let names = try folder.names(one)
    #expect(try names.count == 24 && folder.names(other) == names)
    for name in names { #expect(folder.areEqual("\(one)/\(name)", "\(other)/\(name)"), "\(other)/\(name)") }
  }

  @Test func shardsAndWhatIsMissingAreAsInTheWhole() throws {
    try equalize(["-o", folder.path("whole"), "--verify-with", "cpu"]).ends(0)
    for shard in ["2/3", "0/3", "1/3"] {
      try equalize(["-o", folder.path("shards"), "--shard", shard, "--verify-with", "cpu"]).ends(0)
    }
    try expectEqual("whole", "shards")
    try folder.copy(folder.path("whole"), to: "skipped")
    for number in ["0001", "0004", "0011", "0012", "0024"] { try folder.remove("skipped/frame\(number).png") }
    try equalize(["-o", folder.path("skipped"), "--existing", "skip", "--verify-with", "cpu"])
      .ends(0).says("19 skipped")
    try expectEqual("whole", "skipped")
    // Without the frames before it, another picture: the comparison above compares something.
    try folder.shell(
      "safelight equalize \(Tool.word("dark-room/frame0012.png")) -o alone --smooth 5 --device software")
    #expect(!folder.areEqual("alone/frame0012.png", "whole/frame0012.png"))
  }

  @Test func aDifferenceInARememberedFrameStopsTheRun() throws {
    // Wrong in the first picture of a scene alone.
    let wrong = "255u - word - change(word) : before(word)"
    let shaders = try folder.shaders("Histogram/temporal_sum.glsl", with: wrong, for: "0u : before(word)")
    try equalize(
      ["-o", folder.path("out"), "--frames", "12-14", "--in-flight", "1", "--verify-with", "cpu"], shaders: shaders
    ).ends(1).says("frame0008.png", "differ in")
    #expect(try folder.names("out") == [])
  }

  @Test func framesThatAreReadForOthersAreNotReplaced() throws {
    try folder.copy(Self.film, to: "film")
    try folder.safelight("equalize film -o film/frame0003.png --smooth 5 --frames 4", code: 64)
      .says("replace the input")
  }

  @Test func noFramesAreNoSum() throws {
    for smooth in ["0", "0s"] {
      try Tool.run("equalize", Self.film, "-o", folder.path("out"), "--smooth", smooth, "--device", "cpu")
        .ends(64).says("1 to 240", "smooth=24")
    }
  }
}
