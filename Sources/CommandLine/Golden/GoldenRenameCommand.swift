import ArgumentParser
import Safelight
import SafelightGolden

/// `safelight golden rename`.
struct GoldenRenameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give a golden another name, with its variants, its mask and its row.",
    discussion: """
      All or nothing is changed, also when the process is killed; no other golden is replaced. The folders that OLD leaves out are those of NEW \
      too, also where NEW names them. On continuous integration (CI is set) nothing is renamed.

      Examples:
        safelight golden rename goldens/ blur/soft blur/softer
        safelight golden rename goldens/ soft softer               the same, where only one golden is called soft
      """)

  @Argument(help: "The folder of goldens.", completion: .directory)
  var goldens: String

  @Argument(
    help: "The golden, such as blur/soft, soft or goldens/blur/soft.png.", completion: .file(extensions: ["png"]))
  var old: String

  @Argument(help: "Its new name.")
  var new: String

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
