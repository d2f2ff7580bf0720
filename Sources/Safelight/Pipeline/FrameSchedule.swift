internal import SafelightFrames

/// What a run does with frames, in their order: those to be made, those that are there, and those that only the results of
/// later ones depend on.
struct FrameSchedule {
  /// What is done with a frame.
  enum Step: Hashable {
    /// Its file is written.
    case make(Frame, output: String)
    /// Its file is there.
    case skip(Frame, output: String)
    /// It is taken through the filters, and its result thrown away.
    case remember(Frame)
  }

  private(set) var steps: [Step] = []

  /// `history` frames of `sequence` before each that is made are remembered, unless they were taken just before.
  ///
  /// Frames of `work` are in the order of the sequence, where each has its index; without a sequence they are it.
  init(
    _ work: [(frame: Frame, output: String)], of sequence: [Frame], history: Int, isThere: (String) -> Bool
  ) {
    // The place behind the last frame that was taken.
    var next = 0
    for (number, (frame, output)) in work.enumerated() {
      if isThere(output) {
        steps.append(.skip(frame, output: output))
        continue
      }
      let place = sequence.isEmpty ? number : frame.index
      let before = max(next, place - history)..<max(next, place)
      steps += before.map { .remember(sequence.isEmpty ? work[$0].frame : sequence[$0]) }
      steps.append(.make(frame, output: output))
      next = place + 1
    }
  }
}
