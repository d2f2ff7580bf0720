import ArgumentParser
import Safelight
import SafelightGolden

struct GoldenRenameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give a golden another name, with its variants, its mask and its row.",
    discussion: """
      Either everything is changed or nothing, even if the process is killed; no other golden is replaced. Folders \
      that OLD leaves out are added to NEW, unless NEW names them. On continuous integration (CI is set) nothing is \
      renamed.

      Examples:
        safelight golden rename goldens/ blur/soft blur/softer
        safelight golden rename goldens/ soft softer               the same, where only one golden is called soft
      """)

  @Argument(help: "The folder of goldens.", completion: .directory) var goldens: String

  @Argument(
    help: "The golden, such as blur/soft, soft or goldens/blur/soft.png.", completion: .file(extensions: ["png"]))
  var old: String

  @Argument(help: "Its new name.") var new: String

  func run() throws {
    try refuseOnContinuousIntegration("rename", "renamed")
    var change = try change(of: goldens)
    let (name, omitted) = try change.names.find(old)
    let new = change.names.new(new, omitted: omitted)
    try change.rename(name, to: new)
    try change.commit()
    try deliver("renamed  \(name) → \(new)\n")
  }
}

struct GoldenRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove goldens, with their variants, their masks and their rows.",
    discussion: """
      Either everything is changed or nothing, even if the process is killed. On continuous integration (CI is set) \
      nothing is removed.

      Examples:
        safelight golden remove goldens/ blur/soft tone/old
        safelight golden remove goldens/ 'blur/*'
        safelight golden remove goldens/ blur/soft --variant software
      """)

  @Argument(help: "The folder of goldens.", completion: .directory) var goldens: String
  @Argument(help: GoldenNames.help, completion: .file(extensions: ["png"])) var names: [String]
  @Option(help: ArgumentHelp("Remove the pictures for this driver alone.", valueName: "name")) var variant: String?

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
