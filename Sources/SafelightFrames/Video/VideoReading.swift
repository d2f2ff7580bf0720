import Dispatch
public import SafelightImage
import Synchronization

/// The frames of a film, one after another.
public struct VideoFrames: AsyncIteratorProtocol {
  package let reading: VideoReading

  /// Returns the next frame; nil at the end, and once the task is cancelled.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if the film is damaged or cut short, or if a frame has another size
  ///   than announced, `transfer` if reading or ffmpeg fails.
  public mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
    try await reading.next()
  }
}

/// One reading of a film, one frame ahead of its consumer; deallocating it ends the reading.
package final class VideoReading: Sendable {
  package let memory: PlanePool
  private let frames = Handover<VideoFrame>(capacity: 1)
  private let stop: @Sendable () -> Void
  private let task: Task<Void, Never>

  /// `read` sends the frames of `format` until one is refused; `stop` ends it while it blocks.
  init(
    _ format: VideoFormat, stop: @escaping @Sendable () -> Void = {},
    read: @escaping @Sendable (Handover<VideoFrame>, PlanePool) async throws(SafelightError) -> Void
  ) {
    let (frames, memory) = (self.frames, PlanePool(byteCounts: format.layout.planeByteCounts(of: format.size)))
    self.memory = memory
    self.stop = stop
    task = Task {
      do throws(SafelightError) {
        try await read(frames, memory)
        frames.finish()
      } catch {
        frames.finish(error)
      }
    }
  }

  deinit {
    stop()
    task.cancel()
    frames.close()
  }

  package func next() async throws(SafelightError) -> VideoFrame? { try await frames.next() }
}

/// An open stream of frames, which can be read once unless it is a file.
final class VideoStream: Sendable {
  private let location: VideoLocation
  private let coding: any StreamCoding
  /// The input after its header; nil once a reading has taken it.
  private let opened: Mutex<ByteInput?>
  private let isFile: Bool

  init(_ input: ByteInput, at location: VideoLocation, _ coding: any StreamCoding) {
    self.location = location
    self.coding = coding
    isFile = input.isFile
    opened = Mutex(input)
  }

  /// Reads from the first frame on; `readHeader` reads what precedes it when the file is opened again.
  func read(_ readHeader: @escaping @Sendable (ByteInput) throws(SafelightError) -> Void) -> VideoFrames {
    let opened = opened.withLock { $0.take() }
    let input = Result { () throws(SafelightError) in if let opened { opened } else { try reopened() } }
    return VideoFrames(
      reading: VideoReading(coding.format, stop: { try? input.get().stop() }) {
        [self] (frames, memory) async throws(SafelightError) in
        let input = try input.get()
        let thread = BlockingThread()
        if opened == nil { try await thread.run { () throws(SafelightError) in try readHeader(input) } }
        var index = 0
        while let frame = try await thread.run({ [index] () throws(SafelightError) in
          try self.coding.readFrame(index, from: input, memory)
        }) {
          guard await frames.send(frame) else { break }
          index += 1
        }
      })
  }

  private func reopened() throws(SafelightError) -> ByteInput {
    try ensure(
      isFile, .usage, location.name, why: "a pipe can be read only once, and it was read already",
      remedy: "keep the frames of the first reading, or read a file")
    return try ByteInput(location)
  }
}

/// A thread for calls that block, which tasks must not do on their own threads; runs one call at a time.
struct BlockingThread: Sendable {
  private let queue = DispatchQueue(label: "safelight.film")

  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(SafelightError) -> Value
  ) async throws(SafelightError) -> Value {
    let result: Result<Value, SafelightError> = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result { () throws(SafelightError) in try work() }) }
    }
    return try result.get()
  }
}
