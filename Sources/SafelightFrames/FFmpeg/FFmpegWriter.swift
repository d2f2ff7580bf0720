import Glibc
public import SafelightImage
import Synchronization

/// Writes films of any kind that the program ffmpeg encodes, as a child process that is fed with frames.
///
/// Frames keep their times, counted from the first one, tick by tick up to ffmpeg, whatever the frame rate; the
/// container rounds them to its own clock, as Matroska does to milliseconds. AVI shows all frames equally long, for the
/// format's duration. What the film that the format is from said of itself, such as its title, is recorded where the
/// container can. Colors are not converted: the film is tagged with the format's color description, which AVI and
/// NUT do not keep. Frames that are stored turned are turned upright. The same frames give the same bytes with one
/// version of ffmpeg.
///
/// The film is written beside its target, and renamed once ffmpeg has succeeded.
public final class FFmpegWriter: VideoWriter {
  /// The path of the film.
  public let name: String
  /// The format that every frame must have.
  public let format: VideoFormat
  private let thread = BlockingThread()
  /// The child, which ends when its input does.
  private let child: Task<Result<ChildProcess.Ending, SafelightError>, Never>
  private let state: Mutex<State>
  /// The trial encoding before the first frame; nil if the encoder is one of the writer's own, and lossy.
  private let rehearsal: VideoEncoderProbe?
  private let onLoss: (@Sendable (String) -> Void)?
  private let container: VideoContainer
  private let programFolder: String?

  private struct State: ~Copyable {
    var file: AtomicFile?
    /// The same film with the duration of its last frame.
    var copy: AtomicFile?
    /// The write end of ffmpeg's input; −1 once it is closed.
    var input: Int32
    var stream: (any RawVideoStream)?
    var count = 0
    var ending: VideoEnding?
    /// The last time in ticks of the container's own clock, if that is known to be coarse.
    var lastTick: Int64?

    mutating func closeInput() {
      if input >= 0 { close(input) }
      input = -1
    }

    deinit { if input >= 0 { close(input) } }
  }

  /// The file extensions of films that can be written.
  public static let kinds = VideoContainer.allCases.map(\.rawValue)

  /// Begins a film at `path`, whose file extension selects its kind. `onLoss` receives one sentence about color
  /// properties that the film does not record, and one about other facts.
  ///
  /// A missing ffmpeg, or an encoder of `encoding.arguments` that takes other pixels, is reported when the first frame
  /// is written.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` for other kinds, for layouts that the encoder does not take
  ///   unconverted, and for AVI without a frame duration; `usage` for a contradictory encoding; `output` if the file
  ///   cannot be created.
  public convenience init(
    _ path: String, format: VideoFormat, encoding: FFmpegEncoding = FFmpegEncoding(),
    onLoss: (@Sendable (String) -> Void)? = nil
  ) throws(SafelightError) {
    try self.init(path, format, encoding, isRehearsed: encoding.arguments != nil || encoding.isLossless, onLoss)
  }

  private init(
    _ path: String, _ format: VideoFormat, _ encoding: FFmpegEncoding, isRehearsed: Bool,
    _ onLoss: (@Sendable (String) -> Void)?
  ) throws(SafelightError) {
    let container = try required(
      VideoContainer(path: path), .unsupported, path, why: "its file extension is not that of a film",
      remedy: "use one of \(Self.kinds.map { ".\($0)" }.joined(separator: ", "))")
    let format = container.keepsTimes ? format : try Self.even(format, name: path)
    let arguments = try Self.arguments(path, container, format, encoding)
    // Rejects unsuitable layouts.
    _ = try NUTWriter(format, start: .zero, name: path)
    let file = try AtomicFile(path: path)
    let input = try ConnectedDescriptors(for: "ffmpeg")
    let child = ChildProcess(
      name: "ffmpeg", folder: encoding.programFolder, arguments: arguments + ["file:\(file.part)"])
    self.format = format
    self.name = path
    self.container = container
    programFolder = encoding.programFolder
    self.onLoss = onLoss
    rehearsal = isRehearsed ? VideoEncoderProbe(format: format, encoding: encoding, name: path) : nil
    state = Mutex(State(file: file, input: input.write, stream: nil))
    self.child = Task {
      do throws(SafelightError) {
        return .success(try await child.run(reading: input.read) { _ in }.ending)
      } catch {
        return .failure(error)
      }
    }
  }

  deinit { child.cancel() }

  /// Returns `format` with a clock that ticks once per frame.
  private static func even(_ format: VideoFormat, name: String) throws(SafelightError) -> VideoFormat {
    let duration = try required(
      format.frameDuration, .unsupported, name,
      why: "an .avi shows each frame for the same time, and how long these frames last is unknown",
      remedy: "write a film with frame times, such as .mkv, or set a frame rate", setting: .frameRate)
    return format.replacing(timeBase: duration)
  }

  private static func arguments(
    _ path: String, _ container: VideoContainer, _ format: VideoFormat, _ encoding: FFmpegEncoding
  ) throws(SafelightError) -> [String] {
    func refused(_ kind: SafelightError.Kind, _ why: String, _ remedy: String) -> SafelightError {
      SafelightError(kind, path, why: why, remedy: remedy)
    }
    if let option = encoding.arguments?.first(where: cuttingOptions.contains) {
      let why = "\(option) leaves frames out or changes their times"
      throw refused(.usage, why, "leave it out, and select frames of the input instead")
    }
    guard encoding.arguments == nil || !encoding.isLossless else {
      throw refused(.usage, "both lossless encoding and encoder options were given", "leave one of them out")
    }
    let encoder = container.encoder(isLossless: encoding.isLossless)
    guard encoding.arguments != nil || encoder.holds(format.layout) else {
      let layout = preferredLayout(path, for: format.layout, encoding: encoding)
      throw refused(
        .unsupported, "\(encoder.name) does not take \(format.layout)",
        "convert the frames\(layout.map { " to \($0)" } ?? ""), or choose another encoder")
    }
    guard encoding.arguments != nil || encoder.holds(format.uprightSize, format.layout) else {
      throw refused(
        .unsupported, "\(encoder.name) cannot encode the odd size \(format.uprightSize) in \(RawPixels(format.layout))",
        "scale or crop to an even size, use 4:4:4 chroma (yuv444p), or write .webm or a lossless .mkv")
    }
    let (tags, facts) = (format.color.ffmpegArguments, format.facts.keeping(container.kept(of: format)))
    var arguments = ["-hide_banner", "-nostdin", "-loglevel", "error", "-xerror", "-y"]
    // Without a name for the samples in its list, that of the pipe is taken for their layout.
    arguments += (facts.hasLight ? ["-f", "mov", "-c:v", "rawvideo"] : ["-f", "nut"]) + tags + ["-i", "pipe:0"]
    arguments += facts.ffmpegArguments + ["-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact"]
    // Frames at their own times: none duplicated, none left out.
    arguments += ["-fps_mode", "passthrough", "-enc_time_base", "-1"]
    if let filter = format.orientation.ffmpegFilter { arguments += ["-vf", filter] }
    arguments +=
      encoding.arguments
      ?? encoder.arguments(for: format.size) + encoder.pixels(format.layout, isOpaque: format.color.alpha == .opaque)
    return arguments + tags + container.arguments + ["-f", container.muxer]
  }

  /// ffmpeg's options that would give the film other frames than were written.
  private static let cuttingOptions: Set<String> = [
    "-ss", "-t", "-to", "-frames", "-frames:v", "-vframes", "-fs", "-r", "-r:v", "-vsync", "-fps_mode", "-vn",
  ]

  /// Returns the layout to convert frames of `layout` to for a film at `path`: the same if its encoder takes it, else
  /// the nearest one of luma and chroma; nil if the kind of film is unknown.
  public static func preferredLayout(
    _ path: String, for layout: PixelLayout, encoding: FFmpegEncoding = FFmpegEncoding()
  ) -> PixelLayout? {
    guard let encoder = VideoContainer(path: path)?.encoder(isLossless: encoding.isLossless) else { return nil }
    if encoder.holds(layout) { return layout }
    let bits: [SampleDepth: [Int]] = [.bits8: [8], .bits16: [16, 12, 10]]
    // Players show red, green and blue everywhere if they become 4:2:0 of at most 10 bits.
    let subsampling = layout.yCbCr?.subsampling ?? .yCbCr420
    let most = layout.yCbCr?.bits ?? 10
    let planar = PixelLayout.allCases.filter { $0.yCbCr?.isBiPlanar == false }
    for bits in bits[layout.depth] ?? [] where bits <= most {
      for chroma in [subsampling, .yCbCr420] {
        let found = planar.first { $0.bits == bits && $0.yCbCr?.subsampling == chroma }
        if let found, encoder.holds(found) { return found }
      }
    }
    return .yCbCr420Planar8
  }
}

extension FFmpegWriter {
  /// Appends `frame`; waits while ffmpeg is busy.
  public func write(_ frame: VideoFrame) async throws(SafelightError) {
    let frame = try own(frame)
    if state.withLock({ $0.stream == nil }) { try await prepare() }
    let isTaken = try await thread.run { [self] () throws(SafelightError) in
      try state.withLock { (state: inout State) throws(SafelightError) in
        guard state.input >= 0 else { return false }
        for bytes in try bytes(of: frame, &state) {
          if writeAll(bytes, to: state.input) != nil { return false }
        }
        return true
      }
    }
    guard isTaken else {
      state.withLock { $0.closeInput() }
      throw failure(try await child.value.get(), "at frame \(frame.index + 1)")
    }
  }

  private func bytes(of frame: VideoFrame, _ state: inout State) throws(SafelightError) -> [[UInt8]] {
    let time =
      container.keepsTimes ? frame.presentationTime : format.timeBase.multiplied(by: Int64(state.count)) ?? .zero
    var bytes: [[UInt8]] = []
    if state.stream == nil {
      let made: any RawVideoStream =
        kept.hasLight ? MOVWriter(format, start: time) : try NUTWriter(format, start: time, name: name)
      bytes.append(made.beginning)
      state.stream = made
    }
    try checkTick(of: time, &state)
    let planes = frame.planes.map(\.packedBytes)
    let header = try state.stream?.frameBeginning(frame.index, at: time, byteCount: planes.reduce(0) { $0 + $1.count })
    state.count += 1
    state.ending = VideoEnding(first: state.ending?.first ?? time, last: time, duration: frame.duration)
    return bytes + [header ?? []] + planes
  }

  /// Throws if the container's clock would give a frame the time of the one before.
  private func checkTick(of time: MediaTime, _ state: inout State) throws(SafelightError) {
    guard let ticks = container.ticksPerSecond else { return }
    let first = state.ending?.first ?? time
    let tick = Int64(((time.seconds - first.seconds) * ticks).rounded())
    try ensure(
      state.lastTick != tick, .unsupported, name,
      why: "frames \(state.count) and \(state.count + 1) would have the same time, since it counts milliseconds",
      remedy: "write .mp4, .mov, .nut or .ts, whose clocks are finer")
    state.lastTick = tick
  }

  /// The facts that the film records.
  private var kept: VideoFacts { format.facts.keeping(container.kept(of: format)) }

  /// Finds out what becomes of the frames, with a trial film beside this one if there is a rehearsal.
  private func prepare() async throws(SafelightError) {
    let color = format.color
    if let lost = format.facts.names(except: kept.kinds) { onLoss?("\(name) leaves out \(lost)") }
    if let shape = format.pixelAspect {
      let shown = container.pixelAspect(shape, of: format.uprightSize)
      if !PixelAspect.areEqual(shape, shown) {
        onLoss?("\(name) says that its pixels are \(shown) instead of \(shape), since it counts whole columns")
      }
    }
    guard let rehearsal else {
      if !container.keepsColor, format.layout.isYCbCr, ![.unspecified, .identity, .other].contains(color.matrix) {
        tell([color.matrix.rawValue, color.range.rawValue])
      }
      return
    }
    let film = try FFmpegWriter(name, format, rehearsal.encoding, isRehearsed: false, nil)
    var unsaid: [String] = []
    do throws(SafelightError) {
      for frame in rehearsal.frames { try await film.write(frame) }
      try await film.end()
      if let part = film.state.withLock({ $0.file?.part }) { unsaid = try await rehearsal.check(part) }
    } catch {
      await film.abandon()
      throw error
    }
    await film.abandon()
    if !unsaid.isEmpty { tell(unsaid) }
  }

  /// Reports that the film does not record `values` of its colors.
  private func tell(_ values: [String]) {
    onLoss?("\(name) does not say that its colors are \(values.joined(separator: ", ")), so players must guess")
  }

  /// Returns the reason why ffmpeg has ended too early.
  private func failure(_ ending: ChildProcess.Ending, _ when: String) -> SafelightError {
    let messages = ending.messages.isEmpty ? "" : ": \(ending.messages)"
    return SafelightError(
      .transfer, name, why: "ffmpeg ended\(ending.failure.map { " with \($0)" } ?? "") \(when)\(messages)",
      remedy: "read its messages; an encoder may need an even size, other pixels, or room on the disk")
  }

  /// Waits until ffmpeg has written everything, then renames the film.
  public func finish() async throws(SafelightError) {
    do throws(SafelightError) {
      try await end()
      do throws(SafelightError) {
        try await stateLastDuration()
      } catch {
        // The film is whole but for this, unless the user stopped the run.
        if Task.isCancelled { throw error }
        state.withLock { $0.copy = nil }
        onLoss?("\(name) does not say how long its last frame is shown: \(error.why)")
      }
    } catch {
      await abandon()
      throw error
    }
    try state.withLock { (state: inout State) throws(SafelightError) in
      if let file = state.file.take() { try file.commit() }
    }
  }

  /// Writes how long the last frame is shown into the film, unless that follows from its rate: ffmpeg learns it from
  /// the next frame's time alone, so the finished film is copied, packet by packet, with it.
  private func stateLastDuration() async throws(SafelightError) {
    let (ending, part) = state.withLock { ($0.ending, $0.file?.part) }
    guard container.keepsTimes, let ending, let part, let duration = ending.duration, duration != format.frameDuration
    else { return }
    guard container.keepsLastDuration else {
      onLoss?("\(name) does not say that its last frame is shown for \(duration.seconds) s, so players must guess")
      return
    }
    let copy = try state.withLock { (state: inout State) throws(SafelightError) in
      let file = try AtomicFile(path: name)
      let part = file.part
      state.copy = consume file
      return part
    }
    let arguments = ending.arguments(copying: "file:\(part)", to: "file:\(copy)", container)
    let copying = ChildProcess(name: "ffmpeg", folder: programFolder, arguments: arguments)
    let copied = try await copying.run { _ in }.ending
    if copied.failure != nil { throw failure(copied, "when the duration of the last frame was written") }
    state.withLock { $0.file = $0.copy.take() }
  }

  /// Closes ffmpeg's input and waits for its end.
  private func end() async throws(SafelightError) {
    let hasFrames = state.withLock { state in
      state.closeInput()
      return state.stream != nil
    }
    let ending = try await child.value.get()
    try ensure(
      hasFrames, .missingInput, name, why: "a film without a frame cannot be written",
      remedy: "write at least one frame")
    // Only its status decides (-xerror turns every fault into one): libx265 and others print messages even on success.
    if ending.failure != nil { throw failure(ending, "at the end") }
    let part = state.withLock { $0.file?.part }
    try ensure(
      part.flatMap { FileStatus($0) }.map { $0.byteCount > 0 } ?? true, .transfer, name,
      why: "ffmpeg ended well, but has written nothing",
      remedy: "check that the program ffmpeg is no wrapper that writes elsewhere")
  }

  /// Ends ffmpeg and removes what it has written.
  public func abandon() async {
    child.cancel()
    state.withLock { $0.closeInput() }
    _ = await child.value
    state.withLock { state in
      state.file = nil
      state.copy = nil
    }
  }
}

/// The end of a film that is written.
private struct VideoEnding {
  /// The times of the first and the last frame.
  let first: MediaTime
  let last: MediaTime
  /// How long the last frame is shown; nil if nobody knows.
  let duration: MediaTime?

  /// ffmpeg's options for a copy of the film `source` that says how long its last frame is shown.
  func arguments(copying source: String, to copy: String, _ container: VideoContainer) -> [String] {
    let (start, end) = (last.seconds - first.seconds, last.seconds - first.seconds + (duration?.seconds ?? 0))
    // The last packet in the order of decoding lasts as long, since MOV adds the durations up in that order.
    let isLast = "gte(PTS-STARTPTS+0.5,\(start)/TB)+eq(NEXT_PTS,NOPTS)"
    let stamps = "setts=pts=PTS:dts=DTS:duration='if(\(isLast),round(\(end)/TB)-(PTS-STARTPTS),DURATION)'"
    return ["-hide_banner", "-nostdin", "-loglevel", "error", "-xerror", "-y", "-i", source, "-map", "0:v"]
      + ["-c", "copy", "-bsf:v", stamps, "-fflags", "+bitexact"] + container.arguments
      + ["-f", container.muxer, copy]
  }
}

/// The encoding of a film by ffmpeg.
public struct FFmpegEncoding: Hashable, Sendable {
  /// ffmpeg's options between input and output, such as `["-c:v", "libx265", "-crf", "20"]`, with which ffmpeg chooses
  /// the pixels.
  ///
  /// Nil for H.264 (`libx264 -crf 18`) in mp4, m4v, mov, mkv and ts, VP9 in webm, MPEG-4 in avi, FFV1 in nut, in the
  /// layout of the frames.
  public var arguments: [String]?
  /// True if to encode without loss: FFV1 in mkv, avi and nut, the lossless modes of H.264 and VP9 in others. Excludes
  /// `arguments`.
  public var isLossless: Bool
  /// The folder of the program `ffmpeg`; nil to search `PATH`.
  public var programFolder: String?

  /// Makes an encoding; by default the one for the film's file extension.
  public init(arguments: [String]? = nil, isLossless: Bool = false, programFolder: String? = nil) {
    self.arguments = arguments
    self.isLossless = isLossless
    self.programFolder = programFolder
  }
}
