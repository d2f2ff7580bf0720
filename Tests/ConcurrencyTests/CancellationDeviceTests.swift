import Foundation
import Safelight
import TestSupport
import Testing

/// Canceling the task of a run ends it as a request to stop does. The task cancels itself between two frames, so that
/// nothing depends on time.
@Suite struct CancellationDeviceTests {
  private enum Way: CaseIterable { case cancel, request }

  private let size = Size(16, 8)

  private func pipeline(_ filter: String = "invert", inFlight: Int) throws -> FramePipeline {
    let device = try Device.open(.cpu)
    return FramePipeline(
      FrameProcessor(device: device, chain: try FilterChain(parsing: filter, device: device)),
      options: FramePipeline.Options(jobs: 2, inFlight: inFlight))
  }

  private func source(_ count: Int) -> MemoryVideo {
    MemoryVideo(count, size, .yCbCr420Planar8, color: VideoPipelineDeviceTests.color)
  }

  private func target() -> CollectedVideo {
    CollectedVideo(size, .yCbCr420Planar8, color: VideoPipelineDeviceTests.color)
  }

  /// An observer that stops the run `way` when frame `number` has ended.
  private func observer(_ way: Way, at number: Int, _ stop: StopRequest) -> FramePipeline.Observer {
    var observer = FramePipeline.Observer()
    observer.frameEnded = { entry in
      guard entry.frame.number == number else { return }
      switch way {
      case .cancel: withUnsafeCurrentTask { $0?.cancel() }
      case .request: stop.make()
      }
    }
    return observer
  }

  /// Writes frames into `folder` and returns them.
  private func frames(_ count: Int, in folder: TemporaryFolder) throws -> [Frame] {
    try (0..<count).map { index in
      let image = SyntheticImage.noise.image(size, channels: .rgb, depth: .bits8)
      return Frame(index: index, number: index + 1, path: try folder.write(image, to: "in\(index).png"))
    }
  }

  @Test(arguments: Way.allCases, [(1, "invert", 3), (4, "invert", 6), (4, "equalize=smooth=3", 6)])
  private func filesBeyondThoseInFlightAreNotBegun(_ way: Way, _ run: (inFlight: Int, filter: String, done: Int))
    async throws
  {
    let folder = TemporaryFolder()
    let work = try frames(20, in: folder).map { ($0, FrameTarget.file(folder.path("out\($0.index).png"))) }
    let pipeline = try pipeline(run.filter, inFlight: run.inFlight)
    let stop = StopRequest()
    // A task of its own, since canceling ends it.
    let ledger = try await Task { [observer = observer(way, at: 3, stop)] in
      try await pipeline.run(work, stop: stop, observer: observer)
    }.value
    #expect(ledger.isInterrupted)
    #expect(ledger.entries.map(\.frame.index) == Array(0..<20))
    #expect(ledger.count(.done) == run.done && ledger.count(.untouched) == 20 - run.done)
    #expect(try Set(folder.names().filter { $0.hasPrefix("out") }) == Set((0..<run.done).map { "out\($0).png" }))
  }

  @Test(arguments: Way.allCases, [nil, "1-20"])
  private func aFilmIsAskedForNoMore(_ way: Way, _ selection: String?) async throws {
    let (source, film, stop) = (source(20), target(), StopRequest())
    let pipeline = try pipeline(inFlight: 4)
    let selection = try selection.map { try FrameSelection($0) }
    let ledger = await Task { [observer = observer(way, at: 3, stop)] in
      await pipeline.run(film: source, name: "film", selection: selection, stop: stop, observer: observer) { _ in
        .film(film)
      }
    }.value
    #expect(ledger.isInterrupted && ledger.errors.isEmpty)
    #expect(ledger.count(.done) == 6 && film.frames.count == 6)
  }

  /// A film that is waited for ends when the task is canceled; it is not shorter than the selection says.
  @Test(arguments: Way.allCases)
  private func aFilmThatIsWaitedForIsNotShort(_ way: Way) async throws {
    let (film, stop) = (target(), StopRequest())
    var source = source(2)
    source.atEnd = { if way == .cancel { withUnsafeCurrentTask { $0?.cancel() } } else { stop.make() } }
    let (pipeline, waiting, selection) = (try pipeline(inFlight: 4), source, try FrameSelection("1-20"))
    let ledger = await Task {
      await pipeline.run(film: waiting, name: "film", selection: selection, stop: stop) { _ in .film(film) }
    }.value
    #expect(ledger.isInterrupted && ledger.errors.isEmpty && ledger.count(.done) == 2)
  }

  @Test(arguments: Way.allCases) private func aFolderIsWatchedNoLonger(_ way: Way) async throws {
    let (folder, output) = (TemporaryFolder(), TemporaryFolder())
    _ = try frames(3, in: folder)
    let (pipeline, stop, watch) = (try pipeline(inFlight: 4), StopRequest(), try FolderWatch(folder.path))
    // Once the last has ended, the run waits for more.
    let ledger = await Task { [observer = observer(way, at: 3, stop)] in
      await pipeline.run(watching: watch, stop: stop, observer: observer) { output.path("\($0.index).png") }
    }.value
    #expect(ledger.isInterrupted && ledger.errors.isEmpty)
    #expect(ledger.entries.map(\.status) == [.done, .done, .done])
  }

  @Test func aRunThatHasDoneAllWasNotInterrupted() async throws {
    let folder = TemporaryFolder()
    let work = try frames(3, in: folder).map { ($0, FrameTarget.file(folder.path("out\($0.index).png"))) }
    let pipeline = try pipeline(inFlight: 4)
    let ledger = try await Task { [observer = observer(.cancel, at: 3, StopRequest())] in
      try await pipeline.run(work, observer: observer)
    }.value
    #expect(!ledger.isInterrupted && ledger.count(.done) == 3)
  }

  @Test func aBenchmarkGivesNoSummaryOfAPart() async throws {
    let folder = TemporaryFolder()
    let device = try Device.open(.cpu)
    let benchmark = PipelineBenchmark(
      device: device, chain: try FilterChain(parsing: "invert", device: device), compression: .fast, jobs: 1)
    let files = try frames(1, in: folder).map(\.path)
    let summary = Task { [path = folder.path] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await benchmark.summary(files, to: path, rounds: 1)
    }
    await #expect(throws: CancellationError.self) { try await summary.value }
    withExtendedLifetime(folder) {}
  }
}
