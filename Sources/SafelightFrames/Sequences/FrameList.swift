import SafelightImage

/// The frames that a person means by naming files, folders and patterns, in their order.
///
/// Every process that names the same inputs gets the same list, so parts of it can be shared out.
public struct FrameList: Hashable, Sendable {
  /// The frames; never empty.
  public let frames: [Frame]

  /// Finds the frames of `inputs`: PNG files, folders of PNG files, printf patterns (`shot.%04d.png`) and globs
  /// (`shots/*/a?.png`). A name that exists is taken literally.
  ///
  /// Each input is ordered naturally, `frame9` before `frame10`, and so are neighbouring plain files together,
  /// because a shell spells `frame*.png` out in its own order. Otherwise the inputs follow one another as given.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where nothing is found, `unsupported` for video, `usage` for
  /// a pattern that is none or for no inputs at all.
  public init(_ inputs: [String]) throws {
    let found = try inputs.map(FrameInput.init)
    guard let first = found.first else {
      throw SafelightError(.usage, "frames", why: "no input is given", remedy: "name a PNG file, a folder or a pattern")
    }
    if found.count == 1, case .pattern(let pattern, let numbers) = first {
      self.frames = numbers.enumerated().map { Frame(index: $0, number: $1, path: pattern.path($1)) }
      return
    }
    var paths: [String] = []
    var plainFiles: [String] = []
    for input in found {
      if case .file(let path) = input {
        plainFiles.append(path)
        continue
      }
      paths += NaturalOrder.sorted(plainFiles) + input.paths
      plainFiles = []
    }
    paths += NaturalOrder.sorted(plainFiles)
    self.frames = paths.enumerated().map { Frame(index: $0, number: $0 + 1, path: $1) }
  }

  /// The frames that `selection` takes; they keep their index and number.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where the list is shorter than the selection.
  public func selecting(_ selection: FrameSelection) throws -> [Frame] {
    try selection.indices(count: frames.count).map { frames[$0] }
  }
}
