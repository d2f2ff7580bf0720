internal import SafelightFrames

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
