internal import SafelightFrames
internal import SafelightImage
internal import SafelightKernels
internal import Synchronization

/// The pictures that a filter reads beside the frame, a `with` in its call, or its masks: one for all frames, or a
/// sequence in step with them by position; or those that whoever has a picture processed gives.
package final class SecondPictures: Sendable {
  private let filter: String
  private let path: String
  private let edge: Int
  /// The kernel that reads them; nil for masks.
  private let kernel: (any PassKernel)?
  /// The frames on which the filter works; nil for all.
  private let selection: FrameSelection?
  private let rule: SecondRule
  private let twins = SecondTwins()
  /// The files of a sequence; empty for one picture.
  private let files: [Frame]
  /// The numbers missing among the files, and among the frames of the run.
  private let gaps: SequenceGaps
  private let frames = Mutex(SequenceGaps())
  /// The one picture, and its textures for the last kind of frames.
  private let one: Mutex<(image: Image, kind: Kind?, texture: TiledTexture?)?>
  /// The hashes of the last files, by their index.
  private let hashes = Mutex<[Int: [UInt8]]>([:])

  private struct Kind: Hashable {
    let frame: ImageDescriptor
    let isPremultiplied: Bool
  }

  /// Returns the second pictures of `call`, each with its textures of at most `edge` columns and rows; none if the
  /// filter reads none, or whoever encodes it brings them.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if it names none and nobody gives any, and those of finding and
  ///   reading them.
  static func all(
    of call: FilterCall, edge: Int, unnamed: FilterChain.UnnamedSeconds = .refused
  ) throws -> [SecondPictures] {
    let entry = try FilterCatalogue.entry(call)
    guard call["with"] != nil, let kernel = try entry.kernel(call) as? any PassKernel else { return [] }
    let named = call.seconds.filter { !$0.isEmpty }
    guard kernel.numberOfSeconds > 0 else {
      guard named.isEmpty else {
        throw SafelightError(
          .usage, "filter '\(call.name)'", why: "it has a picture of its own, and with=\(named[0])",
          remedy: "leave one of them out")
      }
      return []
    }
    if named.isEmpty, unnamed == .encoded { return [] }
    let paths = call.seconds == [""] ? Array(repeating: "", count: kernel.numberOfSeconds) : call.seconds
    guard unnamed == .given || !paths.contains("") else {
      let own = kernel is any PlacedPictureKernel
      throw SafelightError(
        .usage, "filter '\(call.name)'",
        why: own ? "neither image nor with is given" : "parameter 'with' is missing",
        remedy: "write \(call.name)=with=PATH with the path of a picture, or of a folder or pattern of them")
    }
    // One whose numbers change over time may lay pictures outside the frame.
    let applied = call.series.isEmpty ? kernel : try entry.applied(call)?.kernel(at: nil) ?? kernel
    return try paths.map { try SecondPictures($0, of: call, applied, SecondRule(call), edge) }
  }

  /// Returns the masks of `call`, likewise; nil if it has none.
  static func mask(
    of call: FilterCall, edge: Int, unnamed: FilterChain.UnnamedSeconds = .refused
  ) throws -> SecondPictures? {
    guard let path = call.mask, unnamed != .encoded else { return nil }
    return try SecondPictures(path, of: call, nil, SecondRule(ofMasksOf: call.name), edge)
  }

  /// Finds the pictures at `path`; one for all frames is read.
  private init(
    _ path: String, of call: FilterCall, _ kernel: (any PassKernel)?, _ rule: SecondRule, _ edge: Int
  ) throws {
    filter = call.name
    self.path = path
    self.edge = edge
    self.kernel = kernel
    self.rule = rule
    selection = try call.frames
    let isOne = InlineFile.isOne(path)
    // Of one file too, whose kind it checks.
    let found = path.isEmpty || path.hasPrefix("data:") ? [] : try FrameList([path]).frames
    files = isOne ? [] : found
    gaps = try SequenceGaps(files)
    let picture = isOne && !path.isEmpty ? try InlineFile.picture(path) : nil
    one = Mutex(picture.map { (kernel == nil ? $0.mask : $0, nil, nil) })
  }

  /// True if each frame has a picture of its own.
  var isSequence: Bool { !files.isEmpty }
  /// True if they may go on after the last frame.
  var goesOn: Bool { timed != nil }
  /// True if the call names no pictures, and whoever has a picture processed gives them.
  var isGiven: Bool { path.isEmpty }
  /// The position of the frame that goes with the first.
  private var beginning: Int { timed?.beginning ?? 0 }
  private var timed: (any TimedKernel)? { kernel as? any TimedKernel }

  // MARK: Positions

  /// The number of frames up to the one that goes with the last picture.
  var checkedCount: Int {
    if isSequence { return beginning + gaps.place(of: files.count - 1) + 1 }
    // Of one picture the first frame that goes with it is enough.
    return max(beginning, selection?.first ?? 0) + 1
  }

  /// Checks that there are pictures for the frames of `sequence` up to the one at `last`, and that up to there numbers
  /// are missing at the same places of both. A film has no files and no last frame: of it only that none is missing.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported`.
  func check(_ sequence: [Frame], upTo last: Int?) throws(SafelightError) {
    guard isSequence else { return }
    let last = last.map { last in selection?.last(upTo: last) ?? last }
    let known = try SequenceGaps(sequence)
    frames.withLock { $0 = known }
    guard rule.missing == .refuse else { return }
    if let last { try check(last - beginning) }
    let own = gaps.places.map { $0 + beginning }
    let others = known.places.filter { $0 > beginning }
    let count = min(files.count + beginning, sequence.isEmpty ? .max : sequence.count, last.map { $0 + 1 } ?? .max)
    // Each is the place behind a missing number, from the front.
    let common = zip(own, others).prefix { $0 == $1 }.count
    guard let next = [own, others].compactMap({ $0.dropFirst(common).first }).min(), next < count else { return }
    let frame = sequence.isEmpty ? "frame \(next + 1)" : sequence[next].name
    throw SafelightError(
      .unsupported, "filter '\(filter)'",
      why: "before \(frame) or before \(files[next - beginning].path) a number is missing, and not in the other "
        + "sequence, so that by position others would go together",
      remedy: "use sequences with the same numbers, or renumber one of them"
        + (kernel == nil ? "" : ", or write missing=hold"))
  }

  private func check(_ position: Int) throws(SafelightError) {
    guard position >= files.count else { return }
    throw SafelightError(
      .unsupported, "filter '\(filter)'",
      why: "\(path) holds \(files.count) \(files.count == 1 ? "picture" : "pictures"), and there are frames up to "
        + "position \(position + 1)",
      remedy: "name as many pictures as there are frames, a single file for all, or fewer frames"
        + (kernel == nil ? ", as in frames=1-\(files.count)" : "; or write missing=hold or missing=loop"))
  }

  /// Returns the number of frames of a run over `count` frames: a filter that passes to a second sequence goes on to
  /// its end.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the frames end before the second sequence stands alone.
  func count(after count: Int) throws(SafelightError) -> Int {
    guard let timed else { return count }
    let end = timed.beginning + timed.mixedCount
    try ensure(
      end <= count, .unsupported, "filter '\(filter)'",
      why: "it mixes frames up to position \(end), and there are \(count)",
      remedy: "begin earlier, or mix fewer frames")
    return isSequence ? max(count, timed.beginning + gaps.place(of: files.count - 1) + 1) : count
  }

  /// Returns the number of frames of a run of `calls` over `count` frames.
  package static func count(of calls: [FilterCall], after count: Int) throws -> Int {
    try calls.reduce(count) { count, call in
      guard try FilterCatalogue.entry(call).kernel(call) is any TimedKernel else { return count }
      return try all(of: call, edge: .max).reduce(count) { try $1.count(after: $0) }
    }
  }

  /// Checks that no output of `calls` is written among their second pictures, where the next run would find it.
  ///
  /// - Throws: ``SafelightError`` of kind `usage`.
  package static func refuse(_ calls: [FilterCall], writing outputs: [String]) throws(SafelightError) {
    let folders = Set(outputs.map { PathParts($0).folder })
    for path in calls.flatMap({ $0.seconds + [$0.mask ?? ""] }) where !path.isEmpty && !InlineFile.isOne(path) {
      let folder = Folder.exists(path) ? path : PathParts(path).folder
      let isRead = Folder.exists(path) || !FramePattern.isPattern(path)
      try ensure(
        !isRead || !folders.contains { isOneFile($0, folder) }, .usage, folder,
        why: "the run would write to it, and a filter reads the pictures there, \(path)",
        remedy: "write to another folder")
    }
  }

  /// Checks the chosen frames and the second pictures of `calls` for those of `sequence` up to the one at `last`.
  package static func check(_ calls: [FilterCall], for sequence: [Frame], upTo last: Int?) throws {
    for call in calls {
      if let end = sequence.map(\.index).max() { try call.frames?.check(count: end + 1) }
      let pictures = try all(of: call, edge: .max) + [mask(of: call, edge: .max)].compactMap { $0 }
      for second in pictures { try second.check(sequence, upTo: last) }
    }
  }

  /// Returns the index among the files of the picture that goes with the frame at `position`; nil if none does, or all
  /// frames have one.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if there is none.
  private func index(at position: Int) throws(SafelightError) -> Int? {
    guard isSequence, selection?.contains(position) ?? true,
      timed?.readsSecond(at: position) ?? true
    else { return nil }
    guard rule.missing != .refuse else {
      try check(position - beginning)
      return position - beginning
    }
    let frames = frames.withLock { $0 }
    let place = frames.place(of: position) - frames.place(of: beginning)
    return gaps.index(at: place, of: files.count, loops: rule.missing == .loop)
  }

  /// Returns the hash of the file that goes with the frame at `position`; nil if it is the same for all frames, or
  /// there is none.
  ///
  /// - Throws: ``SafelightError`` of reading the file.
  func hash(at position: Int) throws -> [UInt8]? {
    guard let index = try index(at: position) else { return nil }
    if let known = hashes.withLock({ $0[index] }) { return known }
    let hash = try SafelightFrames.hash(ofFileAt: files[index].path)
    hashes.withLock { hashes in
      // Frames come nearly in order; a hash dropped too early is computed again.
      if hashes.count > 1000 { hashes = [:] }
      hashes[index] = hash
    }
    return hash
  }

  // MARK: Pictures

  /// Checks that the picture of the frame at `position`, which is like `frame`, suits it; the beginning of its file is
  /// read. A file that cannot be read is reported where the frame is made.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if it does not.
  func check(_ frame: ImageDescriptor, at position: Int) throws(SafelightError) {
    if let image = one.withLock({ $0?.image.descriptor }) {
      return try check(image, InlineFile.name(path), frame)
    }
    guard let index = try index(at: position),
      let outline = PNGOutline(files[index].path, limits: PNGLimits())
    else { return }
    try check(outline.picture, files[index].path, frame)
  }

  private func check(_ image: ImageDescriptor, _ name: String, _ frame: ImageDescriptor) throws(SafelightError) {
    do throws(SafelightError) {
      if let kernel {
        try kernel.check(second: try rule.fitted(image, to: frame), beside: frame)
      } else {
        try image.check(asMaskOf: frame, filter)
      }
      _ = try image.color.ofFullRange(for: filter)
    } catch {
      throw SafelightError(error.kind, "\(error.what) with \(name)", why: error.why, remedy: error.remedy)
    }
  }

  /// Returns the textures of the picture for `frame`, which is like `image`; premultiplied if `isPremultiplied`. Nil if
  /// none goes with the frame. `given` is the picture of a call that names none.
  ///
  /// - Throws: ``SafelightError`` of reading a file, and of kind `unsupported` if the picture does not suit the frame
  ///   or there is none.
  func texture(
    for frame: FrameIdentity, like image: ImageDescriptor, isPremultiplied: Bool, given: Image? = nil
  ) throws -> TiledTexture? {
    if let timed, !timed.readsSecond(at: frame.position) { return nil }
    let kind = Kind(frame: image, isPremultiplied: isPremultiplied)
    if let given { return try texture(of: given, "the picture that was given", kind) }
    let same: TiledTexture? = try one.withLock { one in
      guard let known = one else { return nil }
      if known.kind == kind, let texture = known.texture { return texture }
      let texture = try texture(of: known.image, InlineFile.name(path), kind)
      one = (known.image, kind, texture)
      return texture
    }
    if let same { return same }
    guard let position = frame.position, let index = try index(at: position) else {
      throw SafelightError(
        .unsupported, "filter '\(filter)'", why: "\(path) is a sequence, and \(frame.name) stands alone",
        remedy: "name one picture")
    }
    let file = files[index].path
    let picture = try InlineFile.picture(file)
    return try texture(of: kernel == nil ? picture.mask : picture, file, kind)
  }

  /// Gray becomes equal red, green and blue, 8 bits become 16, another size that of the frame, and straight alpha
  /// premultiplied if the frame's is.
  private func texture(of image: Image, _ name: String, _ kind: Kind) throws -> TiledTexture {
    try check(image.descriptor, name, kind.frame)
    var second = image.promoted(to: PictureKind(image.descriptor).union(PictureKind(kind.frame)))
    second = try rule.fitted(second, to: kind.frame.size, on: twins)
    let isMultiplied = kind.isPremultiplied && second.channels.hasAlpha && second.color.alpha != .premultiplied
    return TiledTexture(isMultiplied ? second.premultiplied : second, edge: edge, label: "second picture")
  }
}
