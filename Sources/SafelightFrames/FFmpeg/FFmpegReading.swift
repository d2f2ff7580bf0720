import SafelightImage
import Subprocess

/// One run of ffmpeg, whose frames wait to be taken one at a time. Whoever lets go of it ends the child.
final class FFmpegReading: Sendable {
  /// Counts what was allocated for frames.
  let memory: FrameMemory
  private let frames: Handover<VideoFrame>
  private let task: Task<Void, Never>

  init(source: String, format: VideoFormat, child: ChildProcess) {
    let frames = Handover<VideoFrame>(capacity: 1)
    let memory = FrameMemory(byteCounts: format.layout.planeByteCounts(of: format.size))
    self.frames = frames
    self.memory = memory
    self.task = Task {
      var assembly = FrameAssembly(source: source, format: format, memory: memory)
      do throws(SafelightError) {
        let (failure, ending) = try await child.run { (piece) async throws(SafelightError) in
          unsafe piece.withUnsafeBytes { unsafe assembly.append($0) }
          while let frame = try assembly.next() {
            guard await frames.send(frame) else { throw Self.unwanted }
          }
        }
        frames.finish(Self.error(failure, ending, assembly))
      } catch {
        frames.finish(error)
      }
    }
  }

  deinit {
    task.cancel()
    frames.close()
  }

  func next() async throws(SafelightError) -> VideoFrame? { try await frames.next() }

  /// Only ends the child: nobody is there to see it.
  private static let unwanted = SafelightError(.transfer, "ffmpeg", why: "nobody takes its frames", remedy: nil)

  /// What there is to say at the end; nil after a whole film.
  private static func error(
    _ failure: SafelightError?, _ ending: ChildProcess.Ending, _ assembly: borrowing FrameAssembly
  ) -> SafelightError? {
    let messages = ending.messages.isEmpty ? "" : ": \(ending.messages)"
    if let failure {
      return SafelightError(failure.kind, failure.what, why: failure.why + messages, remedy: failure.remedy)
    }
    let status = ending.failure.map { "ffmpeg ended with \($0)" }
    if let gap = assembly.gap {
      return SafelightError(
        .transfer, assembly.source, why: "\(status ?? "ffmpeg ended") \(gap)\(messages)",
        remedy: "see whether it plays to its end: ffmpeg -i INPUT -f null -")
    }
    guard let status else { return nil }
    return SafelightError(
      .transfer, assembly.source, why: "\(status) after \(assembly.count) frames\(messages)",
      remedy: "see whether it plays to its end: ffmpeg -i INPUT -f null -")
  }
}
