internal import CKernelRows
public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A kernel that replaces each sample by the median of those around it, which removes specks and keeps edges; Metal
/// Performance Shaders' `MPSImageMedian`. The formula is on its ``card``.
public struct ImageMedian: PassKernel {
  /// The columns and rows of the square: 3, 5 or 7 (`kernelDiameter`).
  public var diameter = 3

  /// Makes the median of 3×3.
  public init() {}

  /// Makes the kernel; `kernelDiameter` must be 3, 5 or 7.
  public init(device: Device, kernelDiameter: Int) { diameter = kernelDiameter }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "median", "the middle one of the samples around: takes specks out and leaves edges",
    discussion: """
      Per channel, alpha too, of the diameter * diameter samples around and at a place:

          out = the middle one when they are sorted

      Beyond the edge of the picture lie the pixels at the edge, as in OpenCV's medianBlur and ffmpeg's median. diameter
      is odd. The colors of transparent pixels count as all others.
      """,
    [.integer("diameter", "columns and rows of the square: 3, 5 or 7", \.diameter, in: 3...7)],
    examples: ["median=3", "median=5", "median=7"])

  /// Checks that the diameter is odd.
  public func check() throws(SafelightError) {
    try ensure(
      !diameter.isMultiple(of: 2), .usage, "median=diameter=\(diameter)",
      why: "a square of \(diameter)×\(diameter) has no pixel in its middle", remedy: "use 3, 5 or 7")
  }

  /// One pass.
  public func passes(for picture: PassPicture) -> [Pass] {
    let radius = diameter / 2
    return [Pass(MedianFunction(radius: radius), inputs: [.source(.square(radius: radius))])]
  }
}

/// The median of the samples around each sample.
private struct MedianFunction: BuiltInPassFunction {
  let radius: Int

  var name: String { "median" }
  var constants: [ShaderAssembly.Constant] { [.init("RADIUS", radius)] }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch (radius, memory.inputs[0].pixelFormat.depth) {
    case (1, .bits8): unsafe order(memory, operations.median_3_8)
    case (1, .bits16): unsafe order(memory, operations.median_3_16)
    case (2, .bits8): unsafe sortColumns(memory, operations.sort_5_8, operations.median_5_8)
    case (2, .bits16): unsafe sortColumns(memory, operations.sort_5_16, operations.median_5_16)
    case (_, .bits8): unsafe count(memory, operations.median_8)
    case (_, .bits16): unsafe count(memory, operations.median_16)
    }
  }

  /// Makes the medians of 3×3.
  private func order<Sample: UnsignedSample>(
    _ memory: PassMemory,
    _ median: (
      UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, Int, Int
    ) -> Void
  ) {
    let step = memory.output.step
    unsafe memory.forEachWindowRow(Sample.self, columns: 1, rows: 1) {
      unsafe median($0, $1[0], $1[1], $1[2], step, $2)
    }
  }

  /// Makes the medians of larger squares.
  private func count<Sample: UnsignedSample>(
    _ memory: PassMemory,
    _ median: (UnsafeMutablePointer<Sample>, UnsafePointer<UnsafePointer<Sample>>, Int, Int, Int) -> Void
  ) {
    let step = memory.output.step
    unsafe memory.forEachWindowRow(Sample.self, columns: radius, rows: radius) {
      unsafe median($0, $1, radius, step, $2)
    }
  }

  /// Makes the medians of 5×5 of two rows at once, from columns that are sorted once for all squares around.
  private func sortColumns<Sample: UnsignedSample>(
    _ memory: PassMemory,
    _ sort: (UnsafeMutablePointer<Sample>, Int, UnsafePointer<UnsafePointer<Sample>>, Int) -> Void,
    _ median: (UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, Int, Int, Int) -> Void
  ) {
    let (region, source) = (memory.region, memory.inputs[0])
    let line = PaddedLine(region, radius: 2, of: source)
    let (stride, end) = (line.count * source.step, region.y + region.size.height)
    unsafe withUnsafeTemporaryAllocation(of: Sample.self, capacity: 10 * stride) { sorted in
      guard let first = sorted.baseAddress else { return }
      for y in Swift.stride(from: region.y, to: end, by: 2) {
        let rows = unsafe (y - 2...y + 3).compactMap { y in
          let y = min(max(y, 0), source.size.height - 1)
          return unsafe UnsafePointer(
            source.row(Sample.self, x: line.columns.lowerBound, y: y, count: line.columns.count).baseAddress)
        }
        unsafe sort(first + line.before * source.step, stride, rows, line.columns.count * source.step)
        for row in 0..<10 { unsafe line.pad(first + row * stride, source.step, .clamp) }
        for row in y..<min(y + 2, end) {
          let made = unsafe memory.output.row(Sample.self, x: region.x, y: row, count: region.size.width)
          let ranks = unsafe first + 5 * (row - y) * stride + 2 * source.step
          unsafe made.baseAddress.map { unsafe median($0, ranks, stride, source.step, made.count) }
        }
      }
    }
  }
}
