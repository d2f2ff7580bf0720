public import SafelightFrames
public import SafelightImage
internal import Synchronization

/// Decides whether a file that exists where a run would write is kept, replaced or protected.
public final class ExistingOutputs: Sendable {
  /// The decision on one frame.
  public enum Verdict: Sendable {
    /// The frame is made; `remark` says why the existing file is not good enough, if it was examined.
    case make(remark: String?)
    /// The existing file is kept.
    case keep
    /// The existing file belongs to another frame; it is neither replaced nor kept as this frame's.
    case refuse(SafelightError)
  }

  private let rule: FramePipeline.Existing
  private let keepsOthers: Bool
  private let recipe: FrameRecipe
  private let sequence: [Frame]
  /// The hashes of the files of the sequence's frames, by place, kept as long as later results depend on them.
  private let hashes = Mutex<[Int: [UInt8]]>([:])
  /// The names of the frames that this run makes anew: the file of one may replace that of another.
  private let siblings: Set<String>

  /// Makes the judge for a run with `options` that makes files by `recipe` from frames of `sequence`.
  public init(_ options: FramePipeline.Options, recipe: FrameRecipe, sequence: [Frame] = []) {
    rule = options.existing
    keepsOthers = options.keepsOthers
    self.recipe = recipe
    self.sequence = sequence
    siblings = rule == .skip ? [] : Set(sequence.map(\.name))
  }

  /// Throws if an output of `work` exists and the rule is to fail then.
  ///
  /// - Throws: ``SafelightError`` of kind `output`.
  public func refuseExisting(_ work: [(frame: Frame, target: FrameTarget)]) throws {
    guard rule == .fail else { return }
    for case .file(let path) in work.map(\.target) { _ = try Self.keeps(path, rule) }
  }

  /// Returns true if a file exists at `path` and `rule` keeps it whatever it was made of. Writing to anything else
  /// that exists there fails.
  ///
  /// - Throws: ``SafelightError`` of kind `output` if it exists and the rule is to fail.
  public static func keeps(_ path: String, _ rule: FramePipeline.Existing) throws -> Bool {
    guard fileExists(path) else { return false }
    guard rule == .fail else { return rule == .skip && isFile(path) }
    throw SafelightError(
      .output, path, why: "it exists already", remedy: "choose another output, or overwrite or skip existing files",
      setting: .existingOutputs)
  }

  /// Decides on `frame`, which would be written to `target`.
  ///
  /// If the rule is to verify, this reads the existing file to its end, and the frame's own file unless `hash` returns
  /// the hash of that file. A frame that cannot be read is to be made, and fails then. A frame of a film is not
  /// verified.
  public func verdict(
    on frame: Frame, at target: FrameTarget, isFilmed: Bool = false, hash: (() throws -> [UInt8])? = nil
  ) -> Verdict {
    guard case .file(let path) = target else { return .make(remark: nil) }
    if keepsOthers, let error = refusal(of: path, for: frame, isFilmed: isFilmed) { return .refuse(error) }
    guard rule == .skip || rule == .verify && !isFilmed, fileExists(path) else { return .make(remark: nil) }
    if rule == .skip { return isFile(path) ? .keep : .make(remark: nil) }
    do {
      guard let seal = try PNGProvenance.read(fileAt: path) else {
        return .make(remark: "the existing file does not say how it was made")
      }
      let expected = recipe.seal(frame, try inputs(of: frame, hash: hash?()))
      if seal.agrees(with: expected) { return .keep }
      return .make(
        remark: seal.recipe == expected.recipe
          ? "the existing file was made from other input"
          : "the existing file was made with other filters, other files that they read, or another compression")
    } catch {
      return .make(remark: (error as? SafelightError).map { "\($0.what): \($0.why)" } ?? "\(error)")
    }
  }

  /// Returns why the file at `path` belongs to something other than `frame`; nil if it does not, or if it belongs to a
  /// sibling and will be made anew.
  private func refusal(of path: String, for frame: Frame, isFilmed: Bool) -> SafelightError? {
    guard let seal = PNGProvenance.atBeginning(ofFileAt: path), !seal.origin.isEmpty else { return nil }
    let why: String
    if seal.origin != frame.name {
      if siblings.contains(seal.origin) { return nil }
      why = "an earlier run made it from \(seal.origin), and this run would make it from \(frame.name)"
    } else {
      guard isFilmed, seal.inputs != FrameRecipe.filmed(frame) else { return nil }
      why = "an earlier run made it from another film named \(frame.name), or from that film before it changed"
    }
    return SafelightError(
      .output, path, why: why, remedy: "write to another folder, or overwrite existing files", setting: .existingOutputs
    )
  }

  /// Keeps the hash of the file of `frame`, if later results depend on it, so that it need not be read again.
  func note(_ frame: Frame, hash: [UInt8]) {
    if recipe.history > 0 { remember(hash, at: place(of: frame)) }
  }

  /// Returns the seal of the file made from `frame`, whose own file has the `hash`; nil if a frame on which it depends
  /// cannot be read.
  func seal(of frame: Frame, hash: [UInt8]) -> PNGProvenance? {
    (try? inputs(of: frame, hash: hash)).map { recipe.seal(frame, $0) }
  }

  /// Returns the hashes of the frames before `frame` on which its result depends, then its own, which is `hash` if that
  /// is known; behind each those of the files of second sequences that go with it.
  ///
  /// - Throws: ``SafelightError`` if a file cannot be read.
  private func inputs(of frame: Frame, hash: [UInt8]?) throws -> [[UInt8]] {
    if recipe.history == 0 {
      return try [hash ?? PNGProvenance.hash(ofFileAt: frame.path)] + recipe.secondHashes(at: frame.index)
    }
    let place = place(of: frame)
    if let hash { remember(hash, at: place) }
    return try (max(0, place - recipe.history)...place).flatMap {
      try [self.hash(at: $0)] + recipe.secondHashes(at: $0)
    }
  }

  private func place(of frame: Frame) -> Int {
    if sequence.indices.contains(frame.index), sequence[frame.index] == frame { return frame.index }
    guard let place = sequence.firstIndex(of: frame) else {
      trap("\(frame.path) is not in its sequence; pass the whole sequence to the run")
    }
    return place
  }

  private func hash(at place: Int) throws -> [UInt8] {
    if let hash = hashes.withLock({ $0[place] }) { return hash }
    let hash = try PNGProvenance.hash(ofFileAt: sequence[place].path)
    remember(hash, at: place)
    return hash
  }

  private func remember(_ hash: [UInt8], at place: Int) {
    let history = recipe.history
    hashes.withLock { hashes in
      hashes[place] = hash
      // Frames come nearly in order; a hash dropped too early is computed again.
      if hashes.count > 4 * history + 1000 { hashes = hashes.filter { $0.key >= place - 2 * history - 500 } }
    }
  }
}

/// A hash of all that is done to frames: equal recipes make equal files from equal frames and second sequences.
public struct FrameRecipe: Hashable, Sendable, CustomStringConvertible {
  /// The number of frames before its own that a file depends on.
  let history: Int
  /// True if a file depends on its frame's position in the sequence.
  private let dependsOnPosition: Bool
  /// True if a file depends on the name of its frame's file, or on its number.
  private let dependsOnName: Bool
  /// SHA-256.
  let hash: [UInt8]
  private let seconds: [SecondPictures]

  /// A number to raise whenever a filter or the encoder writes other bytes than before.
  private static let version = 8

  /// Makes the recipe of the files that a run with `options` writes through `chain`.
  public init(_ chain: FilterChain, _ options: FramePipeline.Options) {
    history = chain.history
    dependsOnPosition = chain.dependsOnPosition
    seconds = chain.secondSequences
    dependsOnName = chain.dependsOnName
    let folding = options.pngCodec.folding(options.compression)
    let form = "safelight \(Self.version), PNG \(options.compression.rawValue), \(folding)\n"
    let shape = options.pixelAspect.map { "pixels \($0)\n" } ?? ""
    let turn = options.turnsUpright ? "upright\n" : ""
    hash = SHA256.hash(Array((form + shape + turn).utf8) + chain.hash)
  }

  /// Returns whether both make equal files from equal frames.
  public static func == (one: FrameRecipe, other: FrameRecipe) -> Bool {
    one.hash == other.hash && one.history == other.history && one.dependsOnPosition == other.dependsOnPosition
  }

  /// Hashes the hash.
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// Returns the hashes of the files of second sequences that go with the frame at `position`.
  func secondHashes(at position: Int) throws -> [[UInt8]] { try seconds.compactMap { try $0.hash(at: position) } }

  /// The hash as text, after the name of its algorithm.
  public var description: String { "sha256:" + hash.hexadecimal }

  /// Returns the seal of a file made from `frame`; `inputs` are the hashes of its file and of those before it on which
  /// it depends, the earliest first.
  func seal(_ frame: Frame, _ inputs: [[UInt8]]) -> PNGProvenance {
    let place = dependsOnPosition ? Array("place \(frame.index)\n".utf8) : []
    let name = dependsOnName ? Array("name \(frame.name) \(frame.number)\n".utf8) : []
    return PNGProvenance(recipe: hash, inputs: SHA256.hash(inputs.flatMap { $0 } + place + name), origin: frame.name)
  }

  /// Returns the seal of a file made from a film's `frame`, which names the frame and the film but says nothing of the
  /// contents.
  func seal(filmed frame: Frame) -> PNGProvenance {
    PNGProvenance(recipe: hash, inputs: Self.filmed(frame), origin: frame.name)
  }

  /// Returns the hash that stands for a film's frame. A film is known by its name and, if it is a file, by its
  /// beginning, which stays the same while the file grows.
  static func filmed(_ frame: Frame) -> [UInt8] {
    let beginning = isFile(frame.path) ? try? readBeginning(frame.path, count: 1 << 16) : nil
    return SHA256.hash(Array("\(frame.name), frame \(frame.number)\n".utf8) + (beginning ?? []))
  }

  /// Returns the hash of `calls`; for a file, a folder or a sequence that they name, the contents count, not the path.
  /// Second sequences count frame by frame, and not here.
  ///
  /// - Throws: ``SafelightError`` if such a file cannot be read.
  package static func hash(of calls: [FilterCall]) throws -> [UInt8] {
    var text = ""
    for call in calls {
      let filter = try FilterCatalogue.entry(call).description
      text += call.name + "\n"
      for argument in call.arguments + call.words {
        text += "\(argument.name)=\(try value(of: argument, in: filter))\n"
      }
    }
    return SHA256.hash(Array(text.utf8))
  }

  private static func value(of argument: FilterCall.Argument, in filter: FilterDescription) throws -> String {
    guard let parameter = filter.parameter(argument.name) ?? filter.word(argument.name), parameter.isPath,
      case .text(var path) = argument.value
    else { return argument.value.description }
    // Text without a font of its own depends on what is installed.
    if path.isEmpty, filter.name == TextFilter.card.name { path = try TextFilter.installedFont() }
    guard !path.isEmpty else { return argument.value.description }
    if parameter.isPictures, !InlineFile.isOne(path) { return "a sequence" }
    let hash = filter.name == ShaderFilter.card.name ? try ShaderFilter.hash(path) : try InlineFile.hash(path)
    return hash.hexadecimal
  }
}

extension SafelightError.Setting {
  /// The handling of outputs that already exist.
  public static let existingOutputs = Self("existingOutputs")
}
