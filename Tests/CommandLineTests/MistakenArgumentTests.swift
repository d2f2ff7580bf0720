import TestSupport
import Testing

/// What people write who come from other programs, or make a slip: each is refused with what was meant.
@Suite struct MistakenArgumentTests {
  /// Read as text they would name other files.
  @Test func argumentsThatAreNotUTF8AreRefused() throws {
    let folder = TemporaryFolder()
    try folder.writeFrames(1)
    try folder.shell("safelight process in -o $'a\\xe9' --device cpu", code: 64).says("it is not UTF-8", "convmv")
    #expect(try folder.names() == ["in"])
    try folder.shell("SAFELIGHT_CAPTURE=$PWD/$'a\\xe9' safelight process in -o out --device cpu", code: 64)
      .says("SAFELIGHT_CAPTURE: it is not UTF-8")
    // Nor is a folder of such a name passed over.
    try folder.shell("mkdir in/$'a\\xe9'; safelight process in -o out --recursive --device cpu", code: 65)
      .says("its name is not UTF-8")
    try folder.shell("safelight golden record goldens in", code: 65).says("its name is not UTF-8")
  }

  /// Help is output like any other.
  @Test(arguments: ["--help", "--version", "help process"]) func helpThatCannotBeWrittenFails(_ line: String) throws {
    try TemporaryFolder().shell("safelight \(line) >/dev/full", code: 74)
  }

  @Test(arguments: [
    (["process", "-dash.png", "-o", "out"], "./-dash.png"),
    (["process", "a.png", "-out"], "each option of one letter"),
    (["WRONG", "--help"], "there is no such command"), (["proces", "a.png"], "did you mean process?"),
    (["a.png", "b.png"], "did you mean process? safelight process a.png b.png -o OUTPUT\n"),
    (["a.png", "-o", "b"], "did you mean process? safelight process a.png -o b\n"),
    (["golden", "verfy"], "did you mean verify?"), (["help", "procss"], "did you mean process?"),
    (["process", "a.png", "invert", "-o", "b"], "write --filter 'invert'"),
    (["process", "a.png", "gamma=1.2,invert", "-o", "b"], "write --filter 'gamma=1.2,invert'"),
    (["process", "a.png", "-o", "b", "--filter", "gamma=abc"], "safelight: gamma=abc: gamma must be"),
    (["golden", "WRONG", "--help"], "verify"), (["process", "a.png", "-o", "b", "--fps", "25"], "use --frame-rate"),
    (["process", "a.png", "-o", "b", "--resize", "2"], "--filter resize=width=1280"),
    (["process", "a.png", "-o", "b", "--quiet"], "use -q"), (["process", "a.png", "-vf", "hflip"], "use --filter"),
    (["process", "a.png", "-auto-orient"], "use --auto-orient"),
    (["process", "a.png", "--orient"], "use --auto-orient"),
    (["process", "a.png", "-o", "b", "--filter", "negate"], "write invert"),
    (["process", "a.png", "-o", "b", "--filter", "contrast=1.2"], "write brightness-contrast=contrast=1.2"),
    (["process", "a.png", "-o", "b", "--filter", "normalize"], "write stretch"),
    (["process", "a.png", "-o", "b", "--filter", "denoise"], "no such filter yet"),
    (["process", "a.png", "-o", "b", "--filter", "sharpen=2"], "no such filter yet"),
    (["process", "a.png", "--input", "b"], "name the input by itself"),
    (["bench", "invert", "--pipeline", "--input", "frames"], "leave out the kernels"),
  ]) func isRefusedWithWhatWasMeant(_ arguments: [String], _ remedy: String) throws {
    try Tool.run(arguments).ends(64).says(remedy).prints(only: "")
  }

  @Test func whatIsMeantSoPasses() throws {
    let folder = TemporaryFolder()
    try folder.shell(
      "cp \(Tool.haze) ./-dash.png; safelight process ./-dash.png -o out --device cpu")
    #expect(try folder.names("out") == ["-dash.png"])
    for arguments in [["--help"], ["help", "process"], ["golden", "--help"], ["process", "-h"]] {
      #expect(try Tool.run(arguments).code == 0, "\(arguments)")
    }
  }

  @Test func aFolderOfShadersThatIsNotThereIsSaid() throws {
    let folder = TemporaryFolder()
    try folder.shell(
      "SAFELIGHT_SHADERS=none safelight equalize \(Tool.haze) -o out", code: 66
    ).says("SAFELIGHT_SHADERS=none: there is no such folder")
    try folder.shell(
      "SAFELIGHT_SHADERS= safelight equalize \(Tool.haze) -o out --device software")
  }
}
