public import SafelightFrames
internal import SafelightImage
internal import Synchronization

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

/// All that is done to frames, as a hash: equal recipes make equal files of equal frames.
public struct FrameRecipe: Hashable, Sendable, CustomStringConvertible {
  /// How many frames before its own a file depends on.
  let history: Int
  /// SHA-256.
  let hash: [UInt8]

  /// To be raised whenever a filter or the encoder writes other bytes than before.
  private static let version = 5

  /// What `chain` does, and the files that a run with `options` makes of it.
  public init(_ chain: FilterChain, _ options: FramePipeline.Options) {
    history = chain.history
    let form =
      "safelight \(Self.version), PNG \(options.compression.rawValue), \(options.pngCodec.folding(options.compression))\n"
    hash = SHA256.hash(Array(form.utf8) + chain.hash)
  }

  /// The hash as text, with its name.
  public var description: String { "sha256:" + hash.hexadecimal }

  /// The seal of a file made of `frame`, and of those before it on which it depends; their files have the hashes `inputs`, the earliest first.
  func seal(_ frame: Frame, _ inputs: [[UInt8]]) -> PNGSeal {
    PNGSeal(recipe: hash, inputs: SHA256.hash(inputs.flatMap { $0 }), origin: frame.name)
  }

  /// The seal of a file made of a film's `frame`: it tells which one it was of which film, and not what was in it.
  func seal(filmed frame: Frame) -> PNGSeal {
    PNGSeal(recipe: hash, inputs: Self.filmed(frame), origin: frame.name)
  }

  /// The hash that stands for a film's frame. A film is known by its name and its beginning, where it is a file; while it grows, that stays.
  static func filmed(_ frame: Frame) -> [UInt8] {
    let beginning = isFile(frame.path) ? try? readBeginning(frame.path, count: 1 << 16) : nil
    return SHA256.hash(Array("\(frame.name), frame \(frame.number)\n".utf8) + (beginning ?? []))
  }

  /// The hash of `calls`, in which what is in a file that they name counts, and not where it is.
  ///
  /// - Throws: ``SafelightError`` where such a file cannot be read.
  static func hash(of calls: [FilterCall]) throws -> [UInt8] {
    var text = ""
    for call in calls {
      let filter = try FilterCatalogue.entry(call).description
      text += call.name + "\n"
      for argument in call.arguments { text += "\(argument.name)=\(try value(of: argument, in: filter))\n" }
    }
    return SHA256.hash(Array(text.utf8))
  }

  private static func value(of argument: FilterCall.Argument, in filter: FilterDescription) throws -> String {
    guard case .file = filter.parameter(argument.name)?.kind, case .text(let path) = argument.value, !path.isEmpty
    else {
      return argument.value.description
    }
    return SHA256.hash(try InlineFile.read(path, limit: 1 << 32)).hexadecimal
  }
}

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
