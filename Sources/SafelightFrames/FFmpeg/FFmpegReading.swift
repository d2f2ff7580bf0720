package import SafelightImage
import Subprocess

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
