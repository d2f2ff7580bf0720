import Dispatch
import SafelightFrames
import SafelightImage
import Synchronization
import Testing

@Suite struct FrameCaptureTests {
  private let source = ScriptedSource()

  /// Makes a capture of the script, and a recorder, which is its delegate.
  private func makeCapture(
    blocks: Bool = false, keeps: Bool = false, discardsLate: Bool = true, bufferCount: Int = 4
  ) -> (FrameCapture, CaptureRecorder) {
    let recorder = CaptureRecorder(blocks: blocks, keeps: keeps)
    let capture = FrameCapture(source, alwaysDiscardsLateVideoFrames: discardsLate, bufferCount: bufferCount)
    capture.delegate = recorder
    return (capture, recorder)
  }

  private func outcomes(_ capture: FrameCapture) -> [CameraLedger.Outcome] { capture.ledger.lines.map(\.outcome) }

  @Test func quickDelegateGetsEveryFrame() async {
    let (capture, recorder) = makeCapture()
    capture.start()
    for index in 0..<5 {
      source.give(index)
      await recorder.heard.wait(until: index + 1)
      // The delivery is idle again once it has requested another frame.
      await source.asked.wait(until: index + 2)
      await capture.deliveryIsIdle()
    }
    source.end()
    await capture.finished()
    #expect(recorder.events == (0..<5).map { .output($0) } + [.finish(nil)])
    #expect(outcomes(capture) == Array(repeating: .delivered, count: 5))
    #expect(capture.ledger.lines.map(\.presentationTime.value) == [0, 1, 2, 3, 4])
    #expect(!recorder.wasDisturbed)
  }

  @Test func framesDuringWorkAreLate() async {
    let (capture, recorder) = makeCapture(blocks: true)
    #expect(capture.alwaysDiscardsLateVideoFrames)
    capture.start()
    source.give(0)
    await recorder.heard.wait(until: 1)
    source.give(1)
    source.give(2)
    await source.asked.wait(until: 4)
    // Dropped at once, while the delegate is still working.
    #expect(outcomes(capture) == [.delivered, .dropped(.lateData), .dropped(.lateData)])
    recorder.letGo()
    // The notices follow in order; the delegate is idle then.
    await recorder.heard.wait(until: 3)
    source.give(3)
    await recorder.heard.wait(until: 4)
    recorder.letGo()
    source.end()
    await capture.finished()
    #expect(recorder.events == [.output(0), .drop(1, .lateData), .drop(2, .lateData), .output(3), .finish(nil)])
    #expect(capture.ledger.count(.delivered) == 2)
    #expect(capture.ledger.count(.dropped(.lateData)) == 2)
    #expect(capture.ledger.count(.waiting) == 0)
  }

  @Test func sourceWaitsOnceBuffersAreFull() async {
    let (capture, recorder) = makeCapture(blocks: true, discardsLate: false, bufferCount: 2)
    capture.start()
    for index in 0..<5 { source.give(index) }
    source.end()
    await recorder.heard.wait(until: 1)
    while capture.ledger.arrivedCount < 3 { await Task.yield() }
    for _ in 0..<200 { await Task.yield() }
    // One in progress, one kept, one that the source still holds: the fourth is not requested.
    #expect(source.asked.value == 3)
    #expect(outcomes(capture) == [.delivered, .waiting, .waiting])
    for _ in 0..<5 { recorder.letGo() }
    await capture.finished()
    #expect(recorder.events == (0..<5).map { .output($0) } + [.finish(nil)])
    #expect(outcomes(capture) == Array(repeating: .delivered, count: 5))
  }

  @Test func keptFramesUseUpBuffers() async {
    let (capture, recorder) = makeCapture(keeps: true, bufferCount: 2)
    capture.start()
    for index in 0..<4 {
      source.give(index)
      await recorder.heard.wait(until: index + 1)
      await capture.deliveryIsIdle()
    }
    recorder.forget()
    source.give(4)
    await recorder.heard.wait(until: 5)
    source.end()
    await capture.finished()
    #expect(
      recorder.events == [
        .output(0), .output(1), .drop(2, .outOfBuffers), .drop(3, .outOfBuffers), .output(4), .finish(nil),
      ])
  }

  @Test func aJumpInTimeIsADiscontinuity() async {
    let (capture, recorder) = makeCapture(discardsLate: false)
    for (index, time) in [10, 20, 5, 6, 6, 7].enumerated() { source.give(index, at: Int64(time)) }
    source.end()
    capture.start()
    await capture.finished()
    #expect(
      recorder.events == [
        .output(0), .output(1), .drop(2, .discontinuity), .output(3), .drop(4, .discontinuity), .output(5),
        .finish(nil),
      ])
  }

  @Test func withoutADelegateFramesAreAbandoned() async {
    let capture = FrameCapture(source, alwaysDiscardsLateVideoFrames: false)
    var recorder: CaptureRecorder? = CaptureRecorder()
    weak let gone = recorder
    capture.delegate = recorder
    recorder = nil
    #expect(gone == nil)
    #expect(capture.delegate == nil)
    source.give(0)
    source.end()
    capture.start()
    await capture.finished()
    #expect(outcomes(capture) == [.abandoned])
  }

  @Test func stoppingAbandonsWaitingFrames() async {
    let (capture, recorder) = makeCapture(blocks: true, discardsLate: false, bufferCount: 4)
    capture.start()
    source.give(0)
    await recorder.heard.wait(until: 1)
    source.give(1)
    source.give(2)
    await source.asked.wait(until: 4)
    capture.stop()
    // The source is closed although the delegate is at work.
    await source.ended.wait(until: 1)
    recorder.letGo()
    await capture.finished()
    #expect(recorder.events == [.output(0), .finish(nil)])
    #expect(outcomes(capture) == [.delivered, .abandoned, .abandoned])
    #expect(capture.ledger.count(.waiting) == 0)
    #expect(capture.ledger.count(.abandoned) == 2)
  }

  @Test func failureOfTheSourceIsReported() async {
    let (capture, recorder) = makeCapture()
    capture.start()
    source.give(0)
    await recorder.heard.wait(until: 1)
    source.fail("the cable is out")
    await capture.finished()
    #expect(recorder.events == [.output(0), .finish("the cable is out")])
  }

  @Test func startingTwiceStartsOnce() async {
    let (capture, recorder) = makeCapture(discardsLate: false)
    source.give(0)
    source.end()
    capture.start()
    capture.start()
    await capture.finished()
    #expect(recorder.events.filter { $0 == .output(0) }.count == 1)
  }

  @Test func startingAgainBeginsAnew() async throws {
    let folder = TemporaryFolder()
    try PNGFile(image: SyntheticImage.ramp.image(Size(2, 2), channels: .gray, depth: .bits8)).write(to: folder("a.png"))
    let frames = try FrameList([folder("a.png")]).frames
    let still = try FrameSequenceSource(frames, frameDuration: MediaTime(value: 1, timescale: 25))
    let capture = FrameCapture(still)
    let recorder = CaptureRecorder()
    capture.delegate = recorder
    for _ in 0..<2 {
      capture.start()
      await capture.finished()
    }
    #expect(recorder.events == [.output(0), .finish(nil), .output(0), .finish(nil)])
    #expect(outcomes(capture) == [.delivered])
  }

  @Test func deallocatingTheCaptureEndsTheSource() async {
    var capture: FrameCapture? = FrameCapture(source)
    let recorder = CaptureRecorder()
    capture?.delegate = recorder
    capture?.start()
    source.give(0)
    await recorder.heard.wait(until: 1)
    capture = nil
    await source.ended.wait(until: 1)
  }

  @Test func busyLoopIsLate() async throws {
    let capture = FrameCapture(source)
    var frames = capture.frames.makeAsyncIterator()
    source.give(0)
    #expect(try await frames.next()?.index == 0)
    source.give(1)
    source.give(2)
    await source.asked.wait(until: 4)
    #expect(outcomes(capture) == [.delivered, .dropped(.lateData), .dropped(.lateData)])
    source.end()
    #expect(try await frames.next() == nil)
  }

  @Test func aLoopCanKeepEveryFrame() async throws {
    let capture = FrameCapture(source, alwaysDiscardsLateVideoFrames: false, bufferCount: 1)
    for index in 0..<50 { source.give(index) }
    source.end()
    var indices: [Int] = []
    for try await frame in capture.frames { indices.append(frame.index) }
    #expect(indices == Array(0..<50))
    #expect(capture.ledger.count(.delivered) == 50)
  }

  @Test func leavingTheLoopEndsTheSource() async throws {
    let capture = FrameCapture(source)
    source.give(0)
    for try await _ in capture.frames { break }
    await source.ended.wait(until: 1)
  }

  @Test func aFilmIsCapturedWhole() async throws {
    let film = try await Videos.open("film.mov", FFmpegOptions(layout: .yCbCr420BiPlanar8))
    let capture = FrameCapture(film, alwaysDiscardsLateVideoFrames: false, bufferCount: 2)
    var times: [Int64] = []
    for try await frame in capture.frames { times.append(frame.presentationTime.value) }
    #expect(times == (0..<12).map { $0 * 1001 })
    #expect(capture.format == film.format)
  }
}

extension FrameCapture {
  /// Waits until the last call to the delegate has returned and the next event is requested.
  fileprivate func deliveryIsIdle() async { while isConsumerBusy { await Task.yield() } }
}

@Suite struct CameraLedgerTests {
  private func frame(_ index: Int) -> VideoFrame {
    let image = Image(size: Size(1, 1), channels: .gray, depth: .bits8, bytes: [0])
    return VideoFrame(index: index, image: image, presentationTime: MediaTime(value: Int64(index), timescale: 1))
  }

  @Test func allFramesAreCountedAndTheLastLinesKept() {
    var ledger = CameraLedger(limit: 8)
    for index in 0..<100 {
      let line = ledger.arrived(frame(index))
      #expect(line == index)
      ledger.settle(line, index % 2 == 0 ? .delivered : .dropped(.lateData))
    }
    #expect(ledger.arrivedCount == 100)
    #expect(ledger.count(.delivered) == 50)
    #expect(ledger.count(.dropped(.lateData)) == 50)
    #expect((8...10).contains(ledger.lines.count))
    #expect(ledger.lines.map(\.index) == Array(ledger.forgottenCount..<100))
    #expect(ledger.lines.allSatisfy { $0.outcome == ($0.index % 2 == 0 ? .delivered : .dropped(.lateData)) })
  }

  /// A frame whose line is no longer kept is still counted.
  @Test func forgottenLinesSettle() {
    var ledger = CameraLedger(limit: 4)
    for index in 0..<20 { _ = ledger.arrived(frame(index)) }
    ledger.settle(0, .delivered)
    #expect(ledger.count(.delivered) == 1)
    #expect(ledger.count(.waiting) == 19)
  }
}

/// Records the calls of a capture, and can block on a frame until it is released.
final class CaptureRecorder: FrameCaptureDelegate {
  enum Event: Equatable {
    case output(Int)
    case drop(Int, DropReason)
    case finish(String?)
  }

  private struct State {
    var events: [Event] = []
    var kept: [VideoFrame] = []
    var inside = 0
    var wasDisturbed = false
  }

  /// Counts the calls.
  let heard = Counter()
  private let state = Mutex(State())
  private let blocks: Bool
  private let keeps: Bool
  private let permits = DispatchSemaphore(value: 0)

  /// `blocks`: works on each frame until ``letGo()``. `keeps`: keeps frames until ``forget()``.
  init(blocks: Bool = false, keeps: Bool = false) {
    self.blocks = blocks
    self.keeps = keeps
  }

  var events: [Event] { state.withLock(\.events) }
  /// True if two calls overlapped.
  var wasDisturbed: Bool { state.withLock(\.wasDisturbed) }

  func letGo() { permits.signal() }

  func forget() {
    let kept = state.withLock { state in
      defer { state.kept = [] }
      return state.kept
    }
    withExtendedLifetime(kept) {}
  }

  func frameCapture(_ capture: FrameCapture, didOutput frame: VideoFrame) {
    record(.output(frame.index), keeping: keeps ? frame : nil, blocks: blocks)
  }

  func frameCapture(_ capture: FrameCapture, didDrop frame: DroppedFrame) { record(.drop(frame.index, frame.reason)) }

  func frameCapture(_ capture: FrameCapture, didFinish error: SafelightError?) { record(.finish(error?.why)) }

  private func record(_ event: Event, keeping frame: VideoFrame? = nil, blocks: Bool = false) {
    state.withLock { state in
      state.events.append(event)
      if let frame { state.kept.append(frame) }
      state.inside += 1
      if state.inside > 1 { state.wasDisturbed = true }
    }
    heard.increment()
    if blocks { permits.wait() }
    state.withLock { $0.inside -= 1 }
  }
}
