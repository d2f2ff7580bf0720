public import ArgumentParser
public import Safelight

struct RunArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Which frames, by their place in the list from 1: 1-10,20-40:2; 7- is from 7 on.", valueName: "selection"))
  var frames: String?

  @Option(
    help: ArgumentHelp(
      "Process part I of N of the frames, in equal, contiguous parts: I from 0, N up to 1000000.", valueName: "i/n"))
  var shard: String?

  @Option(help: .hidden) var sequence: String?

  @Option(help: "Frames decoded or encoded at a time, 1 to 4096. (default: the CPUs this process may use)")
  var jobs: Int?

  @Option(help: "Frames in flight at a time, 1 to 65536. (default: 2 × jobs + 1)") var inFlight: Int?

  @Option(
    help: ArgumentHelp(
      """
      Memory that frames may take, in bytes or with K, M or G for thousands, millions or billions: 400M. Frames wait \
      for room; one that never fits goes through in bands of rows, or is refused. (default: two thirds of the \
      machine's or the control group's)
      """,
      valueName: "size"))
  var memory: MemoryBudget?

  @Option(
    name: .customLong("existing"),
    help: """
      What to do with outputs that exist: overwrite, skip, verify (skip those that are whole and were made of this \
      input with these filters, make the others anew) or fail. (default: overwrite; but a file made of an input of \
      another name, clip.mov and not clip.mp4, is refused)
      """)
  var askedExisting: FramePipeline.Existing?

  @Flag(help: "Take the pictures in subfolders too; an output folder keeps the subfolders.") var recursive = false

  @Option(
    help: """
      What to do about a number that the frames' names skip: error, skip (go on without it) or hold (a film shows the \
      frame before it again). (default: a warning for pictures, an error for a film)
      """)
  var gaps: Gaps?

  @Flag(help: "Finish the other frames when one fails, then return the worst code.") var keepGoing = false

  @Flag(
    name: .customShort("q"), help: "Errors only: no warnings, and nothing about the device. A report has the warnings.")
  var isQuiet = false

  @Option(help: "How to show progress: auto, bar, plain, json or none; warnings are shown in any case.")
  var progress: ProgressStyle = .auto

  @Option(help: "PNG effort: store, fast, balanced or small. (default: fast)") var compression: PNGCompression?

  @Option(
    help: ArgumentHelp(
      """
      Shape of a pixel of what is written, its width to its height: 16:15. (default: that of INPUT; a resize keeps the \
      shape of the picture)
      """,
      valueName: "n:d"))
  var pixelAspect: PixelAspect?

  @Flag(
    help: """
      Turn pictures upright whose Exif tag says that they are stored turned or mirrored (PNG, TIFF, WebP), and reset \
      the tag; without it a PNG keeps both. Films and JPEGs are turned in any case.
      """)
  var autoOrient = false

  @Option(help: "What reads and writes PNGs: auto, the fastest way, or libpng for everything.")
  var codec: PNGCodec.Backend = .auto

  @Option(help: "The most pixels (columns × rows) that a picture may have, against files that claim too many.")
  var maxPixels: Int = PNGLimits().pixels

  @Option(help: "Replay every frame on this device too, and stop at the first differing sample: cpu.")
  var verifyWith: Verifier?

  @Option(
    help: ArgumentHelp("Write a picture of up to six frames before and after.", valueName: "file.png"),
    completion: .file())
  var contactSheet: String?

  @Option(
    help: ArgumentHelp("Write the result of every frame as JSON, even if the run fails.", valueName: "file.json"),
    completion: .file())
  var report: String?

  @Flag(help: "Print what would be done with every frame, and do nothing.") var dryRun = false

  @Flag(
    help: """
      Print the passes that the filters make of the first frame: what runs as one, what each reads and makes, the \
      bytes they move, and whether huge pictures go in bands. Nothing is made, and -o may be left out.
      """)
  var explain = false

  @Option(
    help: ArgumentHelp(
      """
      Instead of inputs: process the PNG files of a folder and those that arrive there, until a signal (then exit 75, \
      or the code of what failed).
      """,
      valueName: "folder"), completion: .directory)
  var watch: String?

  @Option(help: ArgumentHelp("With --watch, end when nothing has arrived for this long.", valueName: "seconds"))
  var untilIdle: Double?

  enum Gaps: String, ExpressibleByArgument, CaseIterable {
    case error, skip, hold
  }

  var existing: FramePipeline.Existing { askedExisting ?? .overwrite }

  enum Verifier: String, ExpressibleByArgument, CaseIterable {
    case cpu
  }

  func validate() throws {
    try OptionRange.jobs.check(jobs)
    try OptionRange.inFlight.check(inFlight)
    try OptionRange.maxPixels.check(maxPixels)
    try FileKind.json.check("--report", report)
    try FileKind.png.check("--contact-sheet", contactSheet)
    if untilIdle != nil && watch == nil { throw ValidationError("--until-idle says when --watch ends; add --watch") }
    if let untilIdle, !(0...1e9).contains(untilIdle) {
      throw ValidationError("--until-idle \(untilIdle): write a number of seconds, 0 or more")
    }
    if watch != nil {
      let others = [
        ("--frames", frames != nil), ("--shard", shard != nil), ("--dry-run", dryRun),
        ("--contact-sheet", contactSheet != nil), ("--recursive", recursive),
      ]
      if let (name, _) = others.first(where: \.1) {
        throw ValidationError("\(name) is for frames that exist already; leave it out with --watch")
      }
    }
    let others = [
      ("--dry-run", dryRun), ("--watch", watch != nil), ("--report", report != nil),
      ("--contact-sheet", contactSheet != nil),
    ]
    if explain, let (name, _) = others.first(where: \.1) {
      throw ValidationError("--explain prints passes and does nothing else; leave \(name) out")
    }
    if let report, let contactSheet, isOneFile(report, contactSheet) {
      throw ValidationError("--report and --contact-sheet \(report): both would be written there; name two files")
    }
  }

  /// The options of a run to `output`. An output that is named explicitly may be replaced whatever it was made of; if
  /// names follow from those of the inputs, two inputs could take turns overwriting one file.
  func pipelineOptions(to output: String) -> FramePipeline.Options {
    let isNamed = PathParts(output).fileExtension == "png" && !FramePattern.isPattern(output)
    var options = FramePipeline.Options(jobs: jobs ?? ProcessorCount.ofThisProcess.value, inFlight: inFlight)
    options.memory = memory ?? .automatic
    options.keepsGoing = keepGoing
    options.existing = existing
    options.keepsOthers = !isNamed && (askedExisting == nil || existing == .skip || existing == .verify)
    options.compression = compression ?? .fast
    options.pixelAspect = pixelAspect
    options.turnsUpright = autoOrient
    options.limits.pixels = maxPixels
    options.pngCodec = PNGCodec(codec)
    return options
  }
}

extension FrameTarget {
  /// The file at `path`; `-` is standard output.
  init(path: String) { self = path == "-" ? .stream(.standardOutput) : .file(path) }
}

extension PixelAspect: ExpressibleByArgument {
  /// Reads `16:15`; nil for other texts.
  public init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map { Int32($0) ?? 0 }
    guard parts.count == 2, parts.allSatisfy({ $0 > 0 }) else { return nil }
    self.init(reducing: Int128(parts[0]), Int128(parts[1]))
  }
}
extension MemoryBudget: ExpressibleByArgument {
  /// Reads `400M`; nil for other texts, and for no memory at all.
  public init?(argument: String) {
    let units: [Character: Double] = ["K": 1e3, "M": 1e6, "G": 1e9]
    let unit = argument.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? argument[...] : argument.dropLast()
    let isNumber = digits.allSatisfy { $0.isASCII && $0.isNumber || $0 == "." }
    let scaled = Double(digits).flatMap { Int(exactly: ($0 * (unit ?? 1)).rounded()) }
    guard isNumber, let count = Int(argument) ?? scaled, count > 0 else { return nil }
    self = .bytes(count)
  }
}

extension FramePipeline.Existing: ExpressibleByArgument {}
extension PNGCompression: ExpressibleByArgument {}
extension PNGCodec.Backend: ExpressibleByArgument {}

/// A contiguous part of a list; the parts of all shards together are the list.
struct Shard {
  /// The number of this part, from 0.
  let index: Int
  let count: Int

  /// The most parts, far below where their bounds would overflow.
  private static let most = 1_000_000

  var text: String { "\(index)/\(count)" }

  /// Returns the range of this part in a list of `total` elements.
  func range(of total: Int) -> Range<Int> { total * index / count..<total * (index + 1) / count }

  /// Returns this part divided into `number` parts, which together are this part; fewer if there would be too many.
  func divided(into number: Int) -> [Shard] {
    let number = max(1, min(number, Self.most / count))
    return (0..<number).map { Shard(index: index * number + $0, count: count * number) }
  }
}

extension Shard {
  /// Reads `I/N`; nil stands for all of a list.
  init(_ text: String?) throws {
    guard let text else {
      self.init(index: 0, count: 1)
      return
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1], (1...Self.most).contains(count),
      (0..<count).contains(index)
    else {
      throw SafelightError(
        .usage, "shard '\(text)'", why: "it is not a part I/N with I from 0 to N - 1 and N from 1 to \(Self.most)",
        remedy: "write, for four parts, 0/4, 1/4, 2/4 and 3/4")
    }
    self.init(index: index, count: count)
  }
}
