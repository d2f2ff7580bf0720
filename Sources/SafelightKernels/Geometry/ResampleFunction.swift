internal import CKernelRows
internal import SafelightImage
internal import SafelightShaders

extension Pass {
  /// Scales one axis of a picture.
  static func resampling(_ resampling: Resampling) -> Pass {
    let table = ResamplingTable(resampling: resampling)
    let function = ResampleFunction(isRow: resampling.axis == .row, isDeep: resampling.isDeep)
    return Pass(
      function, uniforms: .words([table.stride, 0, 0, 0]),
      inputs: [.source(Footprint(extent: .resampled(resampling))), .table("weights", table)])
  }
}

/// Makes each pixel a sum with weights of pixels along one axis.
private struct ResampleFunction: BuiltInPassFunction {
  let isRow: Bool
  let isDeep: Bool

  var name: String { "resample" }
  var constants: [ShaderAssembly.Constant] { [.init("IS_ROW", isRow), .init("IS_DEEP", isDeep)] }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    let isGray = memory.output.step == 1
    switch (isRow, isDeep) {
    case (false, false): unsafe weighRows(memory, operations.weigh_rows_8)
    case (false, true): unsafe weighRows(memory, operations.weigh_rows_16)
    case (true, false):
      unsafe weighAlongRows(memory, isGray ? operations.weigh_row_gray_8 : operations.weigh_row_8)
    case (true, true):
      unsafe weighAlongRows(memory, isGray ? operations.weigh_row_gray_16 : operations.weigh_row_16)
    }
  }

  private func weighRows<Sample: UnsignedSample>(
    _ memory: PassMemory,
    _ weigh: (
      UnsafeMutablePointer<Sample>, UnsafePointer<UnsafePointer<Sample>>, UnsafePointer<Int32>, Int, Int
    ) -> Void
  ) {
    let (region, source) = (memory.region, memory.inputs[0])
    unsafe withSpans(of: memory) { spans, length in
      for y in region.y..<region.y + region.size.height {
        let span = unsafe spans + y * length
        let rows = unsafe (0..<Int(span[1])).compactMap { tap in
          unsafe UnsafePointer(
            source.row(Sample.self, x: region.x, y: Int(span[0]) + tap, count: region.size.width).baseAddress)
        }
        let made = unsafe memory.output.row(Sample.self, x: region.x, y: y, count: region.size.width)
        if let first = made.baseAddress { unsafe weigh(first, rows, span + 2, rows.count, made.count) }
      }
    }
  }

  private func weighAlongRows<Sample: UnsignedSample>(
    _ memory: PassMemory,
    _ weigh: (
      UnsafePointer<UnsafeMutablePointer<Sample>>, UnsafePointer<UnsafePointer<Sample>>, UnsafeMutablePointer<Sample>,
      UnsafePointer<Int32>, Int, Int, Int, Int
    ) -> Void
  ) {
    let (region, source) = (memory.region, memory.inputs[0])
    let atOnce = 16 / source.step
    unsafe withSpans(of: memory) { spans, length in
      let span = unsafe spans + region.x * length
      let last = unsafe span + (region.size.width - 1) * length
      let columns = unsafe Int(span[0])..<Int(last[0] + last[1])
      unsafe withUnsafeTemporaryAllocation(of: Sample.self, capacity: 16 * columns.count) { woven in
        guard let woven = woven.baseAddress else { return }
        let end = region.y + region.size.height
        for first in stride(from: region.y, to: end, by: atOnce) {
          // Where fewer rows are left, the last is made several times.
          let rows = (first..<first + atOnce).map { min($0, end - 1) }
          let read = unsafe rows.compactMap {
            unsafe UnsafePointer(
              source.row(Sample.self, x: columns.lowerBound, y: $0, count: columns.count).baseAddress)
          }
          let made = unsafe rows.compactMap {
            unsafe memory.output.row(Sample.self, x: region.x, y: $0, count: region.size.width).baseAddress
          }
          unsafe weigh(
            made, read, woven, span, length, columns.lowerBound, columns.count, region.size.width)
        }
      }
    }
  }

  /// Calls `body` with the numbers of the table's spans, of which each has `length`.
  private func withSpans(of memory: PassMemory, _ body: (UnsafePointer<Int32>, _ length: Int) -> Void) {
    let table = memory.inputs[1]
    let count = 2 * table.region.size.area
    unsafe table.entries().withMemoryRebound(to: Int32.self, capacity: count) {
      unsafe body($0, 2 * Int(memory.uniforms[0]))
    }
  }
}

/// Colors times alpha before a picture is scaled, or divided by it after, each rounded to whole samples, as Pillow's
/// `resize` does with pictures of RGBA.
struct ResampleAlpha: BuiltInPassFunction {
  let isDivision: Bool
  /// True for samples of 16 bits, which linear light has in kernels of 8 bits too.
  let isDeep: Bool

  var name: String { "resample_alpha" }
  var constants: [ShaderAssembly.Constant] { [.init("IS_DIVISION", isDivision), .init("IS_DEEP", isDeep)] }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch (isDivision, isDeep) {
    case (false, false): unsafe memory.makeRows(by: operations.premultiply_8)
    case (false, true): unsafe memory.makeRows(by: operations.multiply_alpha_16)
    case (true, false): unsafe memory.makeRows(by: operations.unpremultiply_8)
    case (true, true): unsafe memory.makeRows(by: operations.unpremultiply_16)
    }
  }
}
