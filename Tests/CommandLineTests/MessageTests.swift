import Foundation
import Testing

/// What is said is true.
@Suite struct MessageTests {
  /// A circle of links is closed to the superuser too.
  @Test(arguments: ["round/*.png", "round/*/a?.png"])
  func aFolderThatCannotBeReadIsNoEmptyFolder(_ pattern: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(atPath: folder.path("round"), withDestinationPath: "round")
    let outcome = try Tool.run("equalize", folder.path(pattern), "-o", folder.path("out"), "--device", "cpu")
    #expect(outcome.code == 66)
    #expect(
      outcome.errors.contains("\(folder.path("round")): cannot be read: Too many levels of symbolic links"),
      "\(outcome.errors)")
    let empty = try Tool.run("equalize", folder.path("*.png"), "-o", folder.path("out"), "--device", "cpu")
    #expect(empty.code == 66 && empty.errors.contains("no .png file matches"))
    let none = try Tool.run("equalize", folder.path("none/*.png"), "-o", folder.path("out"), "--device", "cpu")
    #expect(none.code == 66 && none.errors.contains("no .png file matches"))
  }

  @Test(.enabled(if: geteuid() != 0), arguments: [0o000, 0o444, 0o111])
  func aClosedFolderIsNoEmptyFolder(_ permissions: Int) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("closed"), withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: Tool.fixture("haze/haze.png"), toPath: folder.path("closed/a.png"))
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: folder.path("closed"))
    let outcome = try Tool.run("equalize", folder.path("closed/*.png"), "-o", folder.path("out"), "--device", "cpu")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path("closed"))
    #expect(outcome.code == 66)
    #expect(outcome.errors.contains("closed: cannot be read: Permission denied"), "\(outcome.errors)")
  }

  @Test(arguments: ["n%d.mp4", "n%04d.y4m", "n%d/film.mkv"])
  func aFilmIsNoPattern(_ name: String) throws {
    let folder = try TemporaryFolder()
    let outcome = try Tool.run("equalize", Tool.fixture("dark-room"), "-o", folder.path(name), "--device", "cpu")
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains("a film is one file, but a name with % stands for many"), "\(outcome.errors)")
    #expect(try folder.names() == [])
  }

  @Test func theEndOfAFailedRunCountsAllFrames() throws {
    let folder = try TemporaryFolder()
    let outcome = try Tool.run(
      "equalize", Tool.fixture("haze/haze.png"), Tool.fixture("broken/text.png"), Tool.fixture("dark-room"), "-o",
      folder.path("out"), "--device", "cpu", "--jobs", "1", "--in-flight", "1")
    #expect(outcome.code == 65)
    let names = try folder.names("out").count
    #expect(
      outcome.errors.contains("safelight: \(names) of 26 frames, \(names * 100 / 26) %, "), "\(outcome.errors)")
    #expect(outcome.errors.contains("; 1 failed; \(25 - names) not begun"), "\(outcome.errors)")
  }

  /// Skipped frames are told apart, and are none that were to be made.
  @Test func theEndOfAWholeRunIsAllOfIt() throws {
    let folder = try TemporaryFolder()
    let input = Tool.fixture("dark-room")
    #expect(try Tool.run("equalize", input, "-o", folder.path("out"), "--device", "cpu", "--frames", "1-3").code == 0)
    let outcome = try Tool.run("equalize", input, "-o", folder.path("out"), "--device", "cpu", "--existing", "skip")
    #expect(outcome.errors.contains("safelight: 21 of 21 frames, 100 %, "), "\(outcome.errors)")
    #expect(outcome.errors.contains("; 3 skipped"), "\(outcome.errors)")
  }
}
