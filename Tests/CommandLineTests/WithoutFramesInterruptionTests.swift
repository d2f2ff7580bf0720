import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// Signals to commands that make no frames: 75, one line, and nothing left behind but reports that say so.
@Suite struct WithoutFramesInterruptionTests {
  private func interrupt(
    _ arguments: [String], _ signal: Int32, environment: [String: String] = [:],
    once ready: (Process, FileHandle) -> Bool
  ) throws -> Tool.Outcome {
    let (process, output, errors) = try Tool.start(arguments, environment: environment)
    while process.isRunning, !ready(process, output.fileHandleForReading) { usleep(1000) }
    kill(process.processIdentifier, signal)
    let outcome = try Tool.end(process, output, errors)
    #expect(process.terminationReason == .exit && outcome.code == 75, "\(outcome.errors)")
    #expect(outcome.errors.contains("safelight: interrupted; there is no result"))
    return outcome
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGUSR1])
  func benchRemovesItsFrames(_ signal: Int32) throws {
    let folder = TemporaryFolder()
    try interrupt(
      ["bench", "--pipeline", "--size", "64x48", "--rounds", "100000", "--device", "cpu"], signal,
      environment: ["TMPDIR": folder.path]
    ) { _, _ in ((try? folder.allNames("")) ?? []).contains { $0.hasSuffix("/0.png") } }.prints(only: "")
    #expect(try folder.names() == [])
  }

  @Test(arguments: ["passthrough", "--dispatch"])
  func benchEnds(_ what: String) throws {
    try interrupt(
      ["bench", what, "--size", "640x360", "--rounds", "100000", "--device", "cpu"], SIGTERM
    ) { process, _ in Tool.hearsSignals(process) }.prints(only: "")
  }

  /// Two folders of pictures that all differ.
  private func differing(_ count: Int) throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    for name in ["a", "b"] {
      try folder.make(name)
      let image = SyntheticImage.noise.image(Size(name == "a" ? 320 : 321, 200), channels: .rgb, depth: .bits8)
      try folder.write(image, to: "\(name)/0.png")
      for number in 1..<count { try folder.copy(folder.path("\(name)/0.png"), to: "\(name)/\(number).png") }
    }
    return folder
  }

  @Test func compareEnds() throws {
    let folder = try differing(2)
    for (side, frame) in [("a", "frame0001.png"), ("b", "frame0002.png")] {
      try folder.shell("for i in {0..1999}; do ln -s \(Tool.darkRoom)/\(frame) \(side)/f$i.png; done")
    }
    try interrupt(
      ["compare", folder.path("a"), folder.path("b"), "--diff", folder.path("d"), "--report", folder.path("r.html")],
      SIGTERM
    ) { _, _ in !((try? folder.names("d")) ?? []).isEmpty }.prints(only: "")
    #expect(try folder.names() == ["a", "b", "d", "r.html"])
    #expect(try folder.text("r.html").contains("it was interrupted"))
    #expect(try folder.names("d").allSatisfy { !$0.hasPrefix(".") })
  }

  @Test func goldenVerifyEnds() throws {
    let folder = try differing(1500)
    try Tool.run("golden", "record", folder.path("g"), folder.path("a")).ends(0)
    _ = try interrupt(
      ["golden", "verify", folder.path("g"), folder.path("b"), "--report", folder.path("r.html"), "--jobs", "1"], SIGINT
    ) { !$1.availableData.isEmpty }
    #expect(try folder.names() == ["a", "b", "g", "r.html"])
    #expect(try folder.text("r.html").contains("it was interrupted"))
  }
}
