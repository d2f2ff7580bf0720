import ArgumentParser
import FoundationEssentials
import Safelight

struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Make look-up tables for a whole sequence of what safelight analyze counted.",
    discussion: """
      The parts may come in any order, but each frame must be in exactly one. Tables are made by the rule \
      normalized-sum of equalize. However many parts there are, the file is the same to the byte.

      Examples:
        safelight merge part-*.counts -o film.tables
        safelight merge part-*.counts -o film.tables --per shot
        safelight merge counts/ -o film.tables --smooth 48
      """)

  @Argument(help: "The files of counts of all parts, or the folder that holds them.", completion: .file())
  var parts: [String]

  @Option(name: .shortAndLong, help: "The file of tables.", completion: .file()) var output: String
  @OptionGroup var tables: TableArguments
  @Flag(name: .customShort("q"), help: "Errors only: nothing about what was made.") var isQuiet = false

  func validate() throws {
    try FileKind.tables.check("--output", output)
    if output == "-" { throw ValidationError("--output -: its beginning is written last; name a file") }
  }

  func run() throws {
    let parts = try parts.flatMap { Folder.exists($0) ? try Self.counts(in: $0) : [$0] }
    let read = InputFiles(parts)
    try read.refuseOutput(output)
    try FrameOutput.checkSideFile(output, beside: [])
    let merge = try SequenceMerge(parts)
    let count = try merge.writeTables(tables.scope, cut: tables.cut ?? EqualizeFilter().cut, to: output)
    guard !isQuiet else { return }
    let tables = count == 1 ? "1 table" : "\(count) tables"
    let frames = merge.frames == 1 ? "1 frame" : "\(merge.frames) frames"
    Console.line("safelight: \(tables) for \(frames) in \(output)")
  }

  /// The files in `folder` whose names end in `.counts`.
  private static func counts(in folder: String) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let files = names.filter { $0.hasSuffix(".counts") && !$0.hasPrefix(".") }.sorted()
    guard !files.isEmpty else {
      throw SafelightError(
        .missingInput, folder, why: "it holds no files of counts", remedy: "make them with safelight analyze")
    }
    return files.map { "\(folder)/\($0)" }
  }
}

/// The options that say how tables are made.
struct TableArguments: ParsableArguments {
  /// The frames that share a table.
  enum Scope: String, ExpressibleByArgument, CaseIterable {
    case sequence, shot
  }

  @Option(help: "Which frames share a table: those of the whole sequence, or of each shot. (default: sequence)")
  var per: Scope?

  @Option(help: "A table for each frame instead, of this many frames around it in its shot, 1 to 10000.")
  var smooth: Int?

  @Option(help: "The part of the samples that must change, from 0 to 1, for a new shot to begin. (default: 0.3)")
  var cut: Double?

  func validate() throws {
    if let smooth, !(1...10_000).contains(smooth) {
      throw ValidationError("--smooth \(smooth): write a number from 1 to 10000")
    }
    if smooth != nil && per != nil {
      throw ValidationError("--smooth makes a table for each frame, --per one for many; leave one of them out")
    }
    if let cut {
      if !(0...1).contains(cut) { throw ValidationError("--cut \(cut): write a number from 0 to 1") }
      if smooth == nil && per != .shot {
        throw ValidationError("--cut says where a shot begins; add --per shot or --smooth, or leave it out")
      }
    }
  }

  /// The frames that share a table.
  var scope: SequenceMerge.Scope { smooth.map(SequenceMerge.Scope.frames) ?? (per == .shot ? .shot : .sequence) }

  /// The options as they are written; empty if none is given.
  var arguments: [String] {
    (per.map { ["--per", $0.rawValue] } ?? []) + (smooth.map { ["--smooth", "\($0)"] } ?? [])
      + (cut.map { ["--cut", "\($0)"] } ?? [])
  }
}
