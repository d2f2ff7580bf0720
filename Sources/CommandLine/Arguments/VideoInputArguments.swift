public import ArgumentParser
public import Safelight

/// The options for properties that input films do not declare themselves.
struct VideoInputArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Pixel format of an INPUT of raw samples, such as rgba, rgb24, gray16le or yuv420p (ffmpeg's names); with --size.
      """,
      valueName: "pixels"))
  var inputFormat: String?

  @Option(help: ArgumentHelp("Columns and rows of an INPUT of raw samples.", valueName: "WxH")) var size: String?

  @Option(
    help: ArgumentHelp(
      """
      Frames a second of an INPUT that does not declare them, and of a .y4m or raw film that is written: 25, \
      30000/1001. (default: 25 for pictures and raw samples)
      """,
      valueName: "rate"))
  var frameRate: String?

  @Option(help: "Color matrix of an INPUT that declares none, or none that is known. (default: by the size)")
  var matrix: ColorMatrix?

  @Option(help: "Range of luma and chroma of an INPUT that declares none: limited or full. (default: limited)")
  var range: ColorRange?

  @Flag(
    help: """
      Go on after damage in a film as ffmpeg does: frames are left out or made up, and a warning counts ffmpeg's \
      complaints.
      """)
  var ignoreErrors = false

  @Flag(
    help: """
      Make one picture of the two moments in each frame of an interlaced film, by ffmpeg's bwdif; a film that says \
      that it is progressive stays as it is.
      """)
  var deinterlace = false

  func validate() throws {
    if (inputFormat == nil) != (size == nil) {
      throw ValidationError("--input-format and --size describe an input of raw samples; give both")
    }
    try Self.check("--matrix", matrix)
    try Self.check("--range", range)
  }

  static func check(_ name: String, _ matrix: ColorMatrix?) throws {
    guard let matrix, !matrix.isConvertible else { return }
    throw ValidationError("\(name) \(matrix): use \(ColorMatrix.allValueStrings.joined(separator: ", "))")
  }

  static func check(_ name: String, _ range: ColorRange?) throws {
    if range == .unspecified { throw ValidationError("\(name): limited or full") }
  }

  /// Refuses options that a run from `inputs` to `output` would ignore. Empty inputs stand for PNG files; a nil output
  /// stands for PNG files or another result that is not a film.
  func refuseUnused(from inputs: [VideoInput], to output: VideoOutput? = nil) throws {
    let isStream = inputs.contains { if case .stream = $0 { true } else { false } }
    try Self.refuse([
      ("--input-format", inputFormat != nil, isStream, "a stream or a file that comes in"),
      (
        "--ignore-errors", ignoreErrors, inputs.contains { if case .ffmpeg = $0 { true } else { false } },
        "a film that ffmpeg reads"
      ),
      ("--deinterlace", deinterlace, !inputs.isEmpty && inputFormat == nil, "a film with a header that comes in"),
      ("--matrix", matrix != nil, !inputs.isEmpty, "a film that comes in"),
      ("--range", range != nil, !inputs.isEmpty, "a film that comes in"),
      (
        "--frame-rate", frameRate != nil, isStream || output.map { inputs.isEmpty || !$0.hasTimes } ?? false,
        "films made of pictures, streams, and films such as .y4m that keep no times"
      ),
    ])
  }

  /// Refuses the first option that is given and of no use, and says what it is for.
  static func refuse(_ options: [(name: String, isGiven: Bool, isOfUse: Bool, door: String)]) throws {
    guard let option = options.first(where: { $0.isGiven && !$0.isOfUse }) else { return }
    throw SafelightError(
      .usage, option.name, why: "it is for \(option.door), and this run has none",
      remedy: "leave it out, or correct the input or output")
  }

  /// The duration of a frame; nil without `--frame-rate`.
  func frameDuration() throws -> MediaTime? {
    guard let frameRate else { return nil }
    // Rates as people write them, and the fractions that they mean.
    let rates = [
      "23.976": "24000/1001", "23.98": "24000/1001", "29.97": "30000/1001", "47.952": "48000/1001",
      "59.94": "60000/1001", "119.88": "120000/1001",
    ]
    let parts = (rates[frameRate] ?? Self.fraction(frameRate)).split(separator: "/", omittingEmptySubsequences: false)
      .map { Int32($0) }
    guard let frames = parts[0], frames > 0, parts.count <= 2, let seconds = parts.count == 2 ? parts[1] : 1,
      seconds > 0
    else {
      throw SafelightError(
        .usage, "--frame-rate \(frameRate)", why: "it is not a number of frames a second",
        remedy: "write 25, 12.5, 29.97 or 30000/1001")
    }
    return MediaTime(value: Int64(seconds), timescale: frames)
  }

  /// Returns a decimal number of up to six places, such as `12.5`, as a fraction, `25/2`; other text as it is.
  private static func fraction(_ text: String) -> String {
    guard let (_, whole, decimals) = text.wholeMatch(of: /([0-9]+)\.([0-9]{1,6})/)?.output,
      let number = UInt64(whole + decimals)
    else { return text }
    let scale = decimals.reduce(UInt64(1)) { scale, _ in 10 * scale }
    let divisor = greatestCommonDivisor(number, scale)
    return "\(number / divisor)/\(scale / divisor)"
  }

  func rawSize() throws -> Size {
    let parts = (size ?? "").split(separator: "x", omittingEmptySubsequences: false).map { Int32($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1], width > 0, height > 0 else {
      throw SafelightError(
        .usage, "--size \(size ?? "")", why: "it is not a picture size",
        remedy: "write columns and rows, such as 1920x1080")
    }
    return Size(Int(width), Int(height))
  }
}

extension VideoInputArguments {
  /// The films that `inputs` name, and the pictures that ffmpeg opens; empty if they are PNG files.
  func films(among inputs: [String]) throws -> [VideoInput] {
    let films = try inputs.map { try VideoInput($0, isRaw: inputFormat != nil) }
    let found = films.compactMap { $0 }
    if let film = found.first, let other = films.firstIndex(where: { $0 == nil }) {
      // An input that does not exist is reported as such.
      _ = try FrameList([inputs[other]])
      throw SafelightError(
        .usage, film.name,
        why: "it is opened by ffmpeg, but \(inputs[other]), named in the same run, stands for PNG files",
        remedy: "process each in a run of its own")
    }
    return found
  }

  /// The one film among `inputs`; nil if they are PNG files. Refuses options of films that the inputs do not need.
  func film(among inputs: [String]) throws -> VideoInput? {
    let films = try films(among: inputs)
    if films.count > 1 {
      throw SafelightError(.usage, films[1].name, why: "it is a second film", remedy: "name one film at a time")
    }
    try refuseUnused(from: films)
    return films.first
  }

  /// Opens a film; a signal ends the wait for it. For an `output` without times, the film must have a constant rate
  /// unless `--frame-rate` is given. With `keepsGoing`, a damaged film goes on as long as ffmpeg can decode it; with
  /// `readsTags`, a TIFF or WebP is turned as its tag says.
  func open(
    _ input: VideoInput, to output: VideoOutput? = nil, isLossless: Bool = false, keepsGoing: Bool = false,
    readsTags: Bool = false, pixelLimit: Int, warnings: RunWarnings, stop: StopRequest
  ) async throws -> any FrameSource {
    let opening = Task { try await open(input, to: output, isLossless, keepsGoing, readsTags, pixelLimit, warnings) }
    stop.whenMade { opening.cancel() }
    do {
      return try await opening.value
    } catch  where stop.isMade {
      throw ExitCode.interrupted
    }
  }

  private func open(
    _ input: VideoInput, to output: VideoOutput?, _ isLossless: Bool, _ keepsGoing: Bool, _ readsTags: Bool,
    _ pixelLimit: Int, _ warnings: RunWarnings
  ) async throws -> any FrameSource {
    let duration = try frameDuration()
    switch input {
    case .stream(let place):
      if let inputFormat {
        return try RawSource(
          place, pixels: RawPixels(named: inputFormat), size: rawSize(),
          frameDuration: duration ?? MediaTime(value: 1, timescale: 25), pixelLimit: pixelLimit)
      }
      let source = try await Y4MSource(place, frameDuration: duration, pixelLimit: pixelLimit)
      guard deinterlace, !source.isProgressive else {
        if source.isInterlaced { warnings.tell(ofInterlaced: input.name, output?.name) }
        return source
      }
      guard case .file(let path) = place, !input.isPipe else {
        throw SafelightError(
          .usage, "--deinterlace with \(place.name)", why: "ffmpeg does that only for files",
          remedy: "deinterlace before the pipe: ffmpeg -i INPUT -vf bwdif -f yuv4mpegpipe -")
      }
      return try await open(.ffmpeg(.file(path)), to: output, isLossless, keepsGoing, readsTags, pixelLimit, warnings)
    case .ffmpeg(let place):
      var options = FFmpegOptions(
        layout: nil, turnsUpright: true, deinterlaces: deinterlace, untaggedMatrix: matrix,
        untaggedRange: range ?? .limited, stopsAtDamage: !keepsGoing && !input.isPicture)
      options.readsTags = readsTags
      let tell: (@Sendable (String) -> Void)? = if ignoreErrors { { warnings.add($0) } } else { nil }
      let source = try await FFmpegSource(
        place, options: options, pixelLimit: pixelLimit, onDamage: tell,
        onChange: { [name = input.name] in warnings.add($0, of: name) })
      warnings.tell(of: source.leftOut, input.name, output?.name)
      if source.isInterlaced { warnings.tell(ofInterlaced: input.name, output?.name) }
      if source.leavesProfileOut {
        warnings.add("its ICC profile is left out; its samples are unchanged", of: input.name)
      }
      if source.leavesAlphaOut {
        warnings.add(
          """
          \(input.name) has alpha, which ffmpeg's own decoder leaves out; to keep it, make pictures first: \
          ffmpeg -c:v libvpx-vp9 -i \(input.name.quotedForShell) FOLDER/%06d.png (libvpx for VP8)
          """)
      }
      if let mixture = source.mixture { try admit(mixture, of: input, isLossless, warnings) }
      if input.isPicture && !ignoreErrors { return StillSource(source, name: input.name) }
      let losesTimes = output.map { !$0.hasTimes } ?? false
      guard losesTimes && duration == nil else { return source }
      return try EvenSource(source, name: input.name) { warnings.add($0) }
    }
  }

  private func admit(
    _ mixture: FFmpegMixture, of input: VideoInput, _ isLossless: Bool, _ warnings: RunWarnings
  ) throws(SafelightError) {
    guard !isLossless else {
      throw SafelightError(
        .unsupported, "--lossless from \(input.name)",
        why: "ffmpeg converts its frames from \(mixture.pixels) to red, green and blue, which is not lossless",
        remedy: "leave --lossless out, or convert the film with ffmpeg first")
    }
    let how =
      mixture.isAssumed
      ? "assuming the matrix \(mixture.matrix) and \(mixture.range) range; if that is wrong, give --matrix and --range"
      : "by the film's matrix \(mixture.matrix) and \(mixture.range) range"
    warnings.add("ffmpeg converts its frames from \(mixture.pixels) to red, green and blue, \(how)", of: input.name)
  }

  /// Returns the film `source`, called `name`, with the meaning of luma and chroma that it does not declare itself:
  /// that of the options, or else the one that players assume by the size. Warns of every assumption, and of options
  /// that the film overrules.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if it declares a matrix that is not converted here, and for
  ///   gray, and red, green and blue, of the limited range.
  func tagged(_ source: some FrameSource, _ name: String, warnings: RunWarnings) throws -> any FrameSource {
    let format = source.format
    try Self.refuseLimitedRange(of: format, name)
    return TaggedSource(source, color: try meaning(of: format, name, warnings: warnings))
  }

  /// Throws for samples of limited range that are no luma and chroma: whatever processes gray, or red, green and blue,
  /// expects the full range.
  static func refuseLimitedRange(of format: VideoFormat, _ name: String) throws(SafelightError) {
    guard !format.layout.isYCbCr, format.color.range == .limited else { return }
    let samples = format.layout.isGray ? "its gray has" : "its red, green and blue have"
    throw SafelightError(
      .unsupported, name, why: "\(samples) the limited range, but what processes them knows only the full range",
      remedy: format.layout.isGray
        ? "stretch it to the full range first: ffmpeg -i INPUT -vf scale=in_range=limited:out_range=full -f "
          + "yuv4mpegpipe -"
        : "stretch them to the full range first, or correct the tag if it is wrong")
  }

  private func meaning(
    of format: VideoFormat, _ name: String, warnings: RunWarnings
  ) throws(SafelightError) -> ColorDescription {
    guard format.layout.isYCbCr else { return .unspecified }
    let declared = format.color
    if declared.matrix.isForeign {
      let found = "the color matrix \(declared.matrix.named)"
      guard let matrix else {
        throw SafelightError(
          .unsupported, name, why: "it declares \(found), which is not converted to red, green and blue here",
          remedy: "\(declared.matrix.remedy), or pass its planes on without filters; if the tag is wrong, state "
            + "--matrix")
      }
      warnings.add("\(name) declares \(found); it is taken as \(matrix), as --matrix says")
    }
    let hasMatrix = declared.matrix.isConvertible
    let hasRange = declared.range != .unspecified
    let unused = [
      hasMatrix && matrix.map { $0 != declared.matrix } ?? false ? ("\(declared.matrix)", "--matrix") : nil,
      hasRange && range.map { $0 != declared.range } ?? false ? ("\(declared.range)", "--range") : nil,
    ].compactMap { $0 }
    if !unused.isEmpty {
      let (values, options) = (unused.map(\.0).joined(separator: ", "), unused.map(\.1).joined(separator: " and "))
      warnings.add("\(name) declares \(values) itself; \(options) \(unused.count == 1 ? "is" : "are") ignored")
    }
    guard format.leavesMeaningOpen else { return .unspecified }
    let assumed = ColorDescription(
      matrix: matrix ?? .customary(for: format.storedSize), range: range ?? .limited, siting: .left)
    let taken = declared.filled(by: assumed)
    let missing = [
      hasMatrix || matrix != nil ? nil : ("color matrix", "\(taken.matrix)", "--matrix"),
      hasRange || range != nil ? nil : ("range", "\(taken.range)", "--range"),
    ].compactMap { $0 }
    if !missing.isEmpty {
      let (names, values) = (missing.map(\.0).joined(separator: " or "), missing.map(\.1).joined(separator: ", "))
      warnings.add("\(name) declares no \(names); assuming \(values) (\(missing.map(\.2).joined(separator: ", ")))")
    }
    return assumed
  }
}

extension RunWarnings {
  /// Warns of the tracks of a film that are left out. Without a film `output` sound is not mentioned: pictures have
  /// none.
  fileprivate func tell(of leftOut: [String], _ input: String, _ output: String?) {
    let ofPictures = ["other pictures", "alpha", "further pages", "orientation"]
    let leftOut = output == nil ? leftOut.filter(ofPictures.contains) : leftOut
    guard let last = leftOut.last else { return }
    let tracks = leftOut.map { "the \($0)" }.joined(separator: " and ")
    let verb =
      leftOut.count == 1 && ["sound", "cover", "stereo mode", "alpha", "orientation"].contains(last) ? "is" : "are"
    add("\(tracks) of \(input) \(verb) left out" + (output.map { "; \($0) has one track of pictures alone" } ?? ""))
  }
}

extension RunWarnings {
  /// Warns that the pictures of a film hold two moments, which filters, chroma and the film `output` take for one.
  fileprivate func tell(ofInterlaced input: String, _ output: String?) {
    add(
      "\(input) is interlaced: each of its pictures mixes two moments"
        + (output.map { ", which \($0) does not say" } ?? "") + "; --deinterlace makes one picture of them")
  }
}

extension VideoFormat {
  /// True if the meaning of its luma and chroma is not declared, or not known here.
  fileprivate var leavesMeaningOpen: Bool {
    layout.isYCbCr && (!color.matrix.isConvertible || color.range == .unspecified || color.siting == .other)
  }
}

extension ColorMatrix: ExpressibleByArgument {
  /// The values that can be asked for.
  public static var allValueStrings: [String] { allCases.filter(\.isConvertible).map(\.rawValue) }
}
extension ColorRange: ExpressibleByArgument {
  /// The values that can be asked for.
  public static var allValueStrings: [String] { ["limited", "full"] }
}
