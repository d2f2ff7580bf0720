import ArgumentParser

@main
struct SafelightCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "safelight")
}
