import Foundation
import Testing

/// `equalize --smooth`: parts of a film are as in the whole, and frames that are only read for others are verified too.
@Suite struct FilmTests {
  private static let film = Tool.fixture("dark-room")

  private func equalize(_ arguments: [String], shaders: String? = nil) throws -> Tool.Outcome {
    let (process, output, errors) = try Tool.start(
      ["equalize", Self.film, "--smooth", "5", "--device", "software"] + arguments,
      environment: shaders.map { ["SAFELIGHT_SHADERS": $0] } ?? [:])
    return try Tool.end(process, output, errors)
  }

  private func expectEqual(_ folder: TemporaryFolder, _ one: String, _ other: String) throws {
    let names = try folder.names(one)
    #expect(try names.count == 24 && folder.names(other) == names)
    for name in names {
      #expect(
        FileManager.default.contentsEqual(
          atPath: folder.path("\(one)/\(name)"), andPath: folder.path("\(other)/\(name)")),
        "\(other)/\(name)")
    }
  }

  @Test func shardsAndWhatIsMissingAreAsInTheWhole() throws {
    let folder = try TemporaryFolder()
    let whole = try equalize(["-o", folder.path("whole"), "--verify-with", "cpu"])
    #expect(whole.code == 0, "\(whole.errors)")
    for shard in ["2/3", "0/3", "1/3"] {
      let outcome = try equalize(["-o", folder.path("shards"), "--shard", shard, "--verify-with", "cpu"])
      #expect(outcome.code == 0, "\(outcome.errors)")
    }
    try expectEqual(folder, "whole", "shards")
    try FileManager.default.copyItem(atPath: folder.path("whole"), toPath: folder.path("skipped"))
    for number in ["0001", "0004", "0011", "0012", "0024"] {
      try FileManager.default.removeItem(atPath: folder.path("skipped/frame\(number).png"))
    }
    let skipped = try equalize(["-o", folder.path("skipped"), "--existing", "skip", "--verify-with", "cpu"])
    #expect(skipped.code == 0 && skipped.errors.contains("19 skipped"), "\(skipped.errors)")
    try expectEqual(folder, "whole", "skipped")
    // Without the frames before it, another picture: the comparison above compares something.
    let alone = try Tool.run(
      "equalize", Tool.fixture("dark-room/frame0012.png"), "-o", folder.path("alone"), "--smooth", "5", "--device",
      "software")
    #expect(alone.code == 0)
    #expect(
      !FileManager.default.contentsEqual(
        atPath: folder.path("alone/frame0012.png"), andPath: folder.path("whole/frame0012.png")))
  }

  @Test func aDifferenceInARememberedFrameStopsTheRun() throws {
    let folder = try TemporaryFolder()
    let shaders = folder.path("shaders")
    try FileManager.default.copyItem(atPath: Tool.package.appending(path: "Shaders").path, toPath: shaders)
    let file = "\(shaders)/Histogram/temporal_sum.comp"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    // Wrong in the first picture of a scene alone.
    let wrong = text.replacingOccurrences(
      of: "kept + current[word]", with: "kept + (startsAnew ? 255u - gl_GlobalInvocationID.x : current[word])")
    #expect(wrong != text, "the defect no longer fits the shader")
    try wrong.write(toFile: file, atomically: true, encoding: .utf8)
    let outcome = try equalize(
      ["-o", folder.path("out"), "--frames", "12-14", "--in-flight", "1", "--verify-with", "cpu"], shaders: shaders)
    #expect(outcome.code == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains("frame0008.png") && outcome.errors.contains("differ in"), "\(outcome.errors)")
    #expect(try folder.names("out") == [])
  }

  @Test func framesThatAreReadForOthersAreNotReplaced() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: Self.film, toPath: folder.path("film"))
    let outcome = try Tool.run(
      "equalize", folder.path("film"), "-o", folder.path("film/frame0003.png"), "--smooth", "5", "--frames", "4",
      "--device", "cpu")
    #expect(outcome.code == 64 && outcome.errors.contains("replace the input"), "\(outcome.errors)")
  }

  @Test func noFramesAreNoSum() throws {
    let folder = try TemporaryFolder()
    for smooth in ["0", "0s"] {
      let outcome = try Tool.run("equalize", Self.film, "-o", folder.path("out"), "--smooth", smooth, "--device", "cpu")
      #expect(outcome.code == 64 && outcome.errors.contains("1 to 240") && outcome.errors.contains("smooth=24"))
    }
  }
}
