public import SafelightFrames
public import SafelightImage

/// What a run does with the frames of a film, as the film brings them.
public struct FilmSchedule<Source: FrameSource>: AsyncSequence {
  /// What is done with a frame.
  public typealias Element = FrameStep
  /// What the film throws.
  public typealias Failure = SafelightError

  private let source: Source
  private let name: String
  private let selection: FrameSelection?
  private let history: Int
  private let first: Int
  private let target: @Sendable (Frame) -> FrameTarget
  private let isThere: @Sendable (FrameTarget) -> Bool

  /// The frames of `source`, which messages call `name`, that `selection` takes, or all; each goes where `target` says, unless it is there.
  ///
  /// `history` frames before each that is made are remembered. No frame behind the last that is chosen is asked for. The first frame of
  /// the film has the index `first` in the run, as where other films come before it, and the number 1.
  public init(
    _ source: Source, name: String, selection: FrameSelection? = nil, history: Int = 0, first: Int = 0,
    isThere: @escaping @Sendable (FrameTarget) -> Bool = { _ in false },
    target: @escaping @Sendable (Frame) -> FrameTarget
  ) {
    self.source = source
    self.name = name
    self.selection = selection
    self.history = history
    self.first = first
    self.target = target
    self.isThere = isThere
  }

  /// Starts the film.
  public func makeAsyncIterator() -> Iterator { Iterator(schedule: self, frames: source.makeAsyncIterator()) }

  /// The steps, one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let schedule: FilmSchedule
    fileprivate var frames: Source.AsyncIterator
    private var index = 0
    private var made = 0
    /// The second of two steps for one frame.
    private var waiting: FrameStep?

    fileprivate init(schedule: FilmSchedule, frames: Source.AsyncIterator) {
      self.schedule = schedule
      self.frames = frames
    }

    /// The next step; nil at the end.
    ///
    /// Throws what the source throws, and a ``SafelightImage/SafelightError`` of kind `missingInput` where the film ends before the last
    /// chosen frame.
    public mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> FrameStep? {
      if let step = waiting {
        waiting = nil
        return step
      }
      let selection = schedule.selection
      while selection.map({ index <= $0.last }) ?? true {
        guard let picture = try await frames.next(isolation: isolation) else {
          do throws(SafelightError) {
            try selection?.check(count: index)
          } catch {
            throw error.during(schedule.name)
          }
          return nil
        }
        defer { index += 1 }
        if let step = step(picture) { return step }
      }
      return nil
    }

    private mutating func step(_ picture: VideoFrame) -> FrameStep? {
      let frame = Frame(index: schedule.first + index, number: index + 1, path: schedule.name)
      // Whether a later one will be made is not known yet where outputs are skipped; it is remembered in any case.
      let remembered = FrameStep(.remember, frame, picture: picture)
      guard schedule.selection?.contains(index) ?? true else {
        let reach = index + 1..<index + 1 + schedule.history
        return reach.contains { schedule.selection?.contains($0) ?? true } ? remembered : nil
      }
      let target = schedule.target(frame)
      if schedule.isThere(target) {
        if schedule.history > 0 { waiting = remembered }
        return FrameStep(.skip(target), frame, picture: picture)
      }
      defer { made += 1 }
      return FrameStep(.make(target), frame, picture: picture, place: made)
    }
  }
}

/// What a run does with frames that lie in files, in their order: those to be made, those that are there, and those that only the
/// results of later ones depend on. Each is settled when the run asks for it; that never fails.
package struct FrameSchedule: AsyncSequence {
  package typealias Element = FrameStep
  package typealias Failure = Never

  private let work: [(frame: Frame, target: FrameTarget)]
  private let sequence: [Frame]
  private let history: Int
  private let isThere: @Sendable (Frame, FrameTarget) async -> Bool

  /// `history` frames of `sequence` before each that is made are remembered, unless they were taken just before.
  ///
  /// Frames of `work` are in the order of the sequence, where each has its index; without a sequence they are it.
  package init(
    _ work: [(frame: Frame, target: FrameTarget)], of sequence: [Frame], history: Int,
    isThere: @escaping @Sendable (Frame, FrameTarget) async -> Bool
  ) {
    self.work = work
    self.sequence = sequence
    self.history = history
    self.isThere = isThere
  }

  package func makeAsyncIterator() -> Iterator { Iterator(schedule: self) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let schedule: FrameSchedule
    /// How many frames of the work are settled.
    private var number = 0
    /// The place behind the last frame that was taken.
    private var next = 0
    private var waiting: [FrameStep] = []

    fileprivate init(schedule: FrameSchedule) { self.schedule = schedule }

    package mutating func next(isolation: isolated (any Actor)?) async -> FrameStep? {
      if !waiting.isEmpty { return waiting.removeFirst() }
      guard number < schedule.work.count else { return nil }
      let (frame, target) = schedule.work[number]
      defer { number += 1 }
      if await schedule.isThere(frame, target) { return FrameStep(.skip(target), frame) }
      let sequence = schedule.sequence
      let place = sequence.isEmpty ? number : frame.index
      let before = Swift.max(next, place - schedule.history)..<Swift.max(next, place)
      waiting = before.map { FrameStep(.remember, sequence.isEmpty ? schedule.work[$0].frame : sequence[$0]) }
      waiting.append(FrameStep(.make(target), frame, place: number))
      next = place + 1
      return waiting.removeFirst()
    }
  }
}

/// Where a frame goes.
public enum FrameTarget: Sendable {
  /// A PNG file.
  case file(String)
  /// A stream, in which it is a PNG file.
  case stream(FilmPlace)
  /// A film, whose next frame it is.
  case film(any FilmWriter)

  /// The file, or the film as messages call it.
  public var name: String {
    switch self {
    case .file(let path): path
    case .stream(let place): place.name
    case .film(let film): film.name
    }
  }
}

/// What a run does with a frame.
public struct FrameStep: Sendable {
  /// What is done.
  public enum Action: Sendable {
    /// It is taken through the filters and written.
    case make(FrameTarget)
    /// It is there already.
    case skip(FrameTarget)
    /// It is taken through the filters and its result thrown away: only the results of later ones depend on it.
    case remember
  }

  /// Which frame.
  public let frame: Frame
  /// Its picture, where a film brought it; nil: the picture is in the frame's file.
  public let picture: VideoFrame?
  /// What is done.
  public let action: Action
  /// How many frames go to the target before it, where that is a film.
  public let place: Int

  /// Makes a step.
  public init(_ action: Action, _ frame: Frame, picture: VideoFrame? = nil, place: Int = 0) {
    self.action = action
    self.frame = frame
    self.picture = picture
    self.place = place
  }

  /// Where it goes, unless it is only remembered.
  var target: FrameTarget? {
    switch action {
    case .make(let target), .skip(let target): target
    case .remember: nil
    }
  }
}
