internal import CKernelRows
internal import SafelightImage
internal import SafelightShaders

/// A sum with weights down the columns of samples, or along the rows of such sums: a pass of a blur.
///
/// The uniforms are the radius, then the weights from that of the middle on.
struct WeightedSum: BuiltInPassFunction {
  let isRow: Bool
  /// True if the weights are 256ths and not 65536ths.
  let isCoarse: Bool
  let edge: ImageEdgeMode
  /// True if a result has no alpha, which the edges must not change.
  let isOpaque: Bool

  var name: String { "blur" }

  var constants: [ShaderAssembly.Constant] {
    let half = isCoarse ? 8 : 16
    return [
      .init("IS_ROW", isRow), .init("IS_OPAQUE", isOpaque), .init("HALF", half), .init("MASK", UInt32((1 << half) - 1)),
    ]
  }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch (isRow, isCoarse, memory.inputs[0].pixelFormat.bytesPerSample, memory.output.pixelFormat.bytesPerSample) {
    case (false, true, _, _): unsafe sumColumns(memory, operations.sum_rows_8)
    case (false, false, 1, _): unsafe sumColumns(memory, operations.sum_rows_8_wide)
    case (false, false, _, _): unsafe sumColumns(memory, operations.sum_rows_16)
    case (true, true, _, _): unsafe sumRows(memory, operations.halve_16, operations.sum_row_8)
    case (true, false, _, 1): unsafe sumRows(memory, operations.halve_32, operations.sum_row_8_wide)
    case (true, false, _, _): unsafe sumRows(memory, operations.halve_32, operations.sum_row_16)
    }
  }

  private func sumColumns<Sample: UnsignedSample, Sum: UnsignedSample>(
    _ memory: PassMemory,
    _ sum: (
      UnsafeMutablePointer<Sum>, UnsafePointer<UnsafePointer<Sample>>, UnsafePointer<UInt32>, Int, Int
    ) -> Void
  ) {
    let (region, source, radius) = (memory.region, memory.inputs[0], Int(memory.uniforms[0]))
    // A piece of all rows of a window fits a processor's second cache: the next row needs the same but for one.
    let piece = max(64, (1 << 18) / ((2 * radius + 1) * source.pixelFormat.bytesPerPixel))
    let zeros = [Sample](repeating: 0, count: min(piece, region.size.width) * source.step)
    let weights = Array(memory.uniforms[1...radius + 1])
    unsafe zeros.withUnsafeBufferPointer { zeros in
      for x in stride(from: region.x, to: region.x + region.size.width, by: piece) {
        let width = min(piece, region.x + region.size.width - x)
        for y in region.y..<region.y + region.size.height {
          let rows = unsafe (y - radius...y + radius).compactMap { y in
            if edge == .zero && !(0..<source.size.height).contains(y) { return zeros.baseAddress }
            return unsafe UnsafePointer(
              source.row(Sample.self, x: x, y: min(max(y, 0), source.size.height - 1), count: width).baseAddress)
          }
          guard let made = unsafe memory.output.row(Sum.self, x: x, y: y, count: width).baseAddress else { return }
          unsafe sum(made, rows, weights, radius, width * source.step)
        }
      }
    }
  }

  private func sumRows<Sum: UnsignedSample, Sample: UnsignedSample>(
    _ memory: PassMemory,
    _ halve: (UnsafeMutablePointer<UInt16>, UnsafeMutablePointer<UInt16>, UnsafePointer<Sum>, Int) -> Void,
    _ sum: (
      UnsafeMutablePointer<Sample>, UnsafePointer<UInt16>, UnsafePointer<UInt16>, UnsafePointer<UInt32>, Int, Int, Int
    ) -> Void
  ) {
    let (region, source, radius) = (memory.region, memory.inputs[0], Int(memory.uniforms[0]))
    let weights = Array(memory.uniforms[1...radius + 1])
    let line = PaddedLine(region, radius: radius, of: source)
    let count = line.count * source.step
    unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 2 * count) { halves in
      guard let upper = halves.baseAddress else { return }
      let lower = unsafe upper + count
      for y in region.y..<region.y + region.size.height {
        let sums = unsafe source.row(Sum.self, x: line.columns.lowerBound, y: y, count: line.columns.count)
        let made = unsafe memory.output.row(Sample.self, x: region.x, y: y, count: region.size.width)
        guard let first = sums.baseAddress, let target = made.baseAddress else { return }
        let before = line.before * source.step
        unsafe halve(upper + before, lower + before, first, sums.count)
        unsafe line.pad(upper, source.step, edge)
        unsafe line.pad(lower, source.step, edge)
        let middle = radius * source.step
        unsafe sum(target, upper + middle, lower + middle, weights, radius, source.step, made.count)
        if isOpaque { for alpha in stride(from: 3, to: made.count, by: 4) { unsafe made[alpha] = .max } }
      }
    }
  }
}
