internal import CKernelRows
internal import SafelightImage
internal import SafelightShaders

/// A kernel that shows the edges in a picture: the length of luma's gradient; Metal Performance Shaders'
/// `MPSImageSobel`. The formula is on its ``card``.
public struct ImageSobel: PassKernel {
  /// The pixels that the kernel takes for those beyond the edges of the picture.
  public var edgeMode = ImageEdgeMode.clamp

  /// Makes the kernel.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "sobel", "shows edges: how steeply luma rises or falls",
    discussion: """
      Luma is (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16, as gray makes it. With the pixels around

          a b c    x = (c - a) + 2 * (f - d) + (i - g)
          d e f    y = (g - a) + 2 * (h - b) + (i - c)
          g h i    out = floor(sqrt(x * x + y * y)), at most the greatest sample

      in red, green and blue; alpha stays. x and y are those of OpenCV's Sobel.
      """,
    [.choice("edge", "what lies beyond the edges", \.edgeMode)], examples: ["sobel", "sobel=edge=zero"])

  /// Luma of a picture with colors, then its gradient.
  public func passes(for picture: PassPicture) -> [Pass] {
    let window = Footprint.square(radius: 1)
    let gradient = Gradient(edge: edgeMode)
    if picture.pixelFormat.samplesPerPixel == 1 {
      return [Pass(gradient, inputs: [Pass.Input("luma", .picture, window, edge: edgeMode)])]
    }
    return [
      Pass(
        Luma(), inputs: [.source(.pixel)],
        output: .temporary(0, PixelFormat(channels: .gray, depth: picture.image.depth))),
      Pass(gradient, inputs: [.source(.pixel), Pass.Input("luma", .temporary(0), window, edge: edgeMode)]),
    ]
  }
}

/// Luma of BT.601.
private struct Luma: BuiltInPassFunction {
  var name: String { "sobel" }
  var constants: [ShaderAssembly.Constant] { [.init("IS_LUMA", true)] }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch memory.output.pixelFormat.depth {
    case .bits8: unsafe make(memory, operations.luma_8)
    case .bits16: unsafe make(memory, operations.luma_16)
    }
  }

  private func make<Sample: UnsignedSample>(
    _ memory: PassMemory, _ luma: (UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, Int) -> Void
  ) {
    let region = memory.region
    for y in region.y..<region.y + region.size.height {
      let made = unsafe memory.output.row(Sample.self, x: region.x, y: y, count: region.size.width)
      let pixels = unsafe memory.inputs[0].row(Sample.self, x: region.x, y: y, count: region.size.width)
      if let made = made.baseAddress, let pixels = pixels.baseAddress { unsafe luma(made, pixels, region.size.width) }
    }
  }
}

/// The length of the gradient of the last input, with the alpha of the first.
private struct Gradient: BuiltInPassFunction {
  let edge: ImageEdgeMode

  var name: String { "sobel" }
  var constants: [ShaderAssembly.Constant] { [.init("IS_LUMA", false)] }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch memory.output.pixelFormat.depth {
    case .bits8: unsafe make(memory, operations.gradient_8, operations.spread_8)
    case .bits16: unsafe make(memory, operations.gradient_16, operations.spread_16)
    }
  }

  private func make<Sample: UnsignedSample>(
    _ memory: PassMemory,
    _ gradient: (
      UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, Int
    ) -> Void, _ spread: (UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, Int) -> Void
  ) {
    let (region, luma) = (memory.region, memory.inputs[memory.inputs.count - 1])
    let (width, height) = (region.size.width, luma.size.height)
    let line = PaddedLine(region, radius: 1, of: luma)
    // Three rows with their borders, of which each is filled once, and the row that is made.
    unsafe withUnsafeTemporaryAllocation(of: Sample.self, capacity: 4 * line.count) { rows in
      guard let first = rows.baseAddress else { return }
      func row(_ y: Int) -> UnsafeMutablePointer<Sample> { unsafe first + (y + 3) % 3 * line.count }
      func fill(_ y: Int) {
        let target = unsafe row(y)
        if edge == .zero && !(0..<height).contains(y) {
          unsafe target.update(repeating: 0, count: line.count)
          return
        }
        let from = unsafe luma.row(
          Sample.self, x: line.columns.lowerBound, y: min(max(y, 0), height - 1), count: line.columns.count)
        _ = unsafe UnsafeMutableBufferPointer(start: target + line.before, count: from.count).update(
          fromContentsOf: from)
        unsafe line.pad(target, 1, edge)
      }
      fill(region.y - 1)
      fill(region.y)
      for y in region.y..<region.y + region.size.height {
        fill(y + 1)
        guard let made = unsafe memory.output.row(Sample.self, x: region.x, y: y, count: width).baseAddress else {
          return
        }
        let isGray = memory.output.step == 1
        let grays = unsafe isGray ? made : first + 3 * line.count
        unsafe gradient(grays, row(y - 1) + 1, row(y) + 1, row(y + 1) + 1, width)
        if isGray { continue }
        let pixels = unsafe memory.inputs[0].row(Sample.self, x: region.x, y: y, count: width)
        if let pixels = pixels.baseAddress { unsafe spread(made, grays, pixels, width) }
      }
    }
  }
}
