import ArgumentParser
import Safelight
import SafelightGolden

/// `safelight golden remove`.
struct GoldenRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove goldens, with their variants, their masks and their rows.",
    discussion: """
      All or nothing is changed, also when the process is killed. On continuous integration (CI is set) nothing is removed.

      Examples:
        safelight golden remove goldens/ blur/soft tone/old
        safelight golden remove goldens/ 'blur/*'
        safelight golden remove goldens/ blur/soft --variant software
      """)

  @Argument(help: "The folder of goldens.", completion: .directory)
  var goldens: String

  @Argument(help: GoldenNames.help, completion: .file(extensions: ["png"]))
  var names: [String]

  @Option(help: ArgumentHelp("Remove the pictures for this driver alone.", valueName: "name"))
  var variant: String?

  func run() throws {
    try refuseOnContinuousIntegration("remove", "removed")
    var change = try change(of: goldens)
    let names = try change.names.find(all: names)
    for name in names { try change.remove(name, variant: variant) }
    try change.commit()
    let part = variant.map { " for \($0)" } ?? ""
    try deliver(names.map { "removed  \($0)\(part)\n" }.joined() + "\(names.count) removed\n")
  }
}
