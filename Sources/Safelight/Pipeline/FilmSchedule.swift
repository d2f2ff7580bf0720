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
