internal import CKernelRows
internal import SafelightImage

/// The filter `linear` on rows of a picture that is upright as it is stored: each row is stretched once.
struct BilinearRows {
  private let memory: PassMemory
  private let columns: [SampleSpan]
  private let rows: [SampleSpan]
  /// True if two columns and two rows of pixels, all different, become one.
  private let isHalf: Bool

  init(_ block: RenderFunction.Block, _ memory: PassMemory, isDeep: Bool) {
    self.memory = memory
    let region = memory.region
    columns = block.spans(from: region.x, count: region.size.width, axis: 0, .linear, isDeep: isDeep)
    rows = block.spans(from: region.y, count: region.size.height, axis: 1, .linear, isDeep: isDeep)
    isHalf = block.scale == SIMD4(2, 1, 2, 1)
  }

  /// Makes the region; returns false, with nothing made, if `isWeighted` and a pixel of the source that is read is not
  /// opaque.
  func make(isWeighted: Bool) -> Bool {
    let operations = unsafe RowOperations.best
    let isGray = memory.output.step == 1
    if memory.output.pixelFormat.bytesPerSample == 1 {
      if unsafe isWeighted && !isOpaque(operations.opaque_8) { return false }
      if isHalf {
        unsafe halve(isGray ? operations.halve_gray_8 : operations.halve_pixels_8)
      } else {
        unsafe stretch(isGray ? operations.stretch_gray_8 : operations.stretch_8, operations.mix_rows_8)
      }
    } else {
      if unsafe isWeighted && !isOpaque(operations.opaque_16) { return false }
      if isHalf {
        unsafe halve(isGray ? operations.halve_gray_16 : operations.halve_pixels_16)
      } else {
        unsafe stretch(isGray ? operations.stretch_gray_16 : operations.stretch_16, operations.mix_rows_16)
      }
    }
    return true
  }

  private var firstColumn: Int { columns.first?.low ?? 0 }

  /// Returns the samples of a row of the source that are read.
  private func read<Sample: UnsignedSample>(_ type: Sample.Type, _ row: Int) -> UnsafeMutableBufferPointer<Sample> {
    unsafe memory.inputs[0].row(type, x: firstColumn, y: row, count: (columns.last?.high ?? 0) - firstColumn + 1)
  }

  /// Calls `body` for each row of the region with where it is made.
  private func forEachRow<Sample: UnsignedSample>(
    _ type: Sample.Type, _ body: (SampleSpan, UnsafeMutablePointer<Sample>) -> Void
  ) {
    let region = memory.region
    for (row, span) in rows.enumerated() {
      let made = unsafe memory.output.row(type, x: region.x, y: region.y + row, count: region.size.width)
      if let first = made.baseAddress { unsafe body(span, first) }
    }
  }

  private func isOpaque<Sample: UnsignedSample>(_ isOpaque: (UnsafePointer<Sample>, Int) -> Int32) -> Bool {
    guard let first = rows.first?.low, let last = rows.last?.high else { return true }
    return (first...last).allSatisfy { row in
      let pixels = unsafe read(Sample.self, row)
      return unsafe pixels.baseAddress.map { unsafe isOpaque($0, pixels.count / 4) != 0 } ?? true
    }
  }

  private func halve<Sample: UnsignedSample>(
    _ halve: (UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, Int) -> Void
  ) {
    unsafe forEachRow(Sample.self) { span, made in
      guard let above = unsafe read(Sample.self, span.low).baseAddress,
        let below = unsafe read(Sample.self, span.high).baseAddress
      else { return }
      unsafe halve(made, above, below, columns.count)
    }
  }

  private func stretch<Sample: UnsignedSample, Sum: UnsignedSample>(
    _ stretch: (
      UnsafeMutablePointer<Sum>, UnsafePointer<Sample>, UnsafePointer<UInt32>, UnsafePointer<Sum>, Int
    ) -> Void,
    _ mix: (UnsafeMutablePointer<Sample>, UnsafePointer<Sum>, UnsafePointer<Sum>, UInt32, Int) -> Void
  ) {
    let step = memory.output.step
    let places = columns.flatMap { [UInt32($0.low - firstColumn), UInt32($0.high - firstColumn)] }
    let weights = columns.flatMap { repeatElement(Sum($0.highWeight), count: step) }
    // The rows of the source that were stretched last.
    var (known, lines) = ([-1, -1], [[Sum](repeating: 0, count: weights.count), []])
    lines[1] = lines[0]
    func line(_ row: Int, keeping other: Int) -> Int {
      if let line = known.firstIndex(of: row) { return line }
      let line = known[0] == other ? 1 : 0
      if let samples = unsafe UnsafePointer(read(Sample.self, row).baseAddress) {
        unsafe stretch(&lines[line], samples, places, weights, columns.count)
      }
      known[line] = row
      return line
    }
    unsafe forEachRow(Sample.self) { span, made in
      let (upper, lower) = (line(span.low, keeping: span.high), line(span.high, keeping: span.low))
      unsafe mix(made, lines[upper], lines[lower], span.highWeight, weights.count)
    }
  }
}
