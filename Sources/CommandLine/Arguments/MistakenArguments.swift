import ArgumentParser
import Glibc
import Safelight

/// Checks for arguments that the parser would misread, and for option names of other programs.
enum MistakenArguments {
  /// Refuses arguments, and variables with paths, that are not UTF-8: read as text they would name other files.
  ///
  /// - Throws: ``SafelightError`` of kind `usage`.
  static func refuseBytes() throws {
    func refuse(_ what: String) throws {
      throw SafelightError(
        .usage, what, why: "it is not UTF-8",
        remedy: "rename the file, for example with convmv, or write the text in UTF-8")
    }
    for name in ["SAFELIGHT_CAPTURE", "SAFELIGHT_CACHE", "SAFELIGHT_SHADERS", "SAFELIGHT_STACKS", "TMPDIR"] {
      if let value = unsafe getenv(name), unsafe String(validatingCString: value) == nil { try refuse(name) }
    }
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = unsafe CommandLine.unsafeArgv[index], unsafe String(validatingCString: argument) == nil
      else {
        continue
      }
      try refuse(unsafe "argument \(String(cString: argument))")
    }
  }

  /// Refuses file names that begin with a dash, which read as options, and words that are not commands of `root`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage`.
  static func refuse(_ arguments: [String], of root: any ParsableCommand.Type) throws {
    _ = try command(named: arguments, of: root)
    var previous = ""
    for argument in arguments.prefix(while: { $0 != "--" }) {
      defer { previous = argument }
      // The options for ffmpeg are one word that begins with a dash.
      guard argument.count > 2, argument.hasPrefix("-"), !argument.hasPrefix("--"), previous != "--encoder",
        Double(argument) == nil
      else { continue }
      if let advice = foreignOptions[argument] { throw unknown(option: argument, advice) }
      throw SafelightError(
        .usage, argument, why: "it begins with a dash, so it is read as options",
        remedy: "if it is a file, write ./\(argument); write each option of one letter by itself")
    }
  }

  /// Returns the command that `arguments` name; throws for a word that is none.
  private static func command(
    named arguments: [String], of root: any ParsableCommand.Type
  ) throws -> any ParsableCommand.Type {
    var command = root
    for argument in arguments where argument != "help" {
      let commands = command.configuration.subcommands
      guard !commands.isEmpty, !argument.hasPrefix("-") else { break }
      let names = commands.map { $0.configuration.commandName ?? "" }
      guard let place = names.firstIndex(of: argument) else { throw unknown(argument, among: names, arguments) }
      command = commands[place]
    }
    return command
  }

  private static func unknown(_ word: String, among commands: [String], _ arguments: [String]) -> SafelightError {
    if commands.contains("process"), fileExists(word) || word.contains(".") || word.contains("/") {
      return SafelightError(
        .usage, word, why: "a command is expected here, and this looks like a file",
        remedy: "did you mean process? safelight process \(arguments.joined(separator: " "))"
          + (arguments.contains { $0 == "-o" || $0.hasPrefix("--output") && !$0.hasPrefix("--output-") }
            ? "" : " -o OUTPUT"))
    }
    let nearest = NearestNames.find(word, among: commands)
    return SafelightError(
      .usage, word, why: "there is no such command; there are \(commands.joined(separator: ", "))",
      remedy: nearest.first.map { "did you mean \($0)?" } ?? "see safelight --help")
  }

  /// Throws if one of `inputs` is not a file and reads as a filter.
  static func refuseFilters(among inputs: [String]) throws {
    let filters = Set(FilterCatalogue.descriptions.map(\.name))
    for input in inputs where filters.contains(String(input.prefix { $0 != "=" && $0 != "," })) && !fileExists(input) {
      throw SafelightError(
        .usage, input, why: "there is no such file, and it looks like a filter", remedy: "write --filter '\(input)'")
    }
  }

  /// The error for the first of `arguments` that is an option of another program; nil if the command has all of them.
  static func hint(for arguments: [String], of root: any ParsableCommand.Type) -> SafelightError? {
    let help = (try? command(named: arguments, of: root)).map { root.helpMessage(for: $0) } ?? ""
    for argument in arguments.prefix(while: { $0 != "--" }) {
      let name = String(argument.prefix { $0 != "=" })
      guard let advice = foreignOptions[name], !help.contains("\(name) <") else { continue }
      return unknown(option: name, advice)
    }
    return nil
  }

  private static func unknown(option: String, _ advice: String) -> SafelightError {
    SafelightError(.usage, option, why: "there is no such option here", remedy: advice)
  }

  private static let resizing = "use --filter resize=width=1280, where the height follows"
  private static let orienting = "use --auto-orient"
  private static let foreignOptions = [
    "--fps": "use --frame-rate 25", "-r": "use --frame-rate 25", "--framerate": "use --frame-rate 25",
    "--threads": "use --jobs 4", "--workers": "use --jobs 4", "-j": "use --jobs 4", "-i": "name the input by itself",
    "--input": "name the input by itself", "--out": "use -o", "--outdir": "use -o", "--dest": "use -o",
    "--force": "use --existing overwrite", "--overwrite": "use --existing overwrite", "-y": "use --existing overwrite",
    "--quality": "use --compression, or --encoder for films", "--gpu": "use --device hardware",
    "--cpu": "use --device cpu", "--verify": "use --verify-with cpu", "--filters": "use --filter",
    "-vf": "use --filter", "--quiet": "use -q", "--silent": "use -q", "--resize": resizing, "--scale": resizing,
    "--width": resizing, "--height": resizing, "--autorotate": orienting, "-autorotate": orienting,
    "--orient": orienting, "-auto-orient": orienting, "--exif-transpose": orienting,
    "--rotate": "use --filter rotate=90, or --auto-orient",
  ]

  /// Refuses options that are given twice and are no lists, among `arguments` that `command` has accepted: the parser
  /// would keep the last value and drop the others without a word.
  static func refuseRepeated(_ arguments: [String], of command: any ParsableCommand.Type) throws {
    let words = Array(arguments.prefix { $0 != "--" })
    var values: [String: [String]] = [:]
    for (index, word) in words.enumerated() where word.hasPrefix("-") && word.count > 1 && Double(word) == nil {
      // The options for ffmpeg are one word that begins with a dash.
      if index > 0, words[index - 1] == "--encoder" { continue }
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      let value = parts.count > 1 ? parts[1] : index + 1 < words.count ? words[index + 1] : ""
      values[parts[0] == "-o" ? "--output" : parts[0], default: []].append(value)
    }
    let isReportList = command == CompareCommand.self || command == GoldenVerifyCommand.self
    for (name, values) in values.sorted(by: { $0.key < $1.key })
    where values.count > 1 && !(isReportList && name == "--report") {
      let remedy =
        switch name {
        case "--filter": "write the chain as one: --filter '\(values.joined(separator: ","))'"
        case "--frames": "write them as one: --frames \(values.joined(separator: ","))"
        default: "leave one of them out"
        }
      throw SafelightError(.usage, name, why: "it is given twice", remedy: remedy)
    }
  }
}

/// The range of whole numbers that an option takes.
struct OptionRange {
  private let name: String
  private let numbers: ClosedRange<Int>

  /// Frames decoded or encoded at a time, or threads.
  static let jobs = OptionRange(name: "--jobs", numbers: FramePipeline.Options.jobsRange)
  static let inFlight = OptionRange(name: "--in-flight", numbers: FramePipeline.Options.inFlightRange)
  /// Rounds of a measurement, whose times are kept.
  static let rounds = OptionRange(name: "--rounds", numbers: 1...100_000)
  static let maxPixels = OptionRange(name: "--max-pixels", numbers: 1...Int.max)

  /// Throws if `value` is given and outside the range.
  func check(_ value: Int?) throws {
    guard let value, !numbers.contains(value) else { return }
    let range =
      numbers.upperBound == .max
      ? "from \(numbers.lowerBound) on" : "from \(numbers.lowerBound) to \(numbers.upperBound)"
    throw ValidationError("\(name) \(value): write a number \(range)")
  }
}

/// The only form of file that an option writes, whatever the file's name.
struct FileKind {
  private let name: String
  private let fileExtension: String

  static let json = FileKind(name: "JSON", fileExtension: "json")
  static let png = FileKind(name: "a PNG", fileExtension: "png")
  static let counts = FileKind(name: "counts", fileExtension: "counts")
  static let tables = FileKind(name: "tables", fileExtension: "tables")

  /// The extensions that name a form. A file with one of them must have that form; any other extension is allowed.
  private static let known: Set = [
    "json", "png", "html", "htm", "xml", "csv", "md", "pdf", "svg", "jpg", "jpeg", "webp", "avif", "gif", "tif", "tiff",
    "bmp", "counts", "tables",
  ]

  /// Throws if `option` is given a `path` whose extension is that of another form.
  func check(_ option: String, _ path: String?) throws {
    guard let path else { return }
    let given = PathParts(path).fileExtension
    guard given != fileExtension, Self.known.contains(given) else { return }
    throw ValidationError("\(option) \(path): it would hold \(name), so end its name in .\(fileExtension)")
  }
}
