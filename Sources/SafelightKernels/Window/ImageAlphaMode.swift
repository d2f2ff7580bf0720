internal import CKernelRows
internal import SafelightImage
internal import SafelightShaders

/// The part that alpha has in the mean of pixels around another.
public enum ImageAlphaMode: Hashable, Sendable {
  /// Alpha is one more channel: the colors of transparent pixels count as much as all others.
  case asIs
  /// A color counts by its alpha, so that those of transparent pixels do not show. Pictures without alpha are made as
  /// by ``asIs``.
  case weighted
}

extension ImageAlphaMode: ParameterWord {
  /// The words of chains.
  public static var words: [(value: Self, word: String, summary: String)] {
    [
      (.asIs, "as-is", "one more channel: colors of transparent pixels count as others"),
      (.weighted, "weighted", "a color counts by its alpha"),
    ]
  }
}

extension ImageAlphaMode {
  /// Returns `passes` of `picture`; if colors count by their alpha, of a picture of 16 bits whose colors are multiplied
  /// by alpha, and divided in the end. The passes make a picture of the size `made`, by default that of `picture`.
  func passes(
    for picture: PassPicture, making made: Size? = nil, _ passes: (PassPicture) -> [Pass]
  ) -> [Pass] {
    guard self == .weighted, picture.image.channels.hasAlpha else { return passes(picture) }
    let image = ImageDescriptor(size: picture.size, channels: .rgba, depth: .bits16, color: picture.image.color)
    let deep = PassPicture(image)
    var inner = passes(deep)
    guard !inner.isEmpty else { return [] }
    // Each pass makes at most one temporary, so these two are free.
    let (multiplied, last) = (Pass.Resource.temporary(inner.count), Pass.Resource.temporary(inner.count + 1))
    for pass in inner.indices {
      for input in inner[pass].inputs.indices where inner[pass].inputs[input].resource == .picture {
        inner[pass].inputs[input].resource = multiplied
      }
      if inner[pass].output == .result(0) { inner[pass].output = .temporary(inner.count + 1, deep.pixelFormat, made) }
    }
    let depth = picture.image.depth
    return [
      Pass(
        AlphaWeight(isDivision: false, depth: depth), inputs: [.source(.pixel)],
        output: .temporary(inner.count, deep.pixelFormat))
    ] + inner + [Pass(AlphaWeight(isDivision: true, depth: depth), inputs: [Pass.Input("means", last, .pixel)])]
  }

  /// Refuses a picture whose colors are multiplied by alpha already.
  func check(_ color: ColorDescription, for filter: String) throws(SafelightError) {
    guard self == .weighted, color.alpha == .premultiplied else { return }
    throw SafelightError(
      .unsupported, "filter '\(filter)'",
      why: "the picture is tagged premultiplied, and alpha=weighted would multiply its colors by alpha once more",
      remedy: "leave alpha=weighted out: premultiplied colors count by their alpha as they are")
  }
}

/// Colors times alpha, in 16 bits, or such colors divided by alpha.
private struct AlphaWeight: BuiltInPassFunction {
  let isDivision: Bool
  /// That of the kernel's picture.
  let depth: SampleDepth

  var name: String { "alpha_weight" }
  var constants: [ShaderAssembly.Constant] { [.init("IS_DIVISION", isDivision)] }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch (depth, isDivision) {
    case (.bits8, false): unsafe memory.makeRows(by: operations.multiply_alpha_8)
    case (.bits16, false): unsafe memory.makeRows(by: operations.multiply_alpha_16)
    case (.bits8, true): unsafe memory.makeRows(by: operations.divide_alpha_8)
    case (.bits16, true): unsafe memory.makeRows(by: operations.divide_alpha_16)
    }
  }
}

extension PassMemory {
  /// Makes each row of the region of the first input's, by an operation on so many pixels.
  func makeRows<Sample: UnsignedSample, Made: UnsignedSample>(
    by make: (UnsafeMutablePointer<Made>, UnsafePointer<Sample>, Int) -> Void
  ) {
    for y in region.y..<region.y + region.size.height {
      let made = unsafe output.row(Made.self, x: region.x, y: y, count: region.size.width)
      let pixels = unsafe inputs[0].row(Sample.self, x: region.x, y: y, count: region.size.width)
      if let made = made.baseAddress, let pixels = pixels.baseAddress { unsafe make(made, pixels, region.size.width) }
    }
  }
}
