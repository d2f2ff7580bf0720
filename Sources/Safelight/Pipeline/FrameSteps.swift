public import SafelightFrames
internal import SafelightImage

/// The place a frame is written to.
public enum FrameTarget: Sendable {
  /// A PNG file.
  case file(String)
  /// A stream that gets the bytes of a PNG file.
  case stream(VideoLocation)
  /// A film that gets the next frame.
  case film(any VideoWriter)

  /// The file's path, or the film's or stream's name in messages.
  public var name: String {
    switch self {
    case .file(let path): path
    case .stream(let place): place.name
    case .film(let film): film.name
    }
  }
}

/// The work that a run does on one frame.
package struct FrameStep: Sendable {
  package let frame: Frame
  /// The target that the frame's result is written to, unless an existing output is kept. Nil for a frame without an
  /// output of its own, which goes through the filters because the results of later frames depend on it.
  package var target: FrameTarget?
  /// The decision on an existing output; nil if it is still to be made.
  package var verdict: ExistingOutputs.Verdict?
  /// The picture that a film brought; nil if the picture is in the frame's file.
  var picture: VideoFrame?
  /// The facts that its film states.
  var facts = VideoFacts()
  /// The number of frames before it in its film.
  var place = 0
  /// The number of frames that are missing before it in its sequence.
  var missingBefore = 0

  /// The frame's name in errors.
  var label: String { identity.name }

  /// The frame in its sequence: the list of files, or its film.
  var identity: FrameIdentity {
    picture == nil
      ? FrameIdentity(
        name: frame.path, number: frame.number, position: frame.index, missingBefore: missingBefore)
      : FrameIdentity(
        name: "\(frame.path), frame \(frame.number)", number: frame.number, position: frame.number - 1,
        source: frame.path)
  }
}

/// The steps of a run over frames in files, in their order: frames that are made, and frames that are only remembered
/// because later results depend on them. Each is decided when the run asks for it.
package struct FrameSchedule: AsyncIteratorProtocol {
  /// Decides whether an existing output is kept; a nil result leaves it to the step.
  package typealias Judge = @Sendable (Frame, FrameTarget) async -> ExistingOutputs.Verdict?

  private let work: [(frame: Frame, target: FrameTarget)]
  private let sequence: [Frame]
  /// True if the work is the whole sequence.
  private let isWhole: Bool
  private let history: Int
  private let gaps: SequenceGaps
  private let judge: Judge
  /// The number of frames of the work that are decided.
  private var number = 0
  /// The place after the last frame that was taken.
  private var end = 0
  private var waiting: [FrameStep] = []

  /// Makes a schedule in which `history` frames of `sequence` before each that is made are remembered, unless they were
  /// taken just before.
  ///
  /// Frames of `work` are in the order of the sequence, in which each has its index; an empty sequence stands for
  /// `work`. `gaps` are the numbers that it lacks.
  package init(
    _ work: [(frame: Frame, target: FrameTarget)], of sequence: [Frame], history: Int,
    gaps: SequenceGaps = SequenceGaps(), judge: @escaping Judge
  ) {
    self.gaps = gaps
    self.work = work
    isWhole = sequence.isEmpty
    self.sequence = isWhole ? work.map(\.frame) : sequence
    self.history = history
    self.judge = judge
  }

  package mutating func next(isolation: isolated (any Actor)?) async -> FrameStep? {
    if !waiting.isEmpty { return waiting.removeFirst() }
    guard number < work.count else { return nil }
    let (frame, target) = work[number]
    defer { number += 1 }
    let verdict = await judge(frame, target)
    let step = FrameStep(
      frame: frame, target: target, verdict: verdict, place: number, missingBefore: gaps.count(before: frame.index))
    if verdict?.isToBeMade == false { return step }
    let place = isWhole ? number : frame.index
    waiting = sequence[max(end, place - history)..<max(end, place)].map { frame in
      FrameStep(frame: frame, missingBefore: gaps.count(before: frame.index))
    }
    waiting.append(step)
    end = place + 1
    return waiting.removeFirst()
  }
}

/// The steps of a run over a film, as the film brings its frames.
struct VideoSchedule<Video: AsyncIteratorProtocol>: AsyncIteratorProtocol
where Video.Element == VideoFrame, Video.Failure == SafelightError {
  var film: Video
  /// The film's name in messages.
  let name: String
  /// The frames to take; nil for all. No frame after the last is asked for.
  let selection: FrameSelection?
  /// The number of frames to remember before each that is made.
  let history: Int
  /// The index in the run of the film's first frame, whose number is 1.
  let first: Int
  let stop: StopRequest
  let judge: FrameSchedule.Judge
  let target: @Sendable (Frame) -> FrameTarget
  /// The facts that the film states.
  let facts: VideoFacts
  /// Returns the number of frames of a run over a film of so many, if the run may go on after its last frame, which
  /// then stands for those that follow; nil for most.
  let count: (@Sendable (Int) throws(SafelightError) -> Int)?
  /// The time for which the film shows a frame, if it is constant.
  let frameDuration: MediaTime?
  /// The film's last frame so far, and the time from the one before to it, if the run may go on.
  var last: (frame: VideoFrame, distance: MediaTime?)?
  /// The number of frames of the run, once the film has ended.
  var whole: Int?
  var index = 0
  var made = 0
  /// The second of two steps for one frame.
  var waiting: FrameStep?

  /// Returns the next step; nil at the end.
  ///
  /// - Throws: The source's errors, and ``SafelightError`` of kind `missingInput` if the film ends before a part of the
  ///   selection begins.
  mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> FrameStep? {
    if let step = waiting.take() { return step }
    while selection.map({ index <= $0.last }) ?? true {
      guard let picture = try await nextPicture(isolation) else {
        // A film that is waited for ends at a stop, so it need not be a short one.
        if stop.holdsHere { return nil }
        do throws(SafelightError) {
          try selection?.check(count: index)
        } catch {
          throw error.during(name)
        }
        return nil
      }
      defer { index += 1 }
      if let step = await step(picture, isolation) { return step }
    }
    return nil
  }

  /// Returns the film's next frame, or behind its end the last one again, as long as the run goes on.
  private mutating func nextPicture(_ isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
    if whole == nil, let picture = try await film.next(isolation: isolation) {
      if count != nil {
        last = (picture, last?.frame.presentationTime.distance(to: picture.presentationTime) ?? last?.distance)
      }
      return picture
    }
    guard let count, let (frame, distance) = last, !stop.holdsHere else { return nil }
    if whole == nil { whole = try count(index) }
    guard let whole, index < whole else { return nil }
    let duration = frame.duration ?? distance ?? frameDuration
    guard let time = duration.flatMap({ frame.presentationTime.advanced(by: $0) }) else {
      throw SafelightError(
        .limit, name, why: "the times of frames behind its last one are unknown or out of range",
        remedy: "set a frame rate")
    }
    last = (frame.shown(at: time), distance)
    return last?.frame
  }

  private mutating func step(_ picture: VideoFrame, _: isolated (any Actor)?) async -> FrameStep? {
    let frame = Frame(index: first + index, number: index + 1, path: name)
    // It is not known yet whether later outputs are kept, so the frame is remembered in any case.
    let remembered = FrameStep(frame: frame, picture: picture)
    let isMade = { [selection] place in selection?.contains(place) ?? true }
    guard isMade(index) else { return (index + 1..<index + 1 + history).contains(where: isMade) ? remembered : nil }
    let target = target(frame)
    let verdict = await judge(frame, target)
    defer { made += 1 }
    if verdict?.isToBeMade == false { waiting = remembered }
    return FrameStep(frame: frame, target: target, verdict: verdict, picture: picture, facts: facts, place: made)
  }
}

extension ExistingOutputs.Verdict {
  /// True if the frame is made.
  fileprivate var isToBeMade: Bool { if case .make = self { true } else { false } }
}
