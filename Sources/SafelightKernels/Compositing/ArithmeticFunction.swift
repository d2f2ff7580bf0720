internal import CKernelRows
internal import SafelightImage
internal import SafelightShaders

/// Makes each color sample of a pair of samples at its place, by an operation. The uniforms are the factors in 65536ths
/// and the bias in samples, if there are any; a difference is then a sum whose second factor is negative.
struct ArithmeticFunction: BuiltInPassFunction {
  let operation: ArithmeticOperation
  let isScaled: Bool

  var name: String { "arithmetic" }
  var constants: [ShaderAssembly.Constant] {
    [
      .init("OPERATION", ArithmeticOperation.allCases.firstIndex(of: operation) ?? 0), .init("IS_SCALED", isScaled),
    ]
  }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch memory.output.pixelFormat.depth {
    case .bits8 where isScaled: makeScaled(memory, UInt8.self)
    case .bits16 where isScaled: makeScaled(memory, UInt16.self)
    case .bits8: unsafe make(memory, operation8(operations))
    case .bits16: unsafe make(memory, operation16(operations))
    }
  }

  private func make<Sample: UnsignedSample>(_ memory: PassMemory, _ operation: PairOperation<Sample>) {
    let (colors, count) = (memory.output.colorBits, memory.region.size.width * memory.output.step)
    unsafe memory.forEachPairOfRows(Sample.self) { unsafe operation($0, $1, $2, .max, colors, count) }
  }

  private func operation8(_ operations: CKernelRows) -> PairOperation<UInt8> {
    switch operation {
    case .add: unsafe operations.add_8
    case .subtract: unsafe operations.subtract_8
    case .multiply: unsafe operations.multiply_8
    case .divide: { unsafe operations.divide_8($0, $1, $2, $4, $5) }
    case .difference: unsafe operations.difference_8
    case .minimum: unsafe operations.darken_8
    case .maximum: unsafe operations.lighten_8
    case .average: unsafe operations.average_8
    }
  }

  private func operation16(_ operations: CKernelRows) -> PairOperation<UInt16> {
    switch operation {
    case .add: unsafe operations.add_16
    case .subtract: unsafe operations.subtract_16
    case .multiply: unsafe operations.multiply_16
    case .divide: { unsafe operations.divide_16($0, $1, $2, $4, $5) }
    case .difference: unsafe operations.difference_16
    case .minimum: unsafe operations.darken_16
    case .maximum: unsafe operations.lighten_16
    case .average: unsafe operations.average_16
    }
  }

  private func makeScaled<Sample: UnsignedSample>(_ memory: PassMemory, _ type: Sample.Type) {
    let step = memory.output.step
    let words = memory.uniforms.map { Int64(Int32(bitPattern: $0)) }
    let (first, second, bias) = (words[0], words[1], words[2])
    let maximum = Int64(Sample.max)
    let channels = step == 4 ? 3 : 1
    @inline(__always) func walk(_ made: (Int64, Int64) -> Int64) {
      unsafe memory.forEachPairOfRows(type) { row, frames, others in
        for pixel in 0..<memory.region.size.width {
          for at in pixel * step..<pixel * step + channels {
            let sum = unsafe made(Int64(frames[at]), Int64(others[at])) + bias
            unsafe row[at] = Sample(truncatingIfNeeded: min(max(sum, 0), maximum))
          }
          if step == 4 { unsafe row[4 * pixel + 3] = frames[4 * pixel + 3] }
        }
      }
    }
    // Halves up: the quotient's floor, also of negative numbers.
    @inline(__always) func rounded(_ dividend: Int64, _ divisor: Int64) -> Int64 {
      let (quotient, rest) = (dividend + divisor / 2).quotientAndRemainder(dividingBy: divisor)
      return rest < 0 ? quotient - 1 : quotient
    }
    switch operation {
    case .multiply: walk { rounded(first * $0 * $1, maximum << 16) }
    case .divide: walk { $1 == 0 ? 0 : rounded(first * $0 * maximum, $1 << 16) }
    default: walk { (first * $0 + second * $1 + 32768) >> 16 }
    }
  }
}
