internal import SafelightFrames

/// What a run does with frames that lie in files, in their order: those to be made, those that are there, and those that only the
/// results of later ones depend on.
struct FrameSchedule {
  private(set) var steps: [FrameStep] = []

  /// `history` frames of `sequence` before each that is made are remembered, unless they were taken just before.
  ///
  /// Frames of `work` are in the order of the sequence, where each has its index; without a sequence they are it.
  init(
    _ work: [(frame: Frame, target: FrameTarget)], of sequence: [Frame], history: Int, isThere: (FrameTarget) -> Bool
  ) {
    // The place behind the last frame that was taken.
    var next = 0
    for (number, (frame, target)) in work.enumerated() {
      if isThere(target) {
        steps.append(FrameStep(.skip(target), frame))
        continue
      }
      let place = sequence.isEmpty ? number : frame.index
      let before = Swift.max(next, place - history)..<Swift.max(next, place)
      steps += before.map { FrameStep(.remember, sequence.isEmpty ? work[$0].frame : sequence[$0]) }
      steps.append(FrameStep(.make(target), frame, place: number))
      next = place + 1
    }
  }
}

/// The steps as a run asks for them; they never fail.
extension FrameSchedule: AsyncSequence {
  typealias Element = FrameStep
  typealias Failure = Never

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var steps: IndexingIterator<[FrameStep]>

    mutating func next(isolation: isolated (any Actor)?) async -> FrameStep? { steps.next() }
  }

  func makeAsyncIterator() -> Iterator { Iterator(steps: steps.makeIterator()) }
}
