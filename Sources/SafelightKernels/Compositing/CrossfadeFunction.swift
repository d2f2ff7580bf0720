internal import CKernelRows
internal import SafelightImage
internal import SafelightShaders

/// Mixes the pixels of both inputs. The uniforms are the share of the second and the whole.
struct CrossfadeFunction: BuiltInPassFunction {
  /// True if colors count by their alpha.
  let isWeighted: Bool

  var name: String { "crossfade" }
  var constants: [ShaderAssembly.Constant] { [.init("IS_WEIGHTED", isWeighted)] }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch memory.output.pixelFormat.depth {
    case .bits8: unsafe make(memory, UInt8.self, operations.opaque_8)
    case .bits16: unsafe make(memory, UInt16.self, operations.opaque_16)
    }
  }

  private func make<Sample: UnsignedSample>(
    _ memory: PassMemory, _ type: Sample.Type, _ isOpaque: (UnsafePointer<Sample>, Int) -> Int32
  ) {
    let width = memory.region.size.width
    let count = width * memory.output.step
    let (part, whole) = (UInt64(memory.uniforms[0]), UInt64(memory.uniforms[1]))
    let (rest, half) = (whole - part, whole / 2)
    // For dividends below 65536 * whole the product's error stays below a whole, since the whole has 14 bits.
    let inverse = ((1 << 44) + whole - 1) / whole
    unsafe memory.forEachPairOfRows(type) { made, frame, second in
      // Of opaque pixels alpha changes nothing.
      if isWeighted, unsafe isOpaque(frame, width) == 0 || isOpaque(second, width) == 0 {
        for at in stride(from: 0, to: count, by: 4) {
          unsafe weighted(made + at, frame + at, second + at, rest, part, whole)
        }
        return
      }
      for at in 0..<count {
        let sum = unsafe UInt64(frame[at]) &* rest &+ UInt64(second[at]) &* part &+ half
        unsafe made[at] = Sample(truncatingIfNeeded: (sum &* inverse) >> 44)
      }
    }
  }

  private func weighted<Sample: UnsignedSample>(
    _ made: UnsafeMutablePointer<Sample>, _ frame: UnsafePointer<Sample>, _ second: UnsafePointer<Sample>,
    _ rest: UInt64, _ part: UInt64, _ whole: UInt64
  ) {
    let (first, other) = unsafe (UInt64(frame[3]) * rest, UInt64(second[3]) * part)
    let total = first + other
    guard total > 0 else {
      for sample in 0..<4 { unsafe made[sample] = frame[sample] }
      return
    }
    for sample in 0..<3 {
      let sum = unsafe UInt64(frame[sample]) * first + UInt64(second[sample]) * other
      unsafe made[sample] = Sample(truncatingIfNeeded: (sum + total / 2) / total)
    }
    unsafe made[3] = Sample(truncatingIfNeeded: (total + whole / 2) / whole)
  }
}
