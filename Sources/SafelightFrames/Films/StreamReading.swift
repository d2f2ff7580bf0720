import Dispatch
public import SafelightImage
import Synchronization

/// A stream of frames that has been opened and, unless it is a file, can be read once.
final class FrameStream: Sendable {
  private let place: FilmPlace
  private let coding: any StreamCoding
  /// Behind its beginning; nil once somebody reads it.
  private let opened: Mutex<ByteInput?>
  private let isFile: Bool

  init(_ input: ByteInput, at place: FilmPlace, _ coding: any StreamCoding) {
    self.place = place
    self.coding = coding
    isFile = input.isFile
    opened = Mutex(input)
  }

  /// Reads from the first frame on; `reopen` reads what stands before it.
  func read(_ reopen: @escaping @Sendable (ByteInput) throws(SafelightError) -> Void) -> StreamedFrames {
    let opened = opened.withLock { $0.take() }
    return StreamedFrames(
      StreamReading(coding) { [self] () throws(SafelightError) in
        if let opened { return opened }
        guard isFile else {
          throw SafelightError(
            .usage, place.name, why: "it was read already, and a pipe can be read once",
            remedy: "keep its frames, or name a file")
        }
        let input = try ByteInput(place)
        try reopen(input)
        return input
      })
  }
}

/// One reading of a stream: a frame waits to be taken, while the next is read on a thread of its own.
final class StreamReading: Sendable {
  private let frames = Handover<VideoFrame>(capacity: 1)
  private let task: Task<Void, Never>
  private let input: InputInUse

  init(_ coding: any StreamCoding, open: @escaping @Sendable () throws(SafelightError) -> ByteInput) {
    let (frames, inUse) = (self.frames, InputInUse())
    input = inUse
    task = Task {
      let thread = BlockingThread("safelight.film")
      let memory = FrameMemory(byteCounts: coding.format.layout.planeByteCounts(of: coding.format.size))
      do throws(SafelightError) {
        let input = try await thread.run(open)
        inUse.set(input)
        var index = 0
        while let frame = try await thread.run({ [index] () throws(SafelightError) in
          try coding.readFrame(index, from: input, memory)
        }) {
          guard await frames.send(frame) else { break }
          index += 1
        }
        frames.finish()
      } catch {
        frames.finish(error)
      }
    }
  }

  deinit {
    input.stop()
    task.cancel()
    frames.close()
  }

  func next() async throws(SafelightError) -> VideoFrame? { try await frames.next() }
}

/// The input that somebody may be waiting for.
final class InputInUse: Sendable {
  private let state = Mutex<(input: ByteInput?, isStopped: Bool)>((nil, false))

  func set(_ input: ByteInput) {
    let isStopped = state.withLock { state in
      state.input = input
      return state.isStopped
    }
    if isStopped { input.stop() }
  }

  func stop() {
    let input = state.withLock { state in
      state.isStopped = true
      return state.input
    }
    input?.stop()
  }
}

/// The frames of a stream of bytes, one after the other.
public struct StreamedFrames: AsyncIteratorProtocol {
  private let reading: StreamReading

  init(_ reading: StreamReading) { self.reading = reading }

  /// The next frame; nil at the end, and once the task is cancelled.
  ///
  /// Throws a ``SafelightError`` of kind `input` where the stream is damaged or cut short, `transfer` where reading fails.
  public mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
    try await reading.next()
  }
}

/// A thread for calls that block, which those of Swift's tasks must not; one call at a time.
struct BlockingThread: Sendable {
  private let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: label) }

  /// Runs `work` there.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(SafelightError) -> Value
  ) async throws(SafelightError) -> Value {
    let result: Result<Value, SafelightError> = await withCheckedContinuation { continuation in
      queue.async {
        do throws(SafelightError) {
          continuation.resume(returning: .success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}
