import ArgumentParser
import Safelight

/// Arguments that the parser takes for something else than people mean, and names that other programs use.
enum MistakenArguments {
  /// Throws a ``SafelightError`` of kind `usage` where a file's name begins with a dash, which reads as options, and where a word stands for
  /// none of the commands of `root`.
  static func refuse(_ arguments: [String], of root: any ParsableCommand.Type) throws {
    try refuseUnknownCommand(arguments, of: root)
    var previous = ""
    for argument in arguments.prefix(while: { $0 != "--" }) {
      defer { previous = argument }
      // The options for ffmpeg are one word that begins with a dash.
      guard argument.count > 2, argument.hasPrefix("-"), !argument.hasPrefix("--"), previous != "--encoder",
        Double(argument) == nil
      else { continue }
      throw SafelightError(
        .usage, argument, why: "it begins with a dash, and so reads as options",
        remedy: "if it is a file, write ./\(argument); options of one letter stand alone")
    }
  }

  private static func refuseUnknownCommand(_ arguments: [String], of root: any ParsableCommand.Type) throws {
    var command = root
    for argument in arguments where argument != "help" {
      let commands = command.configuration.subcommands
      guard !commands.isEmpty, !argument.hasPrefix("-") else { return }
      let names = commands.map { $0.configuration.commandName ?? "" }
      guard let place = names.firstIndex(of: argument) else { throw unknown(argument, among: names, arguments) }
      command = commands[place]
    }
  }

  private static func unknown(_ word: String, among commands: [String], _ arguments: [String]) -> SafelightError {
    if commands.contains("process"), fileExists(word) || word.contains(".") || word.contains("/") {
      return SafelightError(
        .usage, word, why: "a command is to stand here, and it looks like a file",
        remedy: "was process meant? safelight process \(arguments.joined(separator: " ")) -o OUTPUT")
    }
    let nearest = NearestNames.find(word, among: commands)
    return SafelightError(
      .usage, word, why: "there is no such command; there are \(commands.joined(separator: ", "))",
      remedy: nearest.first.map { "was \($0) meant?" } ?? "see safelight --help")
  }

  /// Throws where one of `inputs` is no file and reads as a filter.
  static func refuseFilters(among inputs: [String]) throws {
    let filters = Set(FilterCatalogue.descriptions.map(\.name))
    for input in inputs where filters.contains(String(input.prefix { $0 != "=" && $0 != "," })) && !fileExists(input) {
      throw SafelightError(
        .usage, input, why: "there is no such file, and it reads as a filter", remedy: "write --filter '\(input)'")
    }
  }

  /// What to say of the first of `arguments` that is an option of other programs; nil where there is none.
  static func hint(for arguments: [String]) -> SafelightError? {
    for argument in arguments.prefix(while: { $0 != "--" }) {
      let name = String(argument.prefix { $0 != "=" })
      guard let advice = foreignOptions[name] else { continue }
      return SafelightError(.usage, name, why: "there is no such option here", remedy: advice)
    }
    return nil
  }

  private static let resizing = "use --filter resize=width=1280, where the height follows"
  private static let foreignOptions = [
    "--fps": "use --frame-rate 25", "-r": "use --frame-rate 25", "--framerate": "use --frame-rate 25",
    "--threads": "use --jobs 4", "--workers": "use --jobs 4", "-j": "use --jobs 4", "-i": "name the input by itself",
    "--input": "name the input by itself", "--out": "use -o", "--outdir": "use -o", "--dest": "use -o",
    "--force": "use --existing overwrite", "--overwrite": "use --existing overwrite", "-y": "use --existing overwrite",
    "--quality": "use --compression, or --encoder for films", "--gpu": "use --device hardware",
    "--cpu": "use --device cpu", "--verify": "use --verify-with cpu", "--filters": "use --filter",
    "-vf": "use --filter",
    "--quiet": "use -q", "--silent": "use -q", "--resize": resizing, "--scale": resizing, "--width": resizing,
    "--height": resizing,
  ]
}
