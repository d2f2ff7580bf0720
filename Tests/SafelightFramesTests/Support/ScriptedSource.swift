import SafelightFrames
import SafelightImage

/// A source in a test's hands: frames come when they are given, and the test knows how often one was asked for.
struct ScriptedSource: FrameSource {
  let format = VideoFormat(
    size: Size(1, 1), layout: .gray8, timeBase: MediaTime(value: 1, timescale: 30),
    frameDuration: MediaTime(value: 1, timescale: 30))
  /// How often the next frame was asked for: once more than frames were dealt with.
  let asked = Counter()
  /// How often an iterator has ended.
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
