import ArgumentParser
import Safelight
import SafelightGolden

struct GoldenVerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compare every golden with the picture of the same name. Never writes into the goldens.",
    discussion: """
      Pixels are compared, not files. Equal pixels pass; others pass if the golden's tolerance lets them. A golden \
      without a picture and a picture without a golden fail, so nothing is left out unnoticed. With names or quoted \
      globs only these goldens are compared, and --allow-extra lets pictures without a golden pass. A missing golden \
      whose exact pixels came under another name is reported as renamed.

      First, damaged copies of goldens are compared in the same way, one golden for each tolerance. If one is not \
      reported the run is unsound and fails: a comparison that cannot fail proves nothing.

      Examples:
        safelight golden verify goldens/ out/
        safelight golden verify goldens/ out/ --report report.html --expect 40
        safelight golden verify goldens/ out/ blur/soft 'tone/*' --diff diff/
        safelight golden verify goldens/ out/ --variant software --format json > run.json

      Exit codes: 0 all pass · 1 some differ, or the run is unsound · 3 missing or extra · 4 not comparable: size, \
      channels, depth · 65 a golden is damaged · 66 nothing to compare. If several apply, 65 wins over 4, 4 over 3, \
      and 3 over 1.
      """)

  @Argument(help: "The folder of goldens.", completion: .directory) var goldens: String
  @Argument(help: "The folder of pictures to compare with them.", completion: .directory) var actual: String

  @Argument(
    help: "Compare these alone: blur/soft, soft.png or a quoted glob: 'blur/*'. (default: all)",
    completion: .file(extensions: ["png"]))
  var names: [String] = []

  @Option(help: "Compare with this variant of the goldens that have it, and with the default picture of the others.")
  var variant: String?

  @Option(help: "Judge by this tolerance instead of the goldens' own: exact, or such as 'max<=3 && over(1)<=0.1%'.")
  var tolerance: String?

  @Option(
    help: ArgumentHelp(
      "Write a report there: .html for people, .json for programs, .xml (JUnit) for build servers. May be repeated.",
      valueName: "file"), completion: .file())
  var report: [String] = []

  @Option(
    help: ArgumentHelp(
      "Write pictures of the differences there, over the dimmed golden, each named like its golden.",
      valueName: "folder"),
    completion: .directory)
  var diff: String?

  @Flag(help: "Report pictures without a golden, but let them pass.") var allowExtra = false
  @Option(help: ArgumentHelp("Fail unless this many pictures are compared.", valueName: "n")) var expect: Int?
  @Option(help: "text or json; json is the record that status --run reads.") var format: ListingFormat = .text
  @Option(help: "Threads.") var jobs: Int = ProcessorCount.ofThisProcess.value

  func validate() throws { try OptionRange.jobs.check(jobs) }

  func run() async throws {
    let reports = try ReportPaths(report)
    try reports.check(outside: goldens)
    try judge(try await reports.telling(of: "\(goldens) and \(actual)") { try verify(reports) })
  }

  private func verify(_ reports: ReportPaths) throws -> GoldenRun {
    let signals = SignalWatch(saying: SignalWatch.noResult)
    defer { withExtendedLifetime(signals) {} }
    let tolerance = try tolerance.map { try Tolerance($0) }
    let folder = try GoldenFolder(goldens)
    if let change = folder.unfinishedChange { Console.line("safelight: \(change.name): \(change.text)") }
    let candidates = try CandidateFolder(actual)
    OtherPictures.tell(in: actual, isRecursive: true)
    let known = Array(Set(folder.names).union(candidates.names))
    let chosen = names.isEmpty ? nil : try GoldenNames(known, in: [goldens, actual]).find(all: names)
    let differences = try diff.map {
      try GoldenDifferences($0, of: chosen ?? known, goldens: goldens, actual: actual)
    }
    var run = GoldenRun(expecting: expect, only: names.isEmpty ? nil : names)
    run.add(try folder.canaries(candidates, only: chosen, variant: variant, tolerance: tolerance))
    var report = try GoldenReport(reports, goldens, actual, variant, run.canaries)
    var facts = FactFindings()
    try folder.verify(
      candidates, only: chosen, variant: variant, tolerance: tolerance, allowsExtra: allowExtra, jobs: jobs
    ) { outcome in
      try signals.check()
      run.add(outcome)
      facts.add(outcome)
      try differences?.write(outcome)
      if !reports.isEmpty { try report.add(outcome) }
      if format == .text, let text = outcome.text { try deliver(text + "\n") }
    }
    let unsound = run.canaries.filter { !$0.isSound }.map { "unsound  \($0.golden) by “\($0.tolerance)”: \($0.text)\n" }
    if format == .json, let text = facts.text { Console.line("safelight: \(text)") }
    let told = facts.text.map { $0 + "\n" } ?? ""
    try deliver(format == .json ? json(run) : unsound.joined() + told + run.summary + "\n")
    if let expect, run.isMiscounted {
      try report.comparison.add(.init("comparisons", .missing, text: "\(run.compared) were made, \(expect) expected"))
    }
    try reports.write(report.comparison)
    return run
  }

  private func judge(_ run: GoldenRun) throws {
    if let expect, run.isMiscounted {
      complain(
        SafelightError(
          .missingFrame, goldens, why: "\(run.compared) pictures were compared, but \(expect) were expected",
          remedy: "see which pictures are missing or extra, or correct --expect"))
    }
    if let variant, !run.goldens.contains(where: { $0.variant == variant }) {
      Console.line("safelight: no golden has a variant \(variant); the default pictures were compared")
    }
    if let failure = run.failure { throw failure.exitCode }
    if run.compared == 0 {
      throw SafelightError(.missingInput, actual, why: "nothing was compared", remedy: "name another folder")
    }
  }
}

extension FactFindings {
  /// Adds what the file of a picture states that was compared with a golden, whose own file holds samples alone.
  fileprivate mutating func add(_ outcome: GoldenOutcome) {
    guard outcome.status.isCompared, let golden = outcome.golden, let path = outcome.actualPath,
      let expected = StatedFacts(pngAt: golden.path), let actual = StatedFacts(pngAt: path)
    else { return }
    add((expected, golden.path), (actual, path), place: outcome.name, areAlike: false)
  }
}

extension GoldenOutcome {
  /// The outcome for people; nil if there is nothing to report.
  var text: String? {
    let title = golden?.title ?? name
    let details =
      (error.map { [$0.message] } ?? verdict.map { ["\(title): \($0)"] } ?? []) + notes.map { "\(title): \($0)" }
    guard !details.isEmpty else { return nil }
    let masked = golden?.mask.map { ["masked: \($0.percentage) of the pixels"] } ?? []
    return "\(status.rawValue.padded(to: -13)) " + (details + masked).joined(separator: "\n              ")
  }
}

/// The pictures of differences from goldens, each named like its golden.
struct GoldenDifferences {
  private let folder: String

  /// Makes `folder`, after checking that the pictures of `names` lie neither among `goldens` nor among the pictures to
  /// compare.
  init(_ folder: String, of names: [String], goldens: String, actual: String) throws {
    self.folder = folder
    for name in names { try check(name, goldens, actual) }
    try Folder.make(folder)
    // Links could not be followed before the folder existed.
    for name in names { try check(name, goldens, actual) }
  }

  /// Writes the picture of the difference; removes a stale one if the picture does not differ.
  func write(_ outcome: GoldenOutcome) throws {
    let file = file(outcome.name)
    guard outcome.status == .differs, let difference = outcome.verdict?.difference else {
      return try AtomicFile.remove(file)
    }
    try Folder.make(PathParts(file).folder)
    try PNGFile(image: DifferencePicture(difference).image).write(to: file)
  }

  private func file(_ name: String) -> String { path(folder, "\(name).png") }

  private func check(_ name: String, _ goldens: String, _ actual: String) throws(SafelightError) {
    try refuseFile(file(name), in: goldens, "the goldens, which a comparison never writes into")
    try refuseFile(file(name), in: actual, "the pictures that are compared")
  }
}
