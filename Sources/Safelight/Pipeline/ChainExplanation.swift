package import SafelightImage
package import SafelightKernels

/// An account of how a chain makes its result of one picture: the passes, the bytes that they move, and whether
/// pictures like it go in bands.
package struct ChainExplanation: Sendable {
  /// The filters that do their work together, and their passes.
  package struct Step: Sendable {
    /// The filters, of which several run as one.
    package let calls: [FilterCall]
    package let passes: [ExplainedPass]
    /// How often a huge picture is read for numbers that they need of all of it.
    fileprivate(set) package var surveys = 0
  }

  /// The picture that the filters see, and the one that they make.
  package let picture, result: ImageDescriptor
  package let steps: [Step]
  /// Two clauses that say which filter needs huge pictures whole, and why; nil if the chain makes them in bands.
  package let whole: (filter: String, why: String)?

  /// The bytes that passes read and write.
  package var byteCounts: (read: Int, written: Int) {
    let passes = steps.flatMap(\.passes)
    return (
      passes.flatMap(\.inputs).reduce(0) { $0 + $1.byteCount }, passes.reduce(0) { $0 + $1.writtenByteCount }
    )
  }
}

extension FrameProcessor {
  /// Returns what the chain does with a picture like `image`, which is `frame`.
  ///
  /// - Throws: The errors of a run whose filters do not take it, or lack what they read besides.
  package func explanation(of image: ImageDescriptor, as frame: FrameIdentity) throws -> ChainExplanation {
    let plan = try plan(image, as: .image, label: frame.name)
    let inputs = try inputs(for: frame, of: image, plan)
    let images = [image] + plan
    var calls = chain.calls[...]
    var steps: [ChainExplanation.Step] = []
    for ((filter, input), (source, result)) in zip(zip(chain.filters, inputs), zip(images, plan)) {
      let banded = filter as? any BandedStage
      let own = calls.prefix(banded?.filterCount ?? 1)
      calls = calls.dropFirst(own.count)
      let passes =
        input?.isUnchanged ?? false
        ? [ExplainedPass("none: the frame is not among those of frames=", of: source, to: result)]
        : try banded?.explained(for: source, beside: input)
          ?? [ExplainedPass("look-up in the table of the frame's position", of: source, to: result)]
      steps.append(.init(calls: Array(own), passes: passes))
    }
    var whole: (filter: String, why: String)?
    // A window may need much of a small picture and little of a huge one.
    let huge = image.ofRows(max(image.size.height, 1 << 14))
    let hugeImages = (try? chain.plan(huge)).map { [huge] + $0 } ?? images
    switch try chain.bands(of: hugeImages) {
    case .bands(let stages): for (number, stage) in stages.enumerated() { steps[number].surveys = stage.surveys }
    case .whole(let filter, let why): whole = (filter, why)
    }
    return ChainExplanation(picture: image, result: plan.last ?? image, steps: steps, whole: whole)
  }
}
