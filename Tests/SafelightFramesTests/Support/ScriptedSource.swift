import SafelightFrames
import SafelightImage
import Synchronization

/// A source that a test controls: it yields frames when the test gives them, and counts the requests.
struct ScriptedSource: FrameSource {
  let format = VideoFormat(
    size: Size(1, 1), layout: .gray8, timeBase: MediaTime(value: 1, timescale: 30),
    frameDuration: MediaTime(value: 1, timescale: 30))
  /// Counts the requests for the next frame: one more than the frames that were processed.
  let asked = Counter()
  /// Counts the iterators that have ended.
  let ended = Counter()
  private let stream: AsyncStream<Result<VideoFrame, SafelightError>>
  private let continuation: AsyncStream<Result<VideoFrame, SafelightError>>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
    let ended = ended
    continuation.onTermination = { _ in ended.increment() }
  }

  /// Gives frame `index`, to be shown at `time` thirtieths of a second, or at its index.
  func give(_ index: Int, at time: Int64? = nil) {
    let image = Image(size: Size(1, 1), channels: .gray, depth: .bits8, bytes: [UInt8(index)])
    let time = MediaTime(value: time ?? Int64(index), timescale: 30)
    continuation.yield(
      .success(VideoFrame(index: index, image: image, presentationTime: time, duration: format.frameDuration)))
  }

  func end() { continuation.finish() }

  func fail(_ why: String) { continuation.yield(.failure(SafelightError(.transfer, "script", why: why))) }

  func makeAsyncIterator() -> Iterator { Iterator(asked: asked, frames: stream.makeAsyncIterator()) }

  struct Iterator: AsyncIteratorProtocol {
    let asked: Counter
    var frames: AsyncStream<Result<VideoFrame, SafelightError>>.Iterator

    mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
      asked.increment()
      return try await frames.next(isolation: isolation)?.get()
    }
  }
}

/// A counter that tasks can wait for.
final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .acquiring) }

  func increment() { count.add(1, ordering: .acquiringAndReleasing) }

  func wait(until count: Int) async { while value < count { await Task.yield() } }
}
