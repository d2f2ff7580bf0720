import ArgumentParser
import FoundationEssentials
import Safelight
import SafelightGolden

struct GoldenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "golden",
    abstract: "Keep approved pictures, and compare what programs make with them.",
    discussion: """
      A golden is a picture that somebody looked at and approved. GOLDENS is a folder of them, of any depth; each \
      folder in it has a golden.json with a row for every picture beside it. ACTUAL is a folder of pictures with the \
      same names, made by what is tested.

        safelight golden record goldens/ out/      the first time: what has no golden
        safelight golden verify goldens/ out/      every time: differences fail
        safelight golden approve goldens/ out/ --reason 'new blur'    when it is right
        safelight golden status goldens/           what is damaged, missing, unused, not fetched
        safelight golden rename goldens/ blur/soft blur/softer        with its variants and its mask
        safelight golden remove goldens/ blur/soft

      The golden blur/soft may be written so, or as soft, soft.png or goldens/blur/soft.png if that can mean only one \
      golden.

      A variant or a mask lies beside its golden, with a word after an @: blur/soft@software.png. An @ may be part of \
      a name too: button@2x.png is the golden button@2x, unless golden.json has 2x as a variant of button.

      Commit the folder. Git LFS may hold the pictures: if it left only pointers, hashes of pixels are compared.
      """,
    subcommands: [
      GoldenVerifyCommand.self, GoldenRecordCommand.self, GoldenApproveCommand.self, GoldenStatusCommand.self,
      GoldenRenameCommand.self, GoldenRemoveCommand.self,
    ])
}

/// The options for what record and approve note about how pictures were made.
struct ProvenanceArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The command or test that made the pictures, noted with them.", valueName: "text"))
  var made: String?

  @Option(help: ArgumentHelp("The device that they were made on, noted with them.", valueName: "text"))
  var device: String?

  /// Returns the provenance, dated today.
  func provenance(reason: String?) -> GoldenProvenance {
    GoldenProvenance(
      date: Date.now.formatted(.iso8601.year().month().day()), reason: reason, made: made, device: device)
  }
}

extension GoldenNames {
  /// The help for arguments that are names of goldens.
  static var help: ArgumentHelp { "Goldens, such as blur/soft, soft.png or a quoted glob: 'blur/*'." }
}

extension GoldenChange {
  /// The names of its goldens before the change.
  var names: GoldenNames { GoldenNames(before.names, in: [before.path]) }
}

/// Begins a change of existing goldens; throws if the folder holds none.
func change(of goldens: String) throws -> GoldenChange {
  // A change would create a missing folder.
  _ = try GoldenFolder(goldens)
  return try GoldenChange(of: goldens)
}

/// Throws if a build server runs the command, which would approve its own output.
func refuseOnContinuousIntegration(_ verb: String, _ done: String) throws(SafelightError) {
  let value = ProcessInfo.processInfo.environment["CI"] ?? ""
  guard !["", "0", "false"].contains(value.lowercased()) else { return }
  throw SafelightError(
    .usage, verb, why: "CI is set (\(value)), and in continuous integration nothing may be \(done)",
    remedy: "run it where a person can look at the pictures, then commit them")
}
