package import SafelightImage
import Subprocess

/// One run of ffmpeg, whose frames wait to be taken one at a time. Whoever lets go of it ends the child.
package final class FFmpegReading: Sendable {
  /// Counts what was allocated for frames.
  package let memory: FrameMemory
  private let frames: Handover<VideoFrame>
  private let task: Task<Void, Never>

  /// `shortfall` says what is amiss where so many frames came.
  init(
    _ input: FFmpegInput, format: VideoFormat, sizeGuard: FrameSizeGuard, child: ChildProcess,
    shortfall: @escaping @Sendable (_ count: Int) async -> String?
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
            why: "frame \(assembly.count) is \(size), and its track announces \(sizeGuard.size)",
            remedy:
              "cut it where its size changes, or bring it to one first: ffmpeg -i INPUT -vf scale=\(sizeGuard.size.width):\(sizeGuard.size.height) OUTPUT"
          )
        }
        if let error = Self.error(failure, ending, assembly, mustBeWhole: input.isWhole) {
          guard failure == nil, case .file(let path) = input, await FilmDamage.isIn(path, by: ending.lines) else {
            throw error
          }
          throw SafelightError(.input, error.what, why: error.why, remedy: error.remedy)
        }
        if let why = await shortfall(assembly.count) {
          throw SafelightError(
            .transfer, input.name, why: why, remedy: "see what it says: ffmpeg -v verbose -i INPUT -f null -")
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
    _ failure: SafelightError?, _ ending: ChildProcess.Ending, _ assembly: borrowing FrameAssembly, mustBeWhole: Bool
  ) -> SafelightError? {
    let messages = ending.messages.isEmpty ? "" : ": \(ending.messages)"
    if let failure {
      return SafelightError(failure.kind, failure.what, why: failure.why + messages, remedy: failure.remedy)
    }
    let end: String
    if let gap = assembly.gap {
      end = (ending.failure.map { "ffmpeg ended with \($0) " } ?? "ffmpeg ended ") + gap
    } else if let status = ending.failure {
      end = "ffmpeg ended with \(status) after \(assembly.count) frames"
    } else if mustBeWhole && !messages.isEmpty {
      end = "ffmpeg complained, and sent \(assembly.count) frames"
    } else {
      return nil
    }
    return SafelightError(
      .transfer, assembly.source, why: end + messages, remedy: "see what it says: ffmpeg -v error -i INPUT -f null -")
  }
}
