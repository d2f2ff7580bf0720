internal import SafelightGLES
internal import SafelightImage

/// The depths and stencils of a pass on the CPU executor: which samples of a draw pass, and what they leave (ES 3.2 §15.1.2, §15.1.3).
struct DepthStencilTarget {
  /// Nil where the pass has none: tests pass then.
  let depth: TextureMemory?
  let stencil: TextureMemory?
  let state: DepthStencilRaster

  /// One fragment before its tests.
  struct Fragment {
    let x: Int
    let y: Int
    /// The samples that it covers, by bits.
    let samples: UInt32
    let isFrontFacing: Bool
  }

  /// Tests and keeps the depths and stencils of a fragment's samples; returns those that pass.
  func passing(_ fragment: Fragment, depth newDepth: (_ sample: Int) -> Float) -> UInt32 {
    guard let tests = state.tests, let memory = depth ?? stencil else { return fragment.samples }
    let test = fragment.isFrontFacing ? tests.frontFaceStencil : tests.backFaceStencil
    let count = memory.descriptor.sampleCount
    let first = (fragment.y * memory.size.width + fragment.x) * count
    var passed: UInt32 = 0
    for sample in 0..<count where fragment.samples & 1 << UInt32(sample) != 0 {
      if !passesStencil(test, fragment, first + sample) {
        change(test.stencilFailureOperation, test, fragment, first + sample)
        continue
      }
      let passes = passesDepth(tests, newDepth(sample), first + sample)
      let operation = passes ? test.depthStencilPassOperation : test.depthFailureOperation
      change(operation, test, fragment, first + sample)
      if passes { passed |= 1 << UInt32(sample) }
    }
    return passed
  }

  private func passesDepth(_ tests: DepthStencilDescriptor, _ value: Float, _ index: Int) -> Bool {
    guard let depth else { return true }
    let value = depth.pixelFormat.keptDepth(value)
    guard tests.depthCompareFunction.holds(value, depth.depth(at: index)) else { return false }
    if tests.isDepthWriteEnabled { depth.setDepth(value, at: index) }
    return true
  }

  private func passesStencil(_ test: StencilDescriptor, _ fragment: Fragment, _ index: Int) -> Bool {
    guard let stencil else { return true }
    let mask = UInt8(truncatingIfNeeded: test.readMask)
    return test.stencilCompareFunction.holds(reference(fragment) & mask, stencil.stencil(at: index) & mask)
  }

  private func reference(_ fragment: Fragment) -> UInt8 {
    UInt8(truncatingIfNeeded: fragment.isFrontFacing ? state.references.front : state.references.back)
  }

  private func change(
    _ operation: StencilOperation, _ test: StencilDescriptor, _ fragment: Fragment, _ index: Int
  ) {
    guard let stencil, operation != .keep else { return }
    let old = stencil.stencil(at: index)
    let new = operation.result(old, reference(fragment))
    let mask = UInt8(truncatingIfNeeded: test.writeMask)
    stencil.setStencil(new & mask | old & ~mask, at: index)
  }
}

extension CompareFunction {
  fileprivate func holds<Number: Comparable>(_ new: Number, _ old: Number) -> Bool {
    switch self {
    case .never: false
    case .less: new < old
    case .equal: new == old
    case .lessEqual: new <= old
    case .greater: new > old
    case .notEqual: new != old
    case .greaterEqual: new >= old
    case .always: true
    }
  }
}

extension StencilOperation {
  fileprivate func result(_ old: UInt8, _ reference: UInt8) -> UInt8 {
    switch self {
    case .keep: old
    case .zero: 0
    case .replace: reference
    case .incrementClamp: old == .max ? .max : old + 1
    case .decrementClamp: old == 0 ? 0 : old - 1
    case .invert: ~old
    case .incrementWrap: old &+ 1
    case .decrementWrap: old &- 1
    }
  }
}
