import ArgumentParser
import Glibc
import Safelight
import SafelightGolden

struct CompareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Say whether pictures are as expected: two PNG files, two sequences of them, or two films.",
    discussion: """
      EXPECTED and ACTUAL are each a PNG file, a folder, a printf pattern (shot.%04d.png) or a quoted glob. Frames \
      pair by their numbers if the names of both sides are equal but for one number each, else by name; with \
      --recursive, by their paths below the two folders. Missing, extra and repeated frames are named; frames that \
      come late or early together are reported once. A frame that neither side has is no fault, unless --complete or \
      --expect asks for it.

      Either may also be a film: a file, an address or a camera that ffmpeg opens, .y4m, or - for Y4M on standard \
      input. Its frames are compared in their order with those of another film, or with pictures in theirs, each as \
      the PNG that safelight process FILM -o FOLDER would write: luma and chroma become red, green and blue. One pair \
      is in memory at a time. Two films must show their frames at the same times, counted from the first and rounded to \
      the coarser of their clocks, unless --facts none leaves times out. What else the two sides state besides their \
      samples, such as color, the shape of pixels and orientation, does not count; one line names what differs or was \
      not looked at.

      A tolerance is a sentence of which every part must hold:
        exact                       no sample differs (the default)
        max<=3                      no sample differs by more than 3
        over(1)<=0.1%               at most 0.1 % of the pixels by more than 1
        window(8,1)<=10%            of no 8×8 window more than 10 %
        line(1)<=5%                 of no row or column more than 5 %
        bias<=0.1 && mean<=0.5      signed and absolute means, in steps
        psnr>=40 && ssim>=0.99      as in the literature; msssim, rmse
        flip<=0.02                  LDR-FLIP: what an eye sees; flip.p99
      Alpha counts in all of them, in mean, rmse and psnr apart from color: the worse of the two is the value. \
      max.alpha<=0, beside others, looks at alpha alone.

      First, damaged copies of an expected picture, the canary, are compared in the same way: with a damaged tile, a \
      damaged last column and row, a shift by a pixel, opposite colors. If the tolerance limits max, every copy must \
      be rejected. If it limits only averages and shares, which local damage hardly moves, the copy with opposite \
      colors must be rejected, and the others that pass are named. Otherwise the comparison is unsound, which counts \
      as a difference.

      Exit codes: 0 all pass, and at least one pair was compared · 1 differs, or unsound · 3 frames are missing or \
      extra · 4 not comparable: size, channels or depth differ · 64 usage, such as a tolerance that cannot be read \
      · 65 a file is damaged · 66 nothing to compare, or a file cannot be opened. If several apply, 65 and 66 win over \
      4, 4 over 3, and 3 over 1.

      Examples:
        safelight compare golden.png new.png
        safelight compare golden/ out/ --tolerance 'max<=1' --diff diff/
        safelight compare golden/ out/ --report report.html
        safelight compare goldens/ out/ --recursive --mask '0,0,64,16'
        safelight compare sprites/ out/ --alpha-opaque --ignore-transparent
        safelight compare 'a/shot.%04d.png' 'b/*.png' --format json
        safelight compare expected.mp4 actual.mp4 --tolerance 'psnr>=40'
        safelight compare frames/ clip.y4m
      """)

  @Argument(
    help: "The expected pictures: a PNG file, a folder of them, a printf pattern, a quoted glob or a film.",
    completion: .file())
  var expected: String

  @Argument(
    help: "The pictures to check: the same kinds of input, with a picture for each expected one.",
    completion: .file())
  var actual: String

  @Option(help: ArgumentHelp("Which differences pass.", valueName: "sentence")) var tolerance: String = "exact"

  @Option(
    help: ArgumentHelp(
      """
      Leave out of comparison: rectangles, 'x,y,width,height x,y,…', or the black pixels of a PNG without alpha of \
      the pictures' size.
      """,
      valueName: "rectangles|file"), completion: .file())
  var mask: String?

  @Flag(help: "Take a missing alpha for opaque, instead of refusing to compare with a picture that has alpha.")
  var alphaOpaque = false

  @Flag(help: "Leave out the color of pixels that are fully transparent on both sides.") var ignoreTransparent = false
  @Flag(help: "Compare the pictures in subfolders too; they pair by their paths.") var recursive = false

  @Option(
    help: ArgumentHelp(
      """
      Write pictures of the differences, over the dimmed expected picture: to a .png file for one pair, a folder or a \
      pattern for more (only for pairs that differ; other files there stay).
      """,
      valueName: "file|folder"), completion: .file())
  var diff: String?

  @Option(
    help: ArgumentHelp(
      "Write a report there: .html for people, .json for programs, .xml (JUnit) for build servers. May be repeated.",
      valueName: "file"), completion: .file())
  var report: [String] = []

  @Flag(help: "Report gaps too: in frame1 frame2 frame4, frame3 is missing even if neither side has it.")
  var complete = false

  @Option(help: ArgumentHelp("Facts beside the samples that count: time (of two films) or none.", valueName: "facts"))
  var facts: ComparedFacts = .time

  @Option(help: ArgumentHelp("Fail unless EXPECTED has this many pictures.", valueName: "count")) var expect: Int?
  @Option(help: "text or json.") var format: ListingFormat = .text

  @Flag(inversion: .prefixedNo, help: "Draw where they differ, with the ten worst pixels. (default: on a terminal)")
  var picture: Bool?

  @Option(help: "Threads for PNG files, 1 to 4096; films have their own. (default: the CPUs that this process may use)")
  var jobs: Int?

  @Option(help: "How to show progress: auto, bar, plain, json or none.") var progress: ProgressStyle = .auto
  @OptionGroup(title: "Film options") var film: VideoInputArguments

  func validate() throws {
    try OptionRange.jobs.check(jobs)
    if let expect, expect < 1 { throw ValidationError("--expect \(expect): write a count of 1 or more") }
  }

  func run() async throws {
    if progress == .json { Console.speakJSON() }
    let paths = try ReportPaths(report)
    let code = try await paths.telling(of: title) {
      // Everything that can be wrong with the names is found before any picture is compared.
      let rules = ComparisonRules(
        try Tolerance(tolerance), mask: try mask.flatMap { try ComparisonMask($0) },
        takesMissingAlphaForOpaque: alphaOpaque, ignoresTransparent: ignoreTransparent)
      let films = try CompareSide.both(expected, actual, isRecursive: recursive, film)
      if let films { return try await compare(films: films, rules, paths) }
      return try compare(rules, paths)
    }
    if let code { throw code }
  }

  var title: String { "\(expected) and \(actual)" }

  /// Compares pictures, writes what was asked for, and returns the code of the worst result; nil if all pairs pass.
  private func compare(_ rules: ComparisonRules, _ paths: ReportPaths) throws -> ExitCode? {
    let pairing = try FramePairing(
      expected: expected, actual: actual, isComplete: complete, isRecursive: recursive, count: expect)
    if let first = pairing.leftOut.first {
      let others = pairing.leftOut.count > 1 ? " and \(pairing.leftOut.count - 1) more" : ""
      Console.line("safelight: \(first)\(others): the pictures there are left out; --recursive compares them too")
    }
    for side in [expected, actual] { OtherPictures.tell(in: side, isRecursive: recursive) }
    let inputs = pairing.pairs.flatMap { [$0.expected, $0.actual] } + (pairing.missing + pairing.extra).map(\.path)
    let frames = pairing.pairs.map { Frame(index: $0.index, number: $0.index + 1, path: $0.actual, place: $0.place) }
    let differences = try diff.map { try DifferenceFiles($0, of: frames, beside: inputs + [mask].compactMap { $0 }) }
    try paths.check(beside: inputs)
    if let pair = pairing.pairs.first(where: \.isOneFile) {
      throw SafelightError(
        .usage, pair.actual, why: "\(pair.expected) is the same file, and comparing a file with itself proves nothing",
        remedy: "name another file to compare it with")
    }
    let signals = SignalWatch(saying: SignalWatch.noResult)
    defer { withExtendedLifetime(signals) {} }
    let study = CompareStudy(
      differences: differences, wantsFigures: format == .json,
      wantsFlip: paths.hasPage && pairing.pairs.count <= ImageDifference.mostFlipMaps)
    var outcomes = CompareOutcomes(
      CompareReport(tolerance: rules.tolerance, picture: drawing), paths, title,
      isSequence: pairing.pairs.count > 1 && pairing.pairs.allSatisfy { $0.number != nil }, progress: progress,
      total: pairing.pairs.count)
    let jobs = jobs ?? ProcessorCount.ofThisProcess.value
    let comparison = try SequenceComparison(pairing, rules: rules, jobs: jobs, study: study.findings) {
      try signals.check()
      try outcomes.add($0, $1)
    }
    try signals.check()
    return try outcomes.finish(comparison, format)
  }

  /// The style in which to draw differences; nil if they are not drawn.
  var drawing: TerminalPicture.Style? {
    let isTerminal = isatty(STDOUT_FILENO) != 0
    guard picture ?? isTerminal, format == .text else { return nil }
    let colors = getenv("COLORTERM").map { String(cString: $0) } ?? ""
    return isTerminal && ["truecolor", "24bit"].contains(colors) ? .halfBlocks : .letters
  }
}
