internal import CKernelRows
public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A kernel that replaces each sample by the mean of a square around it; Metal Performance Shaders' `MPSImageBox`. The
/// formula is on its ``card``.
public struct ImageBox: PassKernel {
  /// The columns and rows of the square: 1 to 1001, odd.
  public var diameter = 3
  /// The pixels that the kernel takes for those beyond the edges of the picture.
  public var edgeMode = ImageEdgeMode.clamp
  /// The part that alpha has.
  public var alphaMode = ImageAlphaMode.asIs

  /// Makes the mean of 3×3.
  public init() {}

  /// Makes the kernel; `kernelDiameter` must be odd, from 1 to 1001.
  public init(device: Device, kernelDiameter: Int) { diameter = kernelDiameter }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "box", "makes the picture soft, by the mean of a square: quick, whatever its size",
    discussion: """
      Per channel, alpha too:

          out = floor((sum of the samples in the square + floor(A / 2)) / A)    A = diameter * diameter

      rounded once. OpenCV's blur gives the same bytes in 8 bits; in 16 it rounds sums, and is off by 1 at times.
      diameter is odd. The colors of transparent pixels count, unless alpha=weighted: then colors are multiplied by
      alpha in 16 bits, and their means divided by that of alpha, 0 where that is 0; all is rounded to the nearest,
      halves up.
      """,
    [
      .integer("diameter", "columns and rows of the square, 1 to 1001", \.diameter, in: 1...1001),
      .choice("edge", "what lies beyond the edges", \.edgeMode),
      .choice("alpha", "the part that alpha has", \.alphaMode),
    ],
    examples: ["box=3", "box=15:edge=zero", "box=301", "box=5:alpha=weighted"])

  /// One: sums that slide need compute functions.
  public static var pipelines: [PipelineKind] { [.automatic] }

  /// Checks that the diameter is odd.
  public func check() throws(SafelightError) {
    try ensure(
      !diameter.isMultiple(of: 2), .usage, "box=diameter=\(diameter)",
      why: "a square of \(diameter)×\(diameter) has no pixel in its middle", remedy: "use an odd diameter")
  }

  /// Refuses premultiplied pictures if colors are to count by their alpha.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try alphaMode.check(color, for: "box")
    return color
  }

  /// Sums of columns, then means along rows, and a copy where OpenGL ES cannot store them in the result.
  public func passes(for picture: PassPicture) -> [Pass] { alphaMode.passes(for: picture, means) }

  private func means(of picture: PassPicture) -> [Pass] {
    let (radius, edge) = (diameter / 2, edgeMode)
    let uniforms = [UInt8].words([radius, 0, 0, 0])
    let isOpaque = edgeMode == .zero && picture.image.channels == .rgb
    let sums = PixelFormat.sums(of: picture.pixelFormat.samplesPerPixel, bytes: 4)
    let isStored = picture.pixelFormat.isStorable
    // As long as a square is wide, so that a run's first sum is not most of its work; few lengths, hence few programs.
    let length = [64, 128, 256, 512].first { $0 >= diameter } ?? 1024
    func function(_ step: BoxFunction.Step) -> BoxFunction {
      BoxFunction(
        step: step, depth: picture.image.depth, length: length, edge: edge, isOpaque: isOpaque && step == .rows)
    }
    let passes = [
      Pass(
        function(.columns), uniforms: uniforms, inputs: [.source(.window(columns: 0, rows: radius), edge: edge)],
        output: .temporary(0, sums)),
      Pass(
        function(.rows), uniforms: uniforms,
        inputs: [Pass.Input("sums", .temporary(0), .window(columns: radius, rows: 0), edge: edge)],
        output: isStored ? .result(0) : .temporary(1, sums)),
    ]
    let copy = Pass(function(.copy), uniforms: uniforms, inputs: [Pass.Input("means", .temporary(1), .pixel)])
    return diameter == 1 ? [] : isStored ? passes : passes + [copy]
  }
}

/// A step of the mean of squares.
private struct BoxFunction: BuiltInPassFunction {
  enum Step: Int {
    /// Sums of samples down the columns.
    case columns
    /// Means, from sums of those along the rows.
    case rows
    /// The means in a format of fewer bits.
    case copy
  }

  let step: Step
  let depth: SampleDepth
  /// The pixels of a run.
  let length: Int
  let edge: ImageEdgeMode
  /// True if a result has no alpha, which the edges must not change.
  let isOpaque: Bool

  var name: String { "box" }
  var constants: [ShaderAssembly.Constant] { [.init("STEP", step.rawValue), .init("IS_OPAQUE", isOpaque)] }

  var kind: Pass.Kind {
    switch step {
    case .columns: .runs(.column, length: length)
    case .rows: .runs(.row, length: length)
    case .copy: .pixels
    }
  }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch (step, depth) {
    case (.columns, .bits8): unsafe sumColumns(memory, operations.sum_rows_8_wide, operations.slide_8)
    case (.columns, .bits16): unsafe sumColumns(memory, operations.sum_rows_16, operations.slide_16)
    case (.rows, .bits8): unsafe averageRows(memory, operations.row_mean_8)
    // Sums of more than 255² samples of 16 bits have more than 32 bits.
    case (.rows, .bits16) where memory.uniforms[0] <= 127: unsafe averageRows(memory, operations.row_mean_16)
    case (.rows, .bits16): unsafe averageRows(memory, operations.row_mean_16_wide)
    case (.copy, .bits8): copy(UInt8.self, memory)
    case (.copy, .bits16): copy(UInt16.self, memory)
    }
  }

  /// Sums the rows around the first one, unless those above it are summed already, and slides from each to the next.
  private func sumColumns<Sample: UnsignedSample>(
    _ memory: PassMemory,
    _ sum: (UnsafeMutablePointer<UInt32>, UnsafePointer<UnsafePointer<Sample>>, UnsafePointer<UInt32>, Int, Int) ->
      Void,
    _ slide: (
      UnsafeMutablePointer<UInt32>, UnsafePointer<UInt32>, UnsafePointer<Sample>, UnsafePointer<Sample>, Int
    ) -> Void
  ) {
    let (region, source, radius) = (memory.region, memory.inputs[0], Int(memory.uniforms[0]))
    let count = region.size.width * source.step
    let (zeros, ones) = ([Sample](repeating: 0, count: count), [UInt32](repeating: 1, count: radius + 1))
    unsafe zeros.withUnsafeBufferPointer { zeros in
      func row(_ y: Int) -> UnsafePointer<Sample>? {
        if edge == .zero, !(0..<source.size.height).contains(y) { return zeros.baseAddress }
        let y = min(max(y, 0), source.size.height - 1)
        return unsafe UnsafePointer(
          source.row(Sample.self, x: region.x, y: y, count: region.size.width).baseAddress)
      }
      func sums(_ y: Int) -> UnsafeMutablePointer<UInt32>? {
        unsafe memory.output.row(UInt32.self, x: region.x, y: y, count: region.size.width).baseAddress
      }
      for y in region.y..<region.y + region.size.height {
        guard let made = unsafe sums(y) else { return }
        if y == region.y, !memory.hasRowAbove {
          unsafe sum(made, (y - radius...y + radius).compactMap { unsafe row($0) }, ones, radius, count)
        } else if let above = unsafe sums(y - 1), let enters = unsafe row(y + radius),
          let leaves = unsafe row(y - radius - 1)
        {
          unsafe slide(made, above, enters, leaves, count)
        }
      }
    }
  }

  private func averageRows<Sample: UnsignedSample, Total: BitwiseCopyable>(
    _ memory: PassMemory,
    _ average: (UnsafeMutablePointer<Sample>, UnsafeMutablePointer<Total>, UnsafePointer<UInt32>, Int, Int, Int) -> Void
  ) {
    let (region, sums, radius) = (memory.region, memory.inputs[0], Int(memory.uniforms[0]))
    let line = PaddedLine(region, radius: radius, of: sums)
    let (count, isCopied) = (region.size.width * sums.step, memory.output.pixelFormat.bytesPerSample == 4)
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: line.count * sums.step) { padded in
      unsafe withUnsafeTemporaryAllocation(of: Total.self, capacity: count) { totals in
        unsafe withUnsafeTemporaryAllocation(of: Sample.self, capacity: count) { narrow in
          guard let padded = padded.baseAddress, let totals = totals.baseAddress else { return }
          for y in region.y..<region.y + region.size.height {
            let held = unsafe sums.row(UInt32.self, x: line.columns.lowerBound, y: y, count: line.columns.count)
            let row = unsafe memory.output.row(Sample.self, x: region.x, y: y, count: region.size.width)
            guard let first = held.baseAddress, let made = isCopied ? narrow.baseAddress : row.baseAddress
            else { return }
            unsafe (padded + line.before * sums.step).update(from: first, count: held.count)
            unsafe line.pad(padded, sums.step, edge)
            unsafe average(made, totals, padded, 2 * radius + 1, sums.step, count)
            if isOpaque { for alpha in stride(from: 3, to: count, by: 4) { unsafe made[alpha] = .max } }
            guard isCopied else { continue }
            let wide = unsafe memory.output.row(UInt32.self, x: region.x, y: y, count: region.size.width)
            for place in 0..<count { unsafe wide[place] = UInt32(made[place]) }
          }
        }
      }
    }
  }

  private func copy<Sample: UnsignedSample>(_ type: Sample.Type, _ memory: PassMemory) {
    let region = memory.region
    for y in region.y..<region.y + region.size.height {
      let means = unsafe memory.inputs[0].row(UInt32.self, x: region.x, y: y, count: region.size.width)
      let made = unsafe memory.output.row(type, x: region.x, y: y, count: region.size.width)
      for place in 0..<made.count { unsafe made[place] = Sample(truncatingIfNeeded: means[place]) }
    }
  }
}
