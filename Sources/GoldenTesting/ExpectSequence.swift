internal import SafelightFrames
internal import SafelightGPU
public import SafelightGolden
internal import SafelightImage
public import Testing

/// Expects that `outputs` are the frames that were approved as `name/0001`, `name/0002` and so on.
///
/// One issue covers all frames: which differ, which are missing or extra, and whether they are only late or early. The
/// pictures of the first failing frame are attached. `tolerance` has the meaning it has for a single golden.
///
/// - Throws: ``SafelightError`` outside a test, if there are neither frames nor goldens, and if the golden folder
///   cannot be read.
@discardableResult
public func expectSequence<Made: Side>(
  _ outputs: [Output<Made>], _ name: String? = nil, tolerance: (any ToleranceConvertible)? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> [GoldenOutcome] {
  let place = try ExpectationContext("expectSequence")
  let name = name ?? place.name
  let candidates = outputs.enumerated().map { (frameName($0, of: name), $1.image) }
  let expectation = try GoldenExpectation(candidates, by: outputs.first?.device, tolerance, sourceLocation)
  let goldens = expectation.folder.names.filter { $0.hasPrefix("\(name)/") }
  return try FrameExpectation(expectation: expectation, name: name, goldens: goldens).judge(outputs.map(\.image))
}

/// Returns `name/0001`, as frames are numbered on disk.
private func frameName(_ index: Int, of name: String) -> String {
  let number = String(index + 1)
  return "\(name)/" + String(repeating: "0", count: max(0, 4 - number.count)) + number
}

private struct FrameExpectation {
  let expectation: GoldenExpectation
  let name: String
  /// The names of the sequence's goldens, in order.
  let goldens: [String]

  func judge(_ images: [Image]) throws -> [GoldenOutcome] {
    try ensure(
      !images.isEmpty || !goldens.isEmpty, .usage, "expectSequence '\(name)'",
      why: "there are neither frames nor goldens, so nothing would be compared",
      remedy: "render at least one frame")
    let outcomes = try images.enumerated().map { index, image in
      try expectation.compared(image, frameName(index, of: name))
    }
    let failed = outcomes.indices.filter { outcomes[$0].error != nil }
    let names = Set(images.indices.map { frameName($0, of: name) })
    let missing = goldens.filter { !names.contains($0) }
    for _ in missing { GoldenSettings.current.count(.missing) }
    if !failed.isEmpty || !missing.isEmpty {
      Issue.record(
        "\(expectation.text(name)): \(text(outcomes, failed, missing, images))",
        sourceLocation: expectation.sourceLocation)
      if let first = failed.first {
        let difference = outcomes[first].verdict?.difference
        try attach(outcomes[first].name, images[first], difference, at: expectation.sourceLocation)
      }
    }
    expectation.recordDisagreement(outcomes)
    return outcomes
  }

  private func text(_ outcomes: [GoldenOutcome], _ failed: [Int], _ missing: [String], _ images: [Image]) -> Comment {
    var parts: [String] = []
    if let first = failed.first, let error = outcomes[first].error {
      parts.append("\(failed.count) of \(outcomes.count) frames do not pass, from frame \(first + 1) on: \(error)")
      parts += lateness(images, from: first).map { [$0] } ?? []
    }
    if !missing.isEmpty { parts.append("\(missing.count) missing: \(missing.joined(separator: ", "))") }
    return Comment(rawValue: parts.joined(separator: "; "))
  }

  /// Returns `from frame 4 on they are one frame late` if each frame from `first` on is exactly the golden before or
  /// after its own.
  private func lateness(_ images: [Image], from first: Int) -> String? {
    for (shift, word) in [(-1, "late"), (1, "early")] {
      let frames = (first..<images.count).filter { goldens.contains(frameName($0 + shift, of: name)) }
      if frames.count > 1, frames.allSatisfy({ isGolden(images[$0], $0 + shift) }) {
        return "from frame \(first + 1) on they are one frame \(word)"
      }
    }
    return nil
  }

  private func isGolden(_ image: Image, _ index: Int) -> Bool {
    let frame = frameName(index, of: name)
    return (try? expectation.folder.golden(named: frame, variant: expectation.variant(of: frame))?.isLike(image))
      == true
  }
}
