internal import SafelightGPU
internal import SafelightImage

extension [PassPlan] {
  /// True if results have the size of their picture and each pixel depends only on the pixel at its place; false for
  /// no plan.
  var arePointwise: Bool {
    !isEmpty && allSatisfy { $0.result.size == $0.source.size }
      && flatMap(\.nodes).allSatisfy { node in
        node.group.first.kind == .pixels
          && node.group.inputs.allSatisfy { $0.resource.isTable || !$0.resource.isGiven && $0.footprint == .pixel }
          && !node.group.output.resource.isHeldWhole
      }
  }
}

extension PassPlan {
  /// Returns the plans of `kernels` for small pictures of every kind that all take, of several sizes; none if a size
  /// plays a part in that.
  static func forEveryKind(_ kernels: [AppliedKernel]) -> [PassPlan] {
    let sizes = [Size(2, 2), Size(3, 5)]
    let kinds = [Channels.gray, .rgb, .rgba].flatMap { channels in
      SampleDepth.allCases.map { depth in
        sizes.compactMap { size in
          let image = ImageDescriptor(size: size, channels: channels, depth: depth)
          return try? PassPlan(kernels, for: PassPicture(image), edge: .max)
        }
      }
    }
    return kinds.allSatisfy { [0, sizes.count].contains($0.count) } ? kinds.flatMap { $0 } : []
  }

  /// Checks and joins the passes that `kernels` make of `picture`, one after the other. All of several make each pixel
  /// from the pixel at its place.
  ///
  /// - Throws: ``SafelightError`` of a kernel that is not defined for the result of the one before.
  init(_ kernels: [AppliedKernel], for picture: PassPicture, edge: Int) throws(SafelightError) {
    let name = kernels.map(\.kernel.name).joined(separator: ", ")
    if kernels.count == 1, let applied = kernels.first {
      let kernel = applied.kernel(at: picture.moment)
      if !applied.indices.isEmpty { try kernel.check() }
      // A kernel is asked for passes of pictures that it takes.
      let made = try kernel.result(of: picture)
      let passes = try kernel.passes(for: picture)
      let ownPictures = kernel is any FramePictureKernel ? 1 : 0
      if Self.numberOfSeconds(of: passes) > kernel.numberOfSeconds + ownPictures {
        throw SafelightError(
          .kernel, "filter '\(name)'", why: "it reads a second picture, and its card has none",
          remedy: "say on the card what the secondPicture is")
      }
      if kernel is any ReductionKernel, passes.last?.output.resource.isNumbers != true {
        throw Self.contradiction("it is measured, and its last pass makes no numbers", of: name)
      }
      let application = try applied.applied(passes, of: picture, to: made)
      try self.init(
        application.passes, of: name, from: picture, given: kernel.given(for: picture.image),
        to: application.isMixed ? [made, made] : [made], isMixed: application.isMixed, counting: application.counted,
        edge: edge)
      return
    }
    var (passes, current, source) = ([Pass](), picture, Pass.Resource.picture)
    var count = 0
    for kernel in kernels.map(\.kernel) {
      let made = try kernel.result(of: current)
      let own = try kernel.passes(for: current)
      // Temporaries are numbered through all kernels; the result of each is one for the next.
      let first = count
      func number(_ temporary: Int) -> Int {
        count = max(count, first + temporary + 1)
        return first + temporary
      }
      for var pass in own {
        for place in pass.inputs.indices {
          switch pass.inputs[place].resource {
          case .picture: pass.inputs[place].resource = source
          case .temporary(let temporary): pass.inputs[place].resource = .temporary(number(temporary))
          case .further, .mask, .constant, .result, .table, .madeTable, .numbers, .earlier: break
          }
        }
        switch pass.output.target {
        case .temporary(let temporary, let format, let size):
          pass.output = .temporary(number(temporary), format, size)
        case .result:
          source = .temporary(count)
          pass.output = .temporary(count, made.pixelFormat)
        case .table, .numbers: break
        }
        passes.append(pass)
      }
      count += 1
      current = made
    }
    if let last = passes.lastIndex(where: { $0.output.resource == source }) { passes[last].output = .result(0) }
    try self.init(passes, of: name, from: picture, to: [current], edge: edge)
  }
}

extension PassPlan {
  /// Returns the number of second pictures that `passes` read, up to the last of which they read.
  private static func numberOfSeconds(of passes: [Pass]) -> Int {
    let numbers = passes.flatMap(\.inputs).map { input in
      if case .further(let number) = input.resource { number + 1 } else { 0 }
    }
    return numbers.max() ?? 0
  }
}
