import Glibc
public import SafelightImage
import Subprocess

/// Films, streams, cameras and test pictures, read by the program ffmpeg as a child process: the counterpart of an
/// `AVAssetReader` with one track output, and of a capture device.
///
/// Frames come with the presentation times of the file, tick by tick, whatever its frame rate does; nothing is
/// duplicated or left out to even them. They are delivered as stored, with the orientation that the file asks for in
/// ``SafelightImage/VideoFrame/orientation``. A film that is damaged or cut short is an error, at the latest behind its
/// last frame; of a stream or a camera, ffmpeg leaves out what it cannot decode.
///
/// Every iterator starts a child of its own, which is killed when the iterator goes. In memory are at any time: the frame
/// that is being read, one that waits, and those that you hold; the child waits where nobody asks for the next.
public struct FFmpegSource: FrameSource {
  /// What the track says, and what the options make of it.
  public let format: VideoFormat
  /// What the film has beside its pictures, and is not read: `sound`, `subtitles`, `other pictures`.
  public let leftOut: [String]
  /// True where the film has alpha that ffmpeg's own decoder does not read, as in WebM.
  public let leavesAlphaOut: Bool
  /// True for a picture whose ICC profile is not read.
  public let leavesProfileOut: Bool
  /// What ffmpeg mixes red, green and blue of, since frames have no such planes; nil where planes come as they are, or
  /// were asked for otherwise.
  public let mixture: FFmpegMixture?
  let input: FFmpegInput
  let options: FFmpegOptions
  private let conversion: FFmpegConversion
  private let announcedFrames: Int?
  private let onDamage: (@Sendable (String) -> Void)?

  /// Looks at `input` with ffprobe and settles how its frames are to come. Opens it for the time being: a camera must be
  /// free. With `onDamage`, what cannot be decoded of a film is left out, or made up as ffmpeg does, and told of at the end in one sentence;
  /// without it, damage is an error.
  ///
  /// Throws a ``SafelightError`` of kind `environment` (no ffmpeg), `missingInput` (no such file), `input` (nothing that
  /// ffmpeg can read, no video track), `limit` (pictures of more than `pixelLimit` columns × rows), `unsupported` (the layout does not suit
  /// the track, or that is interlaced) or `usage` (options that contradict).
  public init(
    _ input: FFmpegInput, options: FFmpegOptions = FFmpegOptions(), pixelLimit: Int = PNGLimits().pixels,
    onDamage: (@Sendable (String) -> Void)? = nil
  ) async throws(SafelightError) {
    try options.check()
    try input.check()
    let track = try await Self.track(input, options)
    try track.size.check(within: pixelLimit, film: input.name)
    self.conversion = try FFmpegConversion(track, options: options, name: input.name)
    self.announcedFrames = input.isWhole ? track.announcedFrames : nil
    self.format = conversion.format
    self.leftOut = track.companions
    self.leavesAlphaOut = track.hasAlphaBeside && !track.samples.hasAlpha
    self.mixture = conversion.mixture
    self.leavesProfileOut = track.hasProfile
    self.input = input
    self.options = options
    self.onDamage = onDamage
  }

  private static func track(
    _ input: FFmpegInput, _ options: FFmpegOptions
  ) async throws(SafelightError) -> VideoTrack {
    let listing = try await probe(VideoTrack.arguments(input), input, options)
    return try VideoTrack(listing, name: input.name)
  }

  private static func probe(
    _ arguments: [String], _ input: FFmpegInput, _ options: FFmpegOptions
  ) async throws(SafelightError) -> FlatListing {
    var listing: [UInt8] = []
    let probe = ChildProcess(
      name: "ffprobe", folder: options.programFolder, arguments: arguments)
    let (failure, ending) = try await probe.run { (piece) async throws(SafelightError) in
      guard listing.count < 1 << 24 else {
        throw SafelightError(.input, input.name, why: "ffprobe does not stop writing about it", remedy: nil)
      }
      unsafe piece.withUnsafeBytes { unsafe listing += $0 }
    }
    if let failure { throw failure }
    if let status = ending.failure {
      throw SafelightError(
        .input, input.name, why: "ffprobe ended with \(status): \(ending.messages)",
        remedy: "check that it is a film, a stream or a camera that ffmpeg can open")
    }
    return FlatListing(String(decoding: listing, as: UTF8.self))
  }

  /// Starts ffmpeg at the first frame.
  public func makeAsyncIterator() -> FFmpegFrames {
    FFmpegFrames(
      FFmpegReading(
        input, format: format, sizeGuard: conversion.sizeGuard, child: child, onDamage: onDamage, shortfall: shortfall))
  }

  /// What is amiss where `count` frames came; nil where nothing is.
  ///
  /// A container may announce more than there is to see: an edit list cuts a film without rewriting it. So where too few came they are counted by
  /// decoding them once more.
  private func shortfall(_ count: Int) async -> String? {
    func asked(_ frames: Int) -> Int {
      let (played, overflow) = frames.multipliedReportingOverflow(by: options.playCount)
      return Swift.min(overflow ? .max : played, options.frameLimit ?? .max)
    }
    guard let announcedFrames, count < asked(announcedFrames) else { return nil }
    do throws(SafelightError) {
      let listing = try await Self.probe(VideoTrack.countingArguments(input), input, options)
      guard let counted = VideoTrack.frameCount(listing), count < asked(counted) else { return nil }
      return "ffmpeg sent \(count) frames; the film announces \(announcedFrames), and ffprobe counts \(counted)"
    } catch {
      return "ffmpeg sent \(count) frames; the film announces \(announcedFrames)"
    }
  }

  private var child: ChildProcess {
    // Each complaint by itself, to count them.
    var arguments = ["-nostdin", "-hide_banner", "-loglevel", "repeat+error", "-noautorotate"]
    // The times of the file, not counted anew from its first frame.
    arguments.append("-copyts")
    if onDamage != nil {
      arguments += ["-max_error_rate", "1"]
    } else if input.isWhole {
      arguments.append("-xerror")
    }
    if options.isPaced { arguments.append("-re") }
    if options.playCount != 1 { arguments += ["-stream_loop", "\(options.playCount - 1)"] }
    arguments += input.arguments + ["-map", "0:V:0", "-map_metadata", "-1"] + conversion.arguments
    arguments += ["-fps_mode", "passthrough", "-enc_time_base", "-1"]
    if let limit = options.frameLimit { arguments += ["-frames:v", "\(limit)"] }
    // One thread of the encoder: where ffmpeg ends at a frame, all before it have been written.
    arguments += ["-c:v", "rawvideo", "-threads", "1", "-avoid_negative_ts", "disabled", "-flush_packets", "1"]
    arguments += ["-f", "nut", "-write_index", "0", "pipe:1"]
    return ChildProcess(name: "ffmpeg", folder: options.programFolder, arguments: arguments)
  }
}

/// The frames of an ``FFmpegSource``, one after the other.
public struct FFmpegFrames: AsyncIteratorProtocol {
  package let reading: FFmpegReading

  init(_ reading: FFmpegReading) {
    self.reading = reading
  }

  /// The next frame; nil at the end, and once the task is cancelled.
  ///
  /// Throws a ``SafelightError`` of kind `transfer` where ffmpeg fails or stops in the middle of a frame, `input` where it complains of a file
  /// that can be read, as of one that is damaged or cut short, and at a frame of another size than the track announces.
  public mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
    try await reading.next()
  }
}

/// One run of ffmpeg, whose frames wait to be taken one at a time. Whoever lets go of it ends the child.
package final class FFmpegReading: Sendable {
  /// Counts what was allocated for frames.
  package let memory: FrameMemory
  private let frames: Handover<VideoFrame>
  private let task: Task<Void, Never>

  /// `shortfall` says what is amiss where so many frames came. With `onDamage`, which is told of it, damage ends the film without an error
  /// behind the frames that came.
  init(
    _ input: FFmpegInput, format: VideoFormat, sizeGuard: FrameSizeGuard, child: ChildProcess,
    onDamage: (@Sendable (String) -> Void)?, shortfall: @escaping @Sendable (_ count: Int) async -> String?
  ) {
    let frames = Handover<VideoFrame>(capacity: 1)
    let memory = FrameMemory(byteCounts: format.layout.planeByteCounts(of: format.size))
    self.frames = frames
    self.memory = memory
    self.task = Task {
      var assembly = FrameAssembly(source: input.name, format: format, memory: memory)
      do throws(SafelightError) {
        let (failure, ending) = try await child.run { (piece) async throws(SafelightError) in
          unsafe piece.withUnsafeBytes { unsafe assembly.append($0) }
          while let frame = try assembly.next() {
            guard await frames.send(frame) else { throw Self.unwanted }
          }
        }
        if let size = sizeGuard.refusedSize(in: ending.lines) {
          throw SafelightError(
            .input, input.name,
            why: "frame \(assembly.count + 1) is \(size), and its track announces \(sizeGuard.size)",
            remedy:
              "cut it where its size changes, or bring it to one first: ffmpeg -i INPUT -vf scale=\(sizeGuard.size.width):\(sizeGuard.size.height) OUTPUT"
          )
        }
        if let error = Self.error(failure, ending, assembly, input) {
          var isDamage = failure == nil && !ending.lines.isEmpty && ending.failure?.hasPrefix("signal") != true
          if isDamage, case .file(let path) = input { isDamage = await FilmDamage.isIn(path, by: ending.lines) }
          guard let onDamage, isDamage, assembly.count > 0 else {
            guard isDamage else { throw error }
            // Without a single frame there is nothing to go on with.
            let isPassable = onDamage == nil && assembly.count > 0
            throw SafelightError(
              .input, error.what, why: error.why,
              remedy: error.remedy.map { isPassable ? "\($0), or go on past the damage" : $0 },
              setting: isPassable ? .filmDamage : nil)
          }
          let lines = ending.lineCount == 1 ? "1 line" : "\(ending.lineCount) lines"
          onDamage("\(error.what) is damaged: \(error.why) (\(lines) of complaints)")
        } else if let why = await shortfall(assembly.count) {
          throw Self.error(why, input)
        }
        frames.finish()
      } catch {
        frames.finish(error)
      }
    }
  }

  deinit {
    task.cancel()
    frames.close()
  }

  package func next() async throws(SafelightError) -> VideoFrame? { try await frames.next() }

  /// Only ends the child: nobody is there to see it.
  private static let unwanted = SafelightError(.transfer, "ffmpeg", why: "nobody takes its frames", remedy: nil)

  /// What there is to say at the end; nil after a whole film.
  private static func error(
    _ failure: SafelightError?, _ ending: ChildProcess.Ending, _ assembly: borrowing FrameAssembly, _ input: FFmpegInput
  ) -> SafelightError? {
    let messages = ending.messages.isEmpty ? "" : ": \(ending.messages)"
    if let failure {
      return SafelightError(failure.kind, failure.what, why: failure.why + messages, remedy: failure.remedy)
    }
    let count = assembly.count == 1 ? "1 frame" : "\(assembly.count) frames"
    if let gap = assembly.gap {
      return error((ending.failure.map { "ffmpeg ended with \($0) " } ?? "ffmpeg ended ") + gap + messages, input)
    }
    if let status = ending.failure { return error("ffmpeg ended with \(status) after \(count)\(messages)", input) }
    return input.isWhole && !messages.isEmpty ? error("ffmpeg complained, and sent \(count)\(messages)", input) : nil
  }

  private static func error(_ why: String, _ input: FFmpegInput) -> SafelightError {
    SafelightError(
      .transfer, input.name, why: why, remedy: "see what it says: ffmpeg -v error -i '\(input.name)' -f null -")
  }
}

/// Whether a film is at fault that ffmpeg could not read to its end, or the machine.
package enum FilmDamage {
  /// What ffmpeg says where the machine is at fault. What it says of damaged data is as manifold as its demuxers and decoders.
  private static let faultsOfTheMachine = [
    "Input/output error", "Cannot allocate memory", "No space left", "Permission denied", "Resource temporarily",
    "Too many open files", "Broken pipe",
  ]

  /// True where no line blames the machine, and all of the file at `path` can be read: what a disk gives only in part looks damaged too.
  package static func isIn(_ path: String, by lines: [String]) async -> Bool {
    guard !lines.contains(where: { line in faultsOfTheMachine.contains { line.contains($0) } }) else { return false }
    do throws(SafelightError) {
      return try await BlockingThread("safelight.film").run { () throws(SafelightError) in
        let input = try ByteInput(.file(path))
        var bytes: [UInt8] = []
        while try input.read(1 << 20, into: &bytes) > 0 { bytes.removeAll(keepingCapacity: true) }
        return true
      }
    } catch {
      return false
    }
  }
}
