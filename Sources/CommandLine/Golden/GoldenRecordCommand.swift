import ArgumentParser
import Safelight
import SafelightGolden

struct GoldenRecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record the pictures that have no golden yet as goldens. Never overwrites one.",
    discussion: """
      Look at the pictures first: from now on they count as right. Either all are recorded or none. A picture of one \
      color is refused; with --again, so is one that a second run makes differently. On continuous integration (CI is \
      set) nothing is recorded: a machine that approves its own output proves nothing.

      Examples:
        safelight golden record goldens/ out/
        safelight golden record goldens/ out/ --again out2/ --tolerance 'max<=1' --made 'safelight process …'
      """)

  @Argument(help: "The folder of goldens; it is made if it does not exist.", completion: .directory) var goldens: String
  @Argument(help: "The folder of pictures.", completion: .directory) var actual: String

  @Option(
    help: ArgumentHelp("The pictures of a second run, which must be the same.", valueName: "folder"),
    completion: .directory)
  var again: String?

  @Option(help: "How far pictures may be from the new goldens.") var tolerance: String?
  @Option(help: ArgumentHelp("Why the pictures are right, noted with them.", valueName: "text")) var reason: String?
  @OptionGroup var provenance: ProvenanceArguments

  func run() throws {
    try refuseOnContinuousIntegration("record", "recorded")
    let tolerance = try tolerance.map { try Tolerance($0) } ?? .exact
    let candidates = try CandidateFolder(actual)
    OtherPictures.tell(in: actual, isRecursive: true)
    let second = try again.map { try CandidateFolder($0) }
    var change = try GoldenChange(of: goldens)
    let known = Set(change.before.names)
    let new = candidates.names.filter { !known.contains($0) }
    guard !new.isEmpty else {
      throw SafelightError(
        .missingInput, actual, why: "every picture in it has a golden, so there is nothing to record",
        remedy: "compare them: safelight golden verify \(goldens) \(actual)")
    }
    var refusals: [SafelightError] = []
    if let second {
      refusals = Set(second.names).subtracting(candidates.names).sorted().map { name in
        SafelightError(
          .missingFrame, second.file(name), why: "the first run did not make it",
          remedy: "record only pictures that every run makes")
      }
    }
    for name in new {
      do {
        // One file would always equal itself.
        if let second, isOneFile(candidates.file(name), second.file(name)) {
          throw SafelightError(
            .usage, second.file(name),
            why: "it is the same file as that of the first run, \(candidates.file(name)), so it is no second picture",
            remedy: "make the pictures again, in another folder")
        }
        try change.record(
          candidates.candidate(name), again: second?.candidate(name), tolerance: tolerance,
          provenance: provenance.provenance(reason: reason))
      } catch let error as SafelightError {
        refusals.append(error)
      }
    }
    if let first = refusals.first {
      for refusal in refusals { complain(refusal) }
      Console.line("safelight: nothing was recorded")
      throw first.exitCode
    }
    try change.commit()
    if again == nil { Console.line("Not checked: repeatability. Render again and pass --again FOLDER.") }
    try deliver(new.map { "recorded  \($0)\n" }.joined() + "\(new.count) recorded, \(known.count) were there\n")
  }
}
