internal import SafelightImage

extension AppliedKernel {
  /// The number of frames whose values are tried before the first frame is made.
  private static let triedCount = 4096

  /// Checks what the kernel makes of pictures like `image` with the values of all frames, or, of very many, of those
  /// with values of their own and of others between. Returns whether the passes of all frames need the same rows and
  /// make the same numbers, so that one plan of bands serves them.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if the size of results, windows or the frames that are remembered
  ///   change, and those of values that contradict each other.
  func checkOverTime(_ image: ImageDescriptor) throws(SafelightError) -> Bool {
    guard let first = indices.first, let last = indices.last else { return true }
    let step = 1 + (last - first) / Self.triedCount
    var known: (result: ImageDescriptor, passes: [Pass], history: Int)?
    var areAlike = step == 1
    for index in Set(indices + stride(from: first, through: last, by: step)).sorted() {
      let (kernel, picture) = (kernel(at: index), picture(image, at: index))
      let (result, passes): (ImageDescriptor, [Pass])
      do throws(SafelightError) {
        try kernel.check()
        (result, passes) = (try kernel.result(of: picture).image, try kernel.passes(for: picture))
      } catch {
        throw SafelightError(
          error.kind, error.what, why: "\(error.why), with the values at position \(index + 1)", remedy: error.remedy,
          setting: error.setting)
      }
      guard let before = known else {
        known = (result, passes, kernel.history)
        continue
      }
      func require(_ condition: Bool, _ why: String) throws(SafelightError) {
        try ensure(
          condition, .usage, "filter '\(kernel.name)'", why: "\(whatChanges) \(why), at position \(index + 1)",
          remedy: "write one value; to let the effect come slowly, let opacity change")
      }
      try require(result == before.result, "the size of its result from \(before.result.size) to \(result.size)")
      try require(passes.windows == before.passes.windows, "how far it looks around a pixel")
      try require(kernel.history == before.history, "how many frames it remembers")
      areAlike = areAlike && passes.needSameRows(as: before.passes)
    }
    return areAlike
  }
}

extension [Pass] {
  /// The windows that are read.
  fileprivate var windows: [Footprint] { flatMap(\.inputs).map(\.footprint).filter(\.isWindow) }

  /// Returns whether these passes and `others` need the same rows of pictures, and make the same tables and numbers.
  fileprivate func needSameRows(as others: [Pass]) -> Bool {
    func footprints(_ passes: [Pass]) -> [Footprint] {
      passes.flatMap(\.inputs).filter { !$0.resource.isHeldWhole }.map(\.footprint)
    }
    func numbers(_ passes: [Pass]) -> [Pass] { passes.filter { $0.output.resource.isHeldWhole } }
    let (own, theirs) = (footprints(self), footprints(others))
    // A picture that stays as it is needs a row for each.
    return numbers(self) == numbers(others) && (own == theirs || (own + theirs).allSatisfy { $0 == .pixel })
  }
}
