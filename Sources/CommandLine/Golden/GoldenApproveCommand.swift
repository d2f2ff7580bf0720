import ArgumentParser
import Safelight
import SafelightGolden

struct GoldenApproveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve",
    abstract: "Make pictures that differ the new goldens, with a reason.",
    discussion: """
      Look at the report of verify first. Without names, every picture that differs from its golden beyond the \
      tolerance or is not comparable with it is approved; with names only those, even one that has no golden yet or is \
      of one color. Either everything is changed or nothing, even if the process is killed. On continuous integration \
      (CI is set) approve refuses to run, as record does.

      One golden serves all drivers. If one driver is right with other pixels, --variant keeps a picture for it alone. \
      A mask leaves pixels out of every comparison; a tolerance lets some differ; both need names.

      Examples:
        safelight golden approve goldens/ out/ --reason 'the blur reaches the edge now'
        safelight golden approve goldens/ out/ blur/soft --variant software --reason 'llvmpipe rounds ties down'
        safelight golden approve goldens/ out/ clock --mask '0,0,64,16' --reason 'the time is drawn there'
      """)

  @Argument(help: "The folder of goldens.", completion: .directory) var goldens: String
  @Argument(help: "The folder of pictures.", completion: .directory) var actual: String

  @Argument(
    help: "Goldens, such as blur/soft, soft.png or a quoted glob: 'blur/*'. (default: those that differ)",
    completion: .file(extensions: ["png"]))
  var names: [String] = []

  @Option(help: ArgumentHelp("Why the new pictures are right.", valueName: "text")) var reason: String?

  @Option(
    help: ArgumentHelp(
      "Keep the pictures for this driver alone: software, hardware or a word of its renderer's name, such as llvmpipe.",
      valueName: "name"))
  var variant: String?

  @Option(help: "The new tolerance of the named goldens.") var tolerance: String?

  @Option(
    help: ArgumentHelp(
      "Leave out of comparison: 'x,y,width,height …', a PNG that is black there, or none.", valueName: "mask"),
    completion: .file())
  var mask: String?

  @OptionGroup var provenance: ProvenanceArguments

  func validate() throws {
    if names.isEmpty, tolerance != nil || mask != nil {
      throw ValidationError("--tolerance and --mask are only for goldens that you name; name them")
    }
  }

  func run() throws {
    try refuseOnContinuousIntegration("approve", "approved")
    let tolerance = try tolerance.map { try Tolerance($0) }
    let mask = try mask.map { try GoldenMask($0) }
    let candidates = try CandidateFolder(actual)
    var change = try GoldenChange(of: goldens)
    var lines: [String] = []
    let known = Array(Set(change.before.names).union(candidates.names))
    let chosen = names.isEmpty ? candidates.names : try GoldenNames(known, in: [goldens, actual]).find(all: names)
    for name in chosen {
      let candidate = try candidates.candidate(name)
      let outcome = change.before.verify(candidate.image, named: name, variant: variant)
      if names.isEmpty, ![.differs, .incomparable].contains(outcome.status) {
        if !outcome.status.passes { Console.line("safelight: not approved: \(outcome.error?.message ?? name)") }
        continue
      }
      try change.approve(
        candidate, variant: variant, tolerance: tolerance, mask: mask, provenance: provenance.provenance(reason: reason)
      )
      lines.append(line(outcome, mask.flatMap { try? $0.mask(of: candidate.image.size, name: name) }))
    }
    guard !lines.isEmpty else {
      throw SafelightError(
        .missingInput, actual, why: "no picture in it differs from its golden, so there is nothing to approve",
        remedy: "name the goldens to approve anyway")
    }
    try change.commit()
    try deliver(lines.joined() + "\(lines.count) approved: \(reason ?? "")\n")
  }

  /// The line for a golden that changes, with the figures against the old one.
  private func line(_ outcome: GoldenOutcome, _ mask: ImageMask?) -> String {
    let was =
      switch outcome.status {
      case .exact: "the same pixels"
      case .extra: "new"
      default: outcome.error?.why ?? outcome.verdict?.description ?? outcome.status.rawValue
      }
    let masked = mask.map { "; masked: \($0.percentage) of the pixels" } ?? ""
    return "approved  \(outcome.name)\(variant.map { " for \($0)" } ?? ""): \(was)\(masked)\n"
  }
}
