internal import SafelightGPU
package import SafelightImage

/// The look-up that ends a plan on the CPU, left to whoever needs the rows of the result. It takes so little time that
/// one thread is enough for a picture, and no time in memory if the reader goes on in the processor's cache.
package struct PassRows: Sendable {
  private let node: PassPlan.Node
  private let depth: SampleDepth
  /// The picture and the table that the pass reads.
  private let inputs: [Readback]

  /// Records all passes of a plan but the look-up that ends it, with `recorder`. Nil, with nothing recorded, if it ends
  /// in something else, or passes read a second picture.
  init?(_ recorder: PassRecorder, of source: TiledTexture, earlier: () -> PassRecorder.Resources) {
    let plan = recorder.plan
    let targets = plan.targetsForResults
    guard let last = targets.last, targets.count(where: \.isResult) == 1, source.tiles.count == 1,
      let node = plan.onlyStep(making: last), node.isLookUp, !plan.reads(.further(0))
    else { return nil }
    let resources = recorder.encode(targets.dropLast(), of: source, earlier: earlier())
    (self.node, depth) = (node, plan.source.image.depth)
    inputs = node.group.inputs.compactMap { input in
      switch input.resource {
      case .table(let table): recorder.texture(of: table)
      default: if case .picture(let picture) = resources[input.resource] { picture } else { nil }
      }
    }
    .map { $0.encodeReadback(to: recorder.buffer) }
  }

  /// Returns the rows of the result, which is `picture`, once the command buffer has completed.
  package func rows(of picture: ImageDescriptor) throws(SafelightError) -> ImageRows {
    let contents = try inputs.map { (input) throws(SafelightError) in try input.contents() }
    let blocks = node.group.passes.map(\.uniforms.words)
    return unsafe ImageRows(picture) { [node, depth] rows, memory in
      guard let first = memory.baseAddress else { return }
      let region = Region(x: 0, y: rows.lowerBound, width: picture.size.width, height: rows.count)
      unsafe contents[...].withAllBytes { pointers in
        let read = unsafe zip(node.read, pointers).map { shape, pointer in
          unsafe PictureMemory(Region(size: shape.size), of: shape.size, shape.pixelFormat, pointer)
        }
        node.group.make(
          PassMemory(
            region: region,
            output: unsafe PictureMemory(region, of: node.made.size, node.made.pixelFormat, first), inputs: read,
            uniforms: [], pass: .init(depth, PassFaults())),
          blocks: blocks)
      }
    }
  }
}

extension PassPlan {
  /// The pass that makes a target alone; nil if several do.
  fileprivate func onlyStep(making target: Target) -> Node? {
    let steps = steps(making: target)
    return steps.count == 1 && target.area == nil ? steps[0].node : nil
  }
}

extension PassPlan.Node {
  /// True if pixels of the kernel's picture are looked up in one table.
  fileprivate var isLookUp: Bool {
    group.first.function is LookUpFunction && group.next.isEmpty && group.inputs[0].resource == .picture
  }
}

extension ArraySlice<[UInt8]> {
  /// Calls `body` with where the bytes of each array lie; they must not be written.
  fileprivate func withAllBytes(
    after found: [UnsafeMutableRawPointer] = unsafe [], _ body: ([UnsafeMutableRawPointer]) -> Void
  ) {
    guard let bytes = first else { return unsafe body(found) }
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe dropFirst().withAllBytes(after: found + [UnsafeMutableRawPointer(mutating: start)], body)
    }
  }
}
