internal import SafelightFrames
internal import Synchronization

/// The hashes of the files of a sequence's frames, kept as long as later results depend on them.
final class FrameHashes: Sendable {
  private let sequence: [Frame]
  private let history: Int
  private let known = Mutex<[Int: [UInt8]]>([:])

  /// A result depends on `history` frames of `sequence` before its own.
  init(_ sequence: [Frame], history: Int) {
    self.sequence = sequence
    self.history = history
  }

  /// The hashes of the frames before `frame` and its own last, which is `hash` where that is known.
  ///
  /// - Throws: ``SafelightError`` where a file cannot be read.
  func inputs(of frame: Frame, hash: [UInt8]?) throws -> [[UInt8]] {
    if history == 0 { return [try hash ?? SafelightFrames.hash(ofFileAt: frame.path)] }
    let place = place(of: frame)
    if let hash { remember(hash, at: place) }
    return try (max(0, place - history)...place).map { try self.hash(at: $0) }
  }

  /// Takes the hash of what is in the file of `frame`, so that it need not be read again.
  func note(_ frame: Frame, hash: [UInt8]) {
    if history > 0 { remember(hash, at: place(of: frame)) }
  }

  private func place(of frame: Frame) -> Int {
    if sequence.indices.contains(frame.index), sequence[frame.index] == frame { return frame.index }
    guard let place = sequence.firstIndex(of: frame) else {
      trap("\(frame.path) is not in its sequence; pass the whole sequence to the run")
    }
    return place
  }

  private func hash(at place: Int) throws -> [UInt8] {
    if let hash = known.withLock({ $0[place] }) { return hash }
    let hash = try SafelightFrames.hash(ofFileAt: sequence[place].path)
    remember(hash, at: place)
    return hash
  }

  private func remember(_ hash: [UInt8], at place: Int) {
    known.withLock { known in
      known[place] = hash
      // Frames come nearly in order; what is dropped too early is read again.
      if known.count > 4 * history + 1000 { known = known.filter { $0.key >= place - 2 * history - 500 } }
    }
  }
}
