import Glibc
public import SafelightImage
import Subprocess

/// A film, stream, camera or test picture that the program ffmpeg reads, as a child process: the counterpart of an
/// `AVAssetReader` with one track output, and of a capture device.
///
/// Frames have the presentation times of the file, tick by tick, whatever its frame rate; none is duplicated or left
/// out to even them. They are delivered as stored, with the orientation that the file names in
/// ``SafelightImage/VideoFrame/orientation``. A damaged or truncated film is an error, reported after the frames that
/// could be decoded but the last, which may be so in part; with ``FFmpegOptions/stopsAtDamage``, after those before the
/// damage. Of a stream or a camera, ffmpeg leaves out what it cannot decode.
///
/// Every iterator starts a child of its own and kills it when deallocated. Memory holds the frame that is being read,
/// two that wait, and those that the caller keeps; with ``FFmpegOptions/stopsAtDamage``, 17 wait behind a gap in the
/// times of evenly spaced frames. The child waits until the next frame is requested.
public struct FFmpegSource: FrameSource {
  /// The format of the frames, from the track and the options.
  public let format: VideoFormat
  /// The parts of the film that are not read: `sound`, `subtitles`, `other pictures`, the `alpha` of an AVIF.
  public let leftOut: [String]
  /// True if the film has alpha that ffmpeg's own decoder does not read, as in WebM.
  public let leavesAlphaOut: Bool
  /// True if the picture has an ICC profile, which is not read.
  public let leavesProfileOut: Bool
  /// True if the film says that each of its pictures holds two moments in time, and frames are delivered so.
  public let isInterlaced: Bool
  /// The conversion to red, green and blue that ffmpeg makes because no frame layout has the stored planes; nil if it
  /// makes none, or a layout was requested.
  public let mixture: FFmpegMixture?
  let input: FFmpegInput
  let options: FFmpegOptions
  private let conversion: FFmpegConversion
  private let isFFV1: Bool
  private let announcedFrames: Int?
  private let end: MediaTime?
  private let shift: Int
  private let onDamage: (@Sendable (String) -> Void)?
  private let onChange: (@Sendable (String) -> Void)?

  /// Inspects `input` with ffprobe and chooses the form of the frames. Opens it meanwhile, so a camera must be free.
  ///
  /// With `onDamage`, parts of a film that cannot be decoded are left out, or concealed as ffmpeg does, and reported at
  /// the end in one sentence; without it, damage is an error. `onChange` receives a sentence if the shape of pixels
  /// changes within the film; a change of the pixel format, the matrix or the range is an error.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` (no ffmpeg), `missingInput` (no such file), `input` (nothing
  ///   that ffmpeg can read, no video track), `limit` (pictures of more than `pixelLimit` columns × rows),
  ///   `unsupported` (a layout that does not suit the track) or `usage` (contradictory options).
  public init(
    _ input: FFmpegInput, options: FFmpegOptions = FFmpegOptions(), pixelLimit: Int = PNGLimits().pixels,
    onDamage: (@Sendable (String) -> Void)? = nil, onChange: (@Sendable (String) -> Void)? = nil
  ) async throws(SafelightError) {
    try options.check()
    try input.check()
    var listing = try await Self.probe(VideoTrack.arguments(input), input, options)
    if let missing = VideoTrack.frameArguments(input, after: listing) {
      listing.takeFrames(of: try await Self.probe(missing, input, options))
    }
    var track = try VideoTrack(listing, name: input.name)
    let still = try Self.directory(of: input)
    still?.describe(&track.color)
    let tag = Self.tag(of: input, still)
    if options.readsTags, track.orientation == .up { track.orientation = tag?.turn ?? .up }
    try track.size.check(within: pixelLimit, film: input.name)
    self.conversion = try FFmpegConversion(track, options: options, name: input.name)
    self.announcedFrames = input.isWhole ? track.announcedFrames : nil
    self.end = input.isWhole ? Self.end(of: track, input) : nil
    self.shift = input.isWhole ? track.shift : 0
    self.format = conversion.format
    self.isFFV1 = track.isFFV1
    self.leftOut = track.companions + Self.unreadParts(of: input, track, still, tag)
    self.leavesAlphaOut = track.hasAlphaBeside && !track.samples.hasAlpha
    self.mixture = conversion.mixture
    self.leavesProfileOut = track.hasProfile
    self.isInterlaced = !options.deinterlaces && ![.progressive, .unknown].contains(track.fields)
    self.input = input
    self.options = options
    self.onDamage = onDamage
    self.onChange = onChange
  }

  /// Returns the time at which the last frame ends. ffprobe adds up durations in the order of decoding, which end too
  /// early where that is not the order of showing: the header of a QuickTime file says more.
  private static func end(of track: VideoTrack, _ input: FFmpegInput) -> MediaTime? {
    guard case .file(let path) = input, let end = track.end, let number = track.number,
      let file = try? OpenedFile(path), let stated = MOVTracks(of: .file(file)).end(ofTrack: number)
    else { return track.end }
    // Its clock is coarser.
    return stated.seconds - end.seconds > 1.5 / Double(stated.timescale) ? stated : end
  }

  /// Returns the directory of a TIFF; nil for other inputs.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if ffmpeg reads its pixels wrongly without a word.
  private static func directory(of input: FFmpegInput) throws(SafelightError) -> TIFFDirectory? {
    guard case .file(let path) = input, let file = try? OpenedFile(path), let still = TIFFDirectory(of: .file(file))
    else { return nil }
    try still.checkPixels(of: path)
    return still
  }

  /// Returns the directory in which a TIFF, whose own is `still`, or a WebP says how it is turned.
  private static func tag(of input: FFmpegInput, _ still: TIFFDirectory?) -> TIFFDirectory? {
    guard still == nil, case .file(let path) = input, let file = try? OpenedFile(path) else { return still }
    return TIFFDirectory(ofWebP: .file(file))
  }

  /// Returns the parts of a still that are not read; `still` is the directory of a TIFF, `tag` the one that says how it
  /// is turned.
  private static func unreadParts(
    of input: FFmpegInput, _ track: VideoTrack, _ still: TIFFDirectory?, _ tag: TIFFDirectory?
  ) -> [String] {
    guard case .file(let path) = input else { return [] }
    var parts: [String] = []
    if !track.samples.hasAlpha, ["avif", "heic", "heif"].contains(PathParts(path).fileExtension),
      AVIFBoxes.haveAlpha(path)
    {
      parts.append("alpha")
    }
    if still?.isFollowed == true { parts.append("further pages") }
    if track.orientation == .up, (tag?.orientation ?? 1) != 1 || AVIFBoxes.areTurned(path) {
      parts.append("orientation")
    }
    return parts
  }

  private static func probe(
    _ arguments: [String], _ input: FFmpegInput, _ options: FFmpegOptions
  ) async throws(SafelightError) -> FlatListing {
    var listing: [UInt8] = []
    let probe = ChildProcess(name: "ffprobe", folder: options.programFolder, arguments: arguments)
    let (failure, ending) = try await probe.run { (piece) async throws(SafelightError) in
      try ensure(listing.count < 1 << 24, .input, input.name, why: "ffprobe prints more than 16 MiB about it")
      unsafe piece.withUnsafeBytes { unsafe listing += $0 }
    }
    if let failure { throw failure }
    if let status = ending.failure {
      let why = "ffprobe ended with \(status)" + (ending.messages.isEmpty ? "" : ": \(ending.messages)")
      throw ending.isKilled
        ? SafelightError(
          .transfer, input.name, why: why, remedy: "check that there is enough memory, then run it again")
        : SafelightError(
          .input, input.name, why: why, remedy: "check that it is a film, a stream or a camera that ffmpeg can open")
    }
    return FlatListing(String(decoding: listing, as: UTF8.self))
  }

  /// Starts ffmpeg at the first frame.
  public func makeAsyncIterator() -> VideoFrames {
    VideoFrames(
      reading: VideoReading(format) { (frames, memory) async throws(SafelightError) in
        try await send(to: frames, memory)
      })
  }

  /// Returns what is wrong if the film ended after `count` frames; nil if nothing is.
  ///
  /// A container may announce more frames than are shown, since an edit list cuts a film without rewriting it. So if
  /// too few arrived, they are counted by decoding them once more.
  private func shortfall(_ count: Int) async -> String? {
    func asked(_ frames: Int) -> Int {
      let (played, overflow) = frames.multipliedReportingOverflow(by: options.playCount)
      return Swift.min(overflow ? .max : played, options.frameLimit ?? .max)
    }
    guard let announcedFrames, count < asked(announcedFrames) else { return nil }
    do throws(SafelightError) {
      let listing = try await Self.probe(VideoTrack.countingArguments(input), input, options)
      guard let counted = listing.number("streams.stream.0.nb_read_frames"), count < asked(counted) else { return nil }
      return "ffmpeg sent \(count) frames; the film announces \(announcedFrames), and ffprobe counts \(counted)"
    } catch {
      return "ffmpeg sent \(count) frames; the film announces \(announcedFrames)"
    }
  }

  /// The error of a file that is cut off and that ffmpeg takes for whole; nil for other files.
  private var cutOff: SafelightError? {
    guard case .file(let path) = input, let file = try? OpenedFile(path),
      let why = VideoEnd.fault(of: .file(file)) ?? StillEnd.fault(of: .file(file), PathParts(path).fileExtension)
    else { return nil }
    return SafelightError(.transfer, path, why: why, remedy: "copy or download it again")
  }

  private var child: ChildProcess {
    // Repeated messages are printed each time, so that they can be counted.
    var arguments = ["-nostdin", "-hide_banner", "-noautorotate"] + FrameReports.arguments
    // The times of the file, not counted from its first frame; and columns that are cropped, whatever their number.
    arguments += ["-copyts", "-flags:v", "unaligned"]
    if onDamage != nil {
      arguments += ["-max_error_rate", "1"]
    } else if input.isWhole {
      arguments.append("-xerror")
      // A decoder that conceals damage sends pictures that look whole, in front of the damage too, where they refer to
      // what follows, and with several threads another number each time.
      if options.stopsAtDamage { arguments += ["-err_detect:v", "explode"] }
      // The threads share each frame, so ffmpeg reports an error after all earlier frames and before its own.
      if options.stopsAtDamage, isFFV1 { arguments += ["-thread_type:v", "slice"] }
    }
    if options.isPaced { arguments.append("-re") }
    if options.playCount != 1 { arguments += ["-stream_loop", "\(options.playCount - 1)"] }
    arguments += input.arguments + ["-map", "0:V:0", "-map_metadata", "-1"] + conversion.arguments
    arguments += ["-fps_mode", "passthrough", "-enc_time_base", "-1"]
    if let limit = options.frameLimit { arguments += ["-frames:v", "\(limit)"] }
    // One encoder thread: when ffmpeg ends at a frame, all frames before it have been written.
    arguments += ["-c:v", "rawvideo", "-threads", "1", "-avoid_negative_ts", "disabled", "-flush_packets", "1"]
    // NUT holds no negative times, such as those of a stream whose clock overflows.
    if shift > 0 { arguments += ["-output_ts_offset", "\(shift)"] }
    arguments += ["-f", "nut", "-write_index", "0", "pipe:1"]
    return ChildProcess(name: "ffmpeg", folder: options.programFolder, arguments: arguments)
  }
}

extension FFmpegSource {
  /// Runs ffmpeg and sends its frames until one is refused. With `onDamage`, damage ends the film without an error.
  ///
  /// Frames of a file wait in ``HeldFrames`` until it is known that ffmpeg could decode them whole.
  private func send(to frames: Handover<VideoFrame>, _ memory: PlanePool) async throws(SafelightError) {
    var demuxer = VideoDemuxer(
      source: input.name, format: format, samples: conversion.sent, shift: shift, memory: memory)
    var held = HeldFrames(duration: options.stopsAtDamage ? format.frameDuration : nil, tick: format.timeBase)
    let hasLuma = format.layout.isYCbCr || mixture != nil
    let reports = FrameReports(
      assuming: ColorDescription(
        matrix: hasLuma ? options.untaggedMatrix ?? .customary(for: format.storedSize) : .identity,
        range: hasLuma ? options.untaggedRange : .full))
    var change: String?
    let stopsAtErrors = options.stopsAtDamage && onDamage == nil && input.isWhole
    var doubtful: [VideoFrame] = []
    let (failure, ending) = try await child.run(reports: reports) { (piece) async throws(SafelightError) in
      unsafe piece.withUnsafeBytes { unsafe demuxer.append($0) }
      while let next = try demuxer.next() {
        change = await reports.change(at: demuxer.count - 1)
        if change != nil { throw Self.unwanted }
        if stopsAtErrors, let index = reports.errorIndex, demuxer.count > index {
          doubtful.append(next)
          if doubtful.count > HeldFrames.mostDoubtful { throw Self.unwanted }
          continue
        }
        for frame in input.isWhole ? held.add(next) : [next] {
          if await !frames.send(frame) { throw Self.unwanted }
        }
      }
    }
    /// Sends the frames that still wait.
    func sendRest() async {
      for frame in held.frames { _ = await frames.send(frame) }
    }
    if let size = FFmpegConversion.refusedSize(in: ending.lines) {
      await sendRest()
      let announced = format.storedSize
      let scaling = "ffmpeg -i INPUT -vf scale=\(announced.width):\(announced.height) OUTPUT"
      throw SafelightError(
        .input, input.name, why: "frame \(demuxer.count + 1) is \(size), but the video track announces \(announced)",
        remedy: "cut it where its size changes, or scale it to one size first: \(scaling)")
    }
    if let change {
      await sendRest()
      throw SafelightError(
        .input, input.name, why: change,
        remedy: "cut it where this changes, or convert it to one kind first: ffmpeg -i INPUT -pix_fmt … OUTPUT")
    }
    if let change = reports.shapeChange { onChange?(change) }
    let isConcealed = !doubtful.isEmpty && ending.failure == nil
    if isConcealed {
      for frame in held.wholeFrames { _ = await frames.send(frame) }
    } else {
      for frame in doubtful { for frame in held.add(frame) { _ = await frames.send(frame) } }
    }
    let concealed =
      isConcealed
      ? transferError("ffmpeg reported an error about frame \(demuxer.count - doubtful.count + 1): \(ending.messages)")
      : nil
    let cut = isConcealed || options.frameLimit != nil || !input.isWhole ? nil : cutOff
    guard let error = concealed ?? endingError(failure, ending, demuxer) ?? cut else {
      if options.playCount == 1, options.frameLimit == nil, let end { held.endLast(at: end) }
      await sendRest()
      if let why = await shortfall(demuxer.count) { throw transferError(why) }
      return
    }
    var isDamage = (isConcealed || failure == nil) && (!ending.lines.isEmpty || cut != nil) && !ending.isKilled
    if isDamage, case .file(let path) = input { isDamage = await VideoDamage.isIn(path, by: ending.lines) }
    guard isDamage else { throw error }
    guard let onDamage, demuxer.count > 0 else {
      // Without a single frame there is nothing to continue with.
      let isPassable = onDamage == nil && demuxer.count > 0
      throw SafelightError(
        .input, error.what, why: error.why,
        remedy: error.remedy.map { isPassable ? "\($0), or continue past the damage" : $0 },
        setting: isPassable ? .filmDamage : nil)
    }
    await sendRest()
    let lines = ending.lineCount == 1 ? "1 line" : "\(ending.lineCount) lines"
    let printed = ending.lineCount == 0 ? "" : " (ffmpeg printed \(lines) of errors)"
    onDamage("\(error.what) is damaged: \(error.why)\(printed)")
  }

  /// Ends the child, whose frames nobody wants; never shown.
  private static let unwanted = SafelightError(.transfer, "ffmpeg", why: "its frames are not wanted", remedy: nil)

  /// The error at the end of a run; nil after a whole film.
  private func endingError(
    _ failure: SafelightError?, _ ending: ChildProcess.Ending, _ demuxer: borrowing VideoDemuxer
  ) -> SafelightError? {
    let messages = ending.messages.isEmpty ? "" : ": \(ending.messages)"
    if let failure {
      return SafelightError(failure.kind, failure.what, why: failure.why + messages, remedy: failure.remedy)
    }
    let count = demuxer.count == 1 ? "1 frame" : "\(demuxer.count) frames"
    if let gap = demuxer.gap {
      return transferError((ending.failure.map { "ffmpeg ended with \($0) " } ?? "ffmpeg ended ") + gap + messages)
    }
    if let status = ending.failure { return transferError("ffmpeg ended with \(status) after \(count)\(messages)") }
    return input.isWhole && !messages.isEmpty
      ? transferError("ffmpeg reported errors and sent \(count)\(messages)") : nil
  }

  private func transferError(_ why: String) -> SafelightError {
    SafelightError(
      .transfer, input.name, why: why, remedy: "read its messages: ffmpeg -v error -i '\(input.name)' -f null -")
  }
}

/// The frames of a file that wait, since ffmpeg may still report an error about them; at most 17.
///
/// ffmpeg also sends a frame that it could decode only in part, so a frame waits until another follows. Of a film that
/// is cut off, it sends frames behind lost ones, so those behind a gap in the times wait until as many have followed as
/// a decoder can hold back.
private struct HeldFrames {
  /// The most frames that a decoder holds back to bring them into order (ITU-T H.264, A.3.1, and H.265, A.4.2).
  private static let reordered = 16
  /// The most frames that arrive between an error and ffmpeg's end because of it: those that its decoder holds back,
  /// and those of its 16 threads (libavcodec/pthread_frame.c). If more come, ffmpeg has concealed the damage.
  static let mostDoubtful = 32

  /// The time from one frame to the next; nil if they are not evenly spaced.
  let duration: MediaTime?
  /// One tick of the times.
  let tick: MediaTime
  private(set) var frames: [VideoFrame] = []
  /// The places in ``frames`` of those that follow a gap, of late.
  var gaps: [Int] = []

  /// The frames before the first gap.
  var wholeFrames: ArraySlice<VideoFrame> { frames.prefix(gaps.first ?? frames.count) }

  /// Adds the next frame and returns those that need not wait any longer.
  mutating func add(_ frame: VideoFrame) -> [VideoFrame] {
    if isGap(before: frame) { gaps.append(frames.count) }
    endLast(at: frame.presentationTime)
    frames.append(frame)
    gaps.removeAll { frames.count - $0 > Self.reordered }
    let count = min(gaps.first ?? .max, frames.count - 1)
    defer {
      frames.removeFirst(count)
      gaps = gaps.map { $0 - count }
    }
    return Array(frames.prefix(count))
  }

  /// States that the last frame is shown until `end`: the stream from ffmpeg has times alone.
  mutating func endLast(at end: MediaTime) {
    guard let last = frames.last, let duration = last.presentationTime.distance(to: end), duration > .zero else {
      return
    }
    // The file's clock may round both.
    let isUsual = last.duration.map { abs($0.seconds - duration.seconds) < 1.5 * tick.seconds } ?? false
    if !isUsual { frames[frames.count - 1] = last.lasting(duration) }
  }

  private func isGap(before frame: VideoFrame) -> Bool {
    guard let duration, let last = frames.last else { return false }
    return frame.presentationTime.seconds - last.presentationTime.seconds > 1.5 * duration.seconds
  }
}

/// Tells a damaged film from a failing machine after ffmpeg could not read it to its end.
package enum VideoDamage {
  /// ffmpeg's messages about faults of the machine. Those about damaged data are as manifold as its demuxers and
  /// decoders.
  private static let faultsOfTheMachine = [
    "Input/output error", "Cannot allocate memory", "No space left", "Permission denied", "Resource temporarily",
    "Too many open files", "Broken pipe",
  ]

  /// True if no line blames the machine and the whole file at `path` can be read: a file that a disk returns only in
  /// part looks damaged too.
  package static func isIn(_ path: String, by lines: [String]) async -> Bool {
    guard !lines.contains(where: { line in faultsOfTheMachine.contains { line.contains($0) } }) else { return false }
    let isRead = try? await BlockingThread().run { () throws(SafelightError) in
      let input = try ByteInput(.file(path))
      var bytes: [UInt8] = []
      while try input.read(1 << 20, into: &bytes) > 0 { bytes.removeAll(keepingCapacity: true) }
      return true
    }
    return isRead ?? false
  }
}
