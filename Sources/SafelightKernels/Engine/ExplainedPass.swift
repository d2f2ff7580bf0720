package import SafelightImage

/// A pass of a stage as people read it, or several passes that run as one.
package struct ExplainedPass: Sendable {
  /// A picture, a table or numbers that a pass reads.
  package struct Input: Sendable {
    /// `picture 8×6 rgba8Uint`, `temporary 1 8×6 rgba16Uint`, `table 256×1`.
    package let text: String
    /// On what of it a pixel depends, or where a table comes from.
    package let use: String
    /// The bytes that are read of it, each once.
    package let byteCount: Int
  }

  /// The functions' names, with a plus sign between those that run as one.
  package let name: String
  /// All that is read.
  package let inputs: [Input]
  /// What is made, in the words of an input.
  package let output: String
  /// The bytes that are written.
  package let writtenByteCount: Int

  /// The pass that makes each pixel of `image` from the one at its place in `source`, and from `others`.
  package init(_ name: String, of source: ImageDescriptor, to image: ImageDescriptor, with others: [Input] = []) {
    func shape(_ image: ImageDescriptor) -> PassPlan.Shape { PassPlan.Shape(PassPicture(image)) }
    self.name = name
    let picture = Input(
      text: "picture \(shape(source))", use: Footprint.pixel.words, byteCount: shape(source).byteCount)
    inputs = [picture] + others
    output = "result \(shape(image))"
    writtenByteCount = shape(image).byteCount
  }

  /// Describes a pass; numbers are made of the pixels that are `counted`, or of all.
  fileprivate init(_ node: PassPlan.Node, counted: Region?) {
    let (group, isNumbers) = (node.group, node.group.output.resource.isNumbers)
    name = group.name
    // Numbers are made of all pixels.
    let region = isNumbers ? counted ?? Region(size: node.read[0].size) : group.area ?? Region(size: node.made.size)
    inputs = zip(group.inputs, node.read).map { input, shape in
      let needed =
        input.resource.isHeldWhole ? shape.size : input.footprint.needed(for: region, in: shape.size).size
      return Input(
        text: input.resource.text(shape), use: isNumbers && !input.resource.isHeldWhole ? "each pixel" : input.use,
        byteCount: needed.area * shape.pixelFormat.bytesPerPixel)
    }
    output = group.output.resource.text(node.made) + (group.area.map { ", of it \($0)" } ?? "")
    let written = group.area?.size ?? node.made.size
    writtenByteCount = written.area * node.made.pixelFormat.bytesPerPixel
  }
}

extension PassPlan {
  /// The passes as people read them; a copy for a picture that stays as it is.
  var explained: [ExplainedPass] {
    let passes = nodes.map { ExplainedPass($0, counted: counted(by: $0)) }
    return targetsForResults.isEmpty ? passes + [ExplainedPass("copy", of: source.image, to: result.image)] : passes
  }
}

extension PassPlan.Shape: CustomStringConvertible {
  package var description: String { "\(size) \(pixelFormat.rawValue)" }
  fileprivate var byteCount: Int { size.area * pixelFormat.bytesPerPixel }
}

extension Pass.Resource {
  /// The resource, which has this shape, for a person.
  fileprivate func text(_ shape: PassPlan.Shape) -> String {
    switch self {
    case .picture: "picture \(shape)"
    case .further(let number): "second picture \(number == 0 ? "" : "\(number + 1) ")\(shape)"
    case .mask: "mask \(shape)"
    case .constant: "constant picture \(shape)"
    case .result: "result \(shape)"
    case .temporary(let number): "temporary \(number + 1) \(shape)"
    case .table, .madeTable: "table \(shape.size)"
    case .numbers, .earlier: "\(shape.size.width) \(shape.size.width == 1 ? "number" : "numbers")"
    }
  }
}

extension Pass.Input {
  /// On what of the input a pixel depends, or where the input comes from.
  fileprivate var use: String {
    switch resource {
    case .table: "worked out by the CPU"
    case .madeTable, .numbers: "made by a pass before"
    case .earlier(_, let pictures): pictures == 1 ? "of the frame before" : "of \(pictures) frames before"
    case .picture, .further, .mask, .constant, .result, .temporary: footprint.words
    }
  }
}

extension Footprint {
  /// The pixels on which one depends, in plain words.
  fileprivate var words: String {
    switch extent {
    case .pixel: return "the pixel at its place"
    case .window(let left, let top, let right, let bottom):
      let size = Size(left + 1 + right, top + 1 + bottom)
      let isCentered = left == right && top == bottom
      return "\(size) pixels around its place" + (isCentered ? "" : ", \(left) to the left and \(top) above")
    case .placed(let placement):
      if placement.scale != .none { return "pixels around its place before scaling" }
      return placement.orientation == .up
        ? "the pixel at its place, moved" : "the pixel at its place before the turn"
    case .padded: return "the pixel at its place, or one that stands for it"
    case .warped(let warp):
      let taps = warp.interpolation.taps
      return taps == 1 ? "the pixel nearest to its position" : "\(Size(taps, taps)) pixels around its position"
    case .cell(let cells): return "the pixels of a cell of \(Size(cells.edge, cells.edge))"
    case .containingCell: return "the cell around its place"
    case .resampled(let resampling):
      return "up to \(resampling.taps) \(resampling.axis == .row ? "columns" : "rows") around its place before scaling"
    case .reduced(let by, let reach):
      return "\(Size(2 * reach + 1, 2 * reach + 1)) pixels around its place, times \(by)"
    case .enlarged(let by, let reach):
      return "\(Size(2 * reach + 1, 2 * reach + 1)) pixels around its place, divided by \(by)"
    case .whole: return "any pixel"
    }
  }
}
