import Foundation
import Safelight
import TestSupport
import Testing

/// Films through the pipeline; on the twins, since what devices do is shown elsewhere.
@Suite struct VideoPipelineDeviceTests {
  static let color = ColorDescription(matrix: .bt601, range: .full, siting: .center)
  private let size = Size(16, 8)

  private func pipeline(_ filter: String, inFlight: Int = 5, turnsUpright: Bool = false) throws -> FramePipeline {
    let device = try Device.open(.cpu)
    var options = FramePipeline.Options(jobs: 2, inFlight: inFlight)
    options.turnsUpright = turnsUpright
    return FramePipeline(
      FrameProcessor(device: device, chain: try FilterChain(parsing: filter, device: device)), options: options)
  }

  private func source(_ count: Int) -> MemoryVideo { MemoryVideo(count, size, .yCbCr420Planar8, color: Self.color) }

  private func target(broken: Int? = nil) -> CollectedVideo {
    CollectedVideo(size, .yCbCr420Planar8, color: Self.color, broken: broken)
  }

  @Test(arguments: [1, 4, 9])
  func framesArriveInTheirOrderWithTheirTimes(_ inFlight: Int) async throws {
    let (source, film) = (source(12), target())
    let ledger = try await pipeline("passthrough", inFlight: inFlight).run(film: source, name: "film") { _ in
      .film(film)
    }
    #expect(film.frames.map(\.planes) == source.frames.map(\.planes))
    #expect(film.frames.map(\.presentationTime) == source.frames.map(\.presentationTime))
    #expect(ledger.entries.map(\.frame.index) == Array(0..<12))
    #expect(ledger.count(.done) == 12)
  }

  /// Frames carry their orientation on, or are made upright by their own.
  @Test(arguments: [Orientation.left, .downMirrored]) func framesAreMadeUpright(_ orientation: Orientation) async throws
  {
    let size = Size(6, 4)
    let source = MemoryVideo(3, size, .rgba8, color: .unspecified, orientation: orientation)
    func made(_ filter: String, of source: MemoryVideo, turnsUpright: Bool) async throws -> [VideoFrame] {
      let film = CollectedVideo(size, .rgba8)
      let ledger = try await pipeline(filter, turnsUpright: turnsUpright).run(film: source, name: "film") { _ in
        .film(film)
      }
      #expect(ledger.count(.done) == 3, "\(ledger.errors)")
      return film.frames
    }
    let plain = try await made("invert", of: source, turnsUpright: false)
    #expect(plain.allSatisfy { $0.orientation == orientation && $0.size == size })
    let upright = try await made("invert", of: source, turnsUpright: true)
    #expect(upright.allSatisfy { $0.orientation == .up && $0.size == orientation.uprightSize(of: size) })
    let stored = MemoryVideo(3, size, .rgba8, color: .unspecified)
    let turned = try await made("orient=\(orientation.rawValue),invert", of: stored, turnsUpright: true)
    #expect(upright.map(\.planes) == turned.map(\.planes))
  }

  @Test func aSelectionTakesItsFramesAndAsksForNoMore() async throws {
    var source = source(12)
    source.failure = SafelightError(.transfer, "film", why: "asked too far")
    let film = target()
    let ledger = try await pipeline("passthrough").run(
      film: source, name: "film", selection: try FrameSelection("3-7:2")
    ) { _ in .film(film) }
    #expect(film.frames.map(\.planes) == [2, 4, 6].map { source.frames[$0].planes })
    #expect(ledger.errors.isEmpty)
    #expect(ledger.entries.map(\.frame.number) == [3, 5, 7])
  }

  @Test func aSelectionBeyondTheEndIsTold() async throws {
    let ledger = try await pipeline("passthrough").run(
      film: source(4), name: "film", selection: try FrameSelection("2-3,9-12")
    ) { [film = target()] _ in .film(film) }
    #expect(ledger.errors.map(\.kind) == [.missingInput])
    #expect(ledger.count(.done) == 2)
  }

  @Test func anEndBeyondTheLastFrameIsTheLastFrame() async throws {
    let ledger = try await pipeline("passthrough").run(
      film: source(4), name: "film", selection: try FrameSelection("2-9")
    ) { [film = target()] _ in .film(film) }
    #expect(ledger.errors.isEmpty && ledger.entries.map(\.frame.number) == [2, 3, 4])
  }

  /// Parts of a film that is smoothed come out as in the whole.
  @Test func framesBeforeAPartAreRemembered() async throws {
    let (source, whole, part) = (source(8), target(), target())
    _ = try await pipeline("equalize=smooth=3:cut=1").run(film: source, name: "film") { _ in .film(whole) }
    let ledger = try await pipeline("equalize=smooth=3:cut=1").run(
      film: source, name: "film", selection: try FrameSelection("5-6")
    ) { _ in .film(part) }
    #expect(part.frames.map(\.planes) == whole.frames[4...5].map(\.planes))
    #expect(ledger.entries.count == 2)
  }

  /// A film that lacks a frame would be another film.
  @Test func behindAFrameThatCannotBeWrittenNoneIs() async throws {
    let film = target(broken: 3)
    let ledger = try await pipeline("passthrough").run(film: source(12), name: "film") { _ in .film(film) }
    #expect(film.frames.count == 3)
    #expect(ledger.count(.done) == 3)
    #expect(ledger.errors.map(\.why) == ["the disk is full"])
    #expect(ledger.entries.dropFirst(4).allSatisfy { $0.status == .untouched })
  }

  @Test func aSourceThatBreaksIsTheLastLine() async throws {
    var source = source(4)
    source.failure = SafelightError(.transfer, "film", why: "ffmpeg ended with status 1")
    let film = target()
    let ledger = try await pipeline("passthrough").run(film: source, name: "film") { _ in .film(film) }
    #expect(film.frames.count == 4)
    #expect(ledger.entries.map(\.status) == [.done, .done, .done, .done, .failed])
    #expect(ledger.entries.last?.frame.index == 4)
    #expect(ledger.errors.map(\.why) == ["ffmpeg ended with status 1"])
  }

  /// A stop ends the wait for a pipe's next frame, and the film looks as if it were over.
  @Test func aFilmThatEndsByAStopIsInterrupted() async throws {
    let stop = StopRequest()
    var source = source(2)
    source.atEnd = { stop.make() }
    let ledger = try await pipeline("passthrough").run(film: source, name: "film", stop: stop) { [film = target()] _ in
      .film(film)
    }
    #expect(ledger.isInterrupted && ledger.count(.done) == 2)
  }

  @Test func picturesBecomeAFilmAndAFilmPictures() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let source = source(5)
    let made = try await pipeline("invert").run(film: source, name: "film") { .file("\(folder)/\($0.number).png") }
    #expect(made.count(.done) == 5)
    let frames = (0..<5).map { Frame(index: $0, number: $0 + 1, path: "\(folder)/\($0 + 1).png") }
    let film = target()
    let ledger = try await pipeline("invert").run(frames.map { ($0, .film(film)) })
    #expect(ledger.count(.done) == 5, "\(ledger.errors)")
    let direct = target()
    _ = try await pipeline("invert,invert").run(film: source, name: "film") { _ in .film(direct) }
    #expect(film.frames.map(\.planes) == direct.frames.map(\.planes))
    #expect(film.frames.map(\.presentationTime) == (0..<5).map { MediaTime(value: $0, timescale: 25) })
  }
}
