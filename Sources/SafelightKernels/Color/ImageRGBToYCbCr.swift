public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A kernel that makes the luma and chroma planes of a frame from red, green and blue; vImage's
/// `vImageConvert_ARGB8888To420Yp8_CbCr8` and related functions.
///
/// Converts by ITU-T H.273 with Kr and Kb of the matrix; coefficients are kept in 2⁻¹⁹. Chroma that pixels share is
/// made of their weighted mean; the page Y'CbCr has the weights and the formula. Pixels beyond the edge repeat those at
/// the edge. Grays have the middle chroma; black and white have the range's ends. Alpha is dropped.
public struct ImageRGBToYCbCr: Sendable {
  /// The layout of the planes.
  public let layout: PixelLayout
  /// The meaning of the samples: matrix, range and siting. An unspecified siting is taken as ``ChromaSiting/left``.
  public let color: ColorDescription

  private let coding: YCbCrCoding

  /// Makes the kernel.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` for layouts without chroma, if `color` leaves matrix or range
  ///   open, and for sitings on the second of two columns or rows.
  public init(device: Device, layout: PixelLayout, color: ColorDescription) throws(SafelightError) {
    try self.init(layout, color)
  }

  package init(_ layout: PixelLayout, _ color: ColorDescription) throws(SafelightError) {
    coding = try YCbCrCoding(layout, color)
    guard coding.chromaWeights != nil else {
      throw SafelightError(
        .unsupported, "conversion to \(layout)", why: "its chroma siting cannot be \(color.siting)",
        remedy: "use left, center, topLeft or top")
    }
    self.layout = layout
    self.color = color
  }

  /// Records the conversion, with a pass for each plane.
  ///
  /// - Parameters:
  ///   - source: A texture of one channel, which is gray, or four; of 8 bits for layouts of 8 bits, else of 16.
  ///   - planes: The textures of the layout's planes. Words of 16 bits may also be normalized.
  public func encode(to buffer: CommandBuffer, source: Texture, planes: [Texture]) {
    checkPlanes(planes, of: layout, picture: source)
    encode(to: buffer, source: TiledTexture(source), planes: planes.map { TiledTexture($0) })
  }

  /// Records the conversion of a picture of any size.
  package func encode(to buffer: CommandBuffer, source: TiledTexture, planes: [TiledTexture]) {
    let call = YCbCrCall(layout, color, .encoding(isNormalized: planes[0].pixelFormat.sampleKind == .normalized))
    let picture = PassPicture(source.pixelFormat.descriptor(source.size), source.pixelFormat)
    let plan = call.plan(for: picture, coding)
    PassRecorder(plan: plan, call: call.text, buffer: buffer).encode(source, to: planes)
  }

  /// Returns the passes that make the planes of a picture, one for each of `outputs`.
  package func passes(of picture: PassPicture, to outputs: [Pass.Output]) -> [Pass] {
    Pass.encoding(coding, of: picture.pixelFormat, to: outputs)
  }
}

extension Pass {
  /// Makes planes of a picture of `format`, one for each of `outputs`.
  static func encoding(_ coding: YCbCrCoding, of format: PixelFormat, to outputs: [Output]) -> [Pass] {
    let function = RGBToYCbCrFunction(sourceIsGray: format.samplesPerPixel == 1)
    let (rows, step, own) = (coding.encoding(), coding.layout.subsampling.step, SIMD4<Int32>(0, 4, 0, 0))
    return outputs.enumerated().map { index, output in
      let isShared = index > 0 && step != Size(1, 1)
      let (spacing, weights) = (isShared ? step : Size(1, 1), isShared ? coding.chromaWeights : nil)
      let block = RGBToYCbCrFunction.Block(
        first: index == 0 ? rows.luma : index == 1 ? rows.blue : rows.red, second: rows.red,
        spacing: SIMD4(
          Int32(spacing.width), Int32(spacing.height), Int32(coding.largest), Int32(coding.layout.shift)),
        columns: weights?.columns ?? own, rows: weights?.rows ?? own)
      return Pass(
        function, uniforms: .block(block), inputs: [.source(isShared ? .reduced(by: step, reach: 1) : .pixel)],
        output: output)
    }
  }
}

/// `rgb_to_ycbcr.glsl`.
struct RGBToYCbCrFunction: BuiltInPassFunction {
  struct Block: BitwiseCopyable, Sendable {
    /// Coefficients of red, green and blue, and the zero of the plane's first channel.
    var first: SIMD4<Int32>
    var second: SIMD4<Int32>
    /// Pixels from sample to sample, across and down; the largest sample; the bits by which it lies to the left.
    var spacing: SIMD4<Int32>
    /// Weights in quarters of the columns before, at and after the sample's first, and of the rows.
    var columns: SIMD4<Int32>
    var rows: SIMD4<Int32>
  }

  let sourceIsGray: Bool

  var name: String { "rgb_to_ycbcr" }
  var constants: [ShaderAssembly.Constant] { [.init("SOURCE_IS_GRAY", sourceIsGray)] }

  func make(_ memory: PassMemory) {
    switch memory.output.pixelFormat.depth {
    case .bits8: make(UInt8.self, memory)
    case .bits16: make(UInt16.self, memory)
    }
  }

  private func make<Sample: UnsignedSample>(_ type: Sample.Type, _ memory: PassMemory) {
    let (block, region, step) = (memory.block(Block.self), memory.region, memory.output.step)
    let (largest, shift) = (block.spacing.z, block.spacing.w)
    var sums = ColorSums(block, columns: region.x..<region.x + region.size.width, of: memory.inputs[0])
    for y in region.y..<region.y + region.size.height {
      sums.read(type, row: y)
      let made = unsafe memory.output.row(type, x: region.x, y: y, count: region.size.width)
      unsafe sums.withColors { red, green, blue in
        for (channel, row) in [block.first, block.second].prefix(step).enumerated() {
          withConstantStep(step) { step in
            for x in 0..<region.size.width {
              let mixed = unsafe YCbCrCoding.mixed(row, red[x], green[x], blue[x]) &+ row.w
              unsafe made[step * x + channel] = Sample(truncatingIfNeeded: min(max(mixed, 0), largest) &<< shift)
            }
          }
        }
      }
    }
  }
}

/// Sixteenths of red, green and blue for each sample of a plane's row: weighted sums of the pixels around it.
private struct ColorSums {
  private let block: RGBToYCbCrFunction.Block
  private let columns: Range<Int>
  private let source: PictureMemory
  /// The quarters of a column's pixels, from the one before the first sample's on, of each color; then the sums.
  private var quarters: [[Int32]]
  private var sums: [[Int32]]

  init(_ block: RGBToYCbCrFunction.Block, columns: Range<Int>, of source: PictureMemory) {
    (self.block, self.columns, self.source) = (block, columns, source)
    let colors = source.step == 1 ? 1 : 3
    let pixels = Int(block.spacing.x) * (columns.count - 1) + 3
    quarters = Array(repeating: [Int32](repeating: 0, count: pixels), count: colors)
    sums = Array(repeating: [Int32](repeating: 0, count: columns.count), count: colors)
  }

  /// Sums the pixels around the samples of row `y` of the plane.
  mutating func read<Sample: UnsignedSample>(_ type: Sample.Type, row y: Int) {
    let (step, first) = (source.step, Int(block.spacing.x) * columns.lowerBound - 1)
    let start = max(first, source.region.x)
    let end = min(first + quarters[0].count, source.region.x + source.region.size.width)
    for color in quarters.indices {
      unsafe quarters[color].withUnsafeMutableBufferPointer { quarters in
        unsafe quarters.update(repeating: 0)
        for down in 0..<3 where block.rows[down] != 0 {
          let line = min(max(Int(block.spacing.y) * y + down - 1, 0), source.size.height - 1)
          let samples = unsafe source.row(type, x: start, y: line, count: end - start)
          let weight = block.rows[down]
          withConstantStep(step) { step in
            for place in 0..<end - start {
              unsafe quarters[start - first + place] &+=
                weight &* Int32(truncatingIfNeeded: samples[place * step + color])
            }
          }
        }
        // Pixels beyond the edges repeat those at the edges.
        for place in 0..<start - first { unsafe quarters[place] = quarters[start - first] }
        for place in end - first..<quarters.count { unsafe quarters[place] = quarters[end - first - 1] }
      }
      weigh(color)
    }
  }

  private mutating func weigh(_ color: Int) {
    let (spacing, weights) = (Int(block.spacing.x), block.columns)
    unsafe quarters[color].withUnsafeBufferPointer { quarters in
      unsafe sums[color].withUnsafeMutableBufferPointer { sums in
        withConstantStep(spacing) { spacing in
          for x in 0..<sums.count {
            let (before, own) = unsafe (weights.x &* quarters[spacing * x], weights.y &* quarters[spacing * x + 1])
            unsafe sums[x] = before &+ own &+ weights.z &* quarters[spacing * x + 2]
          }
        }
      }
    }
  }

  /// Calls `body` with the sums of red, green and blue; gray is all three.
  func withColors(
    _ body: (UnsafeBufferPointer<Int32>, UnsafeBufferPointer<Int32>, UnsafeBufferPointer<Int32>) -> Void
  ) {
    unsafe sums[0].withUnsafeBufferPointer { red in
      unsafe sums[sums.count / 2].withUnsafeBufferPointer { green in
        unsafe sums[sums.count - 1].withUnsafeBufferPointer { blue in unsafe body(red, green, blue) }
      }
    }
  }
}
