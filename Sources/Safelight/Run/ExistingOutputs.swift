public import SafelightFrames
internal import SafelightImage

/// What becomes of files that are there already where a run would write.
public final class ExistingOutputs: Sendable {
  /// What is to be done with a frame.
  public enum Verdict: Hashable, Sendable {
    /// It is to be made; why in spite of the file that is there, as a clause, where that was looked at.
    case make(remark: String?)
    /// Its file is there.
    case skip
  }

  private let rule: FramePipeline.Existing
  private let recipe: FrameRecipe
  private let hashes: FrameHashes
  /// The names of the frames of which this run makes files anew: no run of its own is meant where one lies in the place
  /// of another.
  public let siblings: Set<String>

  /// What `rule` says of files that `recipe` makes of the frames of `sequence`.
  public init(_ rule: FramePipeline.Existing, recipe: FrameRecipe, sequence: [Frame]) {
    self.rule = rule
    self.recipe = recipe
    hashes = FrameHashes(sequence, history: recipe.history)
    siblings = rule == .skip ? [] : Set(sequence.map(\.name))
  }

  /// Looks at the file, if `target` is one that is there, to which `frame` would go; `hash` is SHA-256 of the frame's
  /// own, where that was read.
  ///
  /// Reads both to their end where the rule is to verify; what cannot be read is to be made, and fails there.
  public func verdict(on frame: Frame, at target: FrameTarget, hash: [UInt8]? = nil) -> Verdict {
    guard rule == .skip || rule == .verify, case .file(let path) = target, fileExists(path) else {
      return .make(remark: nil)
    }
    if rule == .skip { return .skip }
    do {
      guard let seal = try PNGSeal.read(fileAt: path) else {
        return .make(remark: "what was there does not say how it was made")
      }
      let expected = recipe.seal(frame, try hashes.inputs(of: frame, hash: hash))
      if seal.agrees(with: expected) { return .skip }
      return .make(
        remark: seal.recipe == expected.recipe
          ? "what was there was made of other input"
          : "what was there was made with other filters or another compression")
    } catch {
      return .make(remark: (error as? SafelightError).map { "\($0.what): \($0.why)" } ?? "\(error)")
    }
  }

  /// Takes the hash of the file of `frame`, on which later results depend.
  func note(_ frame: Frame, hash: [UInt8]) { hashes.note(frame, hash: hash) }

  /// The seal for what is made of `frame`, whose file has the `hash`; nil where a frame on which it depends cannot be
  /// read, and so is left out of it.
  func seal(of frame: Frame, hash: [UInt8]) -> PNGSeal? {
    guard let inputs = try? hashes.inputs(of: frame, hash: hash) else { return nil }
    return recipe.seal(frame, inputs)
  }
}
