internal import CKernelRows
internal import Glibc
public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A kernel that smooths surfaces and keeps edges: a mean of the pixels around whose colors are near. The formula is on
/// its ``card``.
public struct ImageBilateralFilter: PassKernel {
  /// The columns and rows of the circle: 3 to 19, odd.
  public var diameter = 9
  /// The standard deviation of the difference of colors, in samples of 8 bits.
  public var color = 25.0
  /// The standard deviation of the distance, in pixels.
  public var distance = 9.0
  /// The pixels that the kernel takes for those beyond the edges of the picture.
  public var edgeMode = ImageEdgeMode.clamp
  /// The part that alpha has.
  public var alphaMode = ImageAlphaMode.asIs

  /// Makes a filter of nine columns and rows.
  public init() {}

  /// Makes the kernel; `diameter` must be odd, from 3 to 19.
  public init(device: Device, diameter: Int, color: Double, distance: Double) {
    self.diameter = diameter
    self.color = color
    self.distance = distance
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "bilateral", "smooths surfaces and keeps edges: a mean of the pixels around whose colors are near",
    discussion: """
      Of the pixels at most diameter / 2 away, in a circle, each counts with

          weight = (near[x * x + y * y] * like[D] + 32768) >> 16
          near[s] = round(65535 * exp(-s / (2 * distance * distance)))
          like[D] = round(65535 * exp(-D * D / (2 * color * color)))

      where x and y are the columns and rows between them, and D = |dR| + |dG| + |dB| the difference of their colors; of
      16 bits D = (|dR| + |dG| + |dB| + 128) / 257. Grays count as three equal samples. Each channel, alpha too, becomes

          out = floor((sum of weight * in + floor(W / 2)) / W)    W = sum of weight

      The colors of transparent pixels count, unless alpha=weighted: then colors are multiplied by alpha in 16 bits,
      which gives differences and means, and their means are divided by that of alpha, 0 where that is 0; all is rounded
      to the nearest, halves up.

      OpenCV's bilateralFilter weighs likewise in floating point, and of gray pictures by one difference. diameter is
      odd; the cost grows with its square.
      """,
    [
      .integer("diameter", "columns and rows of the circle, 3 to 19", \.diameter, in: 3...19),
      .number("color", "how far colors may differ, a standard deviation in samples of 8 bits", \.color, in: 1...500),
      .number("distance", "how far pixels count, a standard deviation in pixels", \.distance, in: 0.5...100),
      .choice("edge", "what lies beyond the edges", \.edgeMode),
      .choice("alpha", "the part that alpha has", \.alphaMode),
    ],
    examples: ["bilateral=9", "bilateral=5:color=60:distance=2:edge=zero", "bilateral=5:alpha=weighted"])

  /// Checks that the diameter is odd.
  public func check() throws(SafelightError) {
    try ensure(
      !diameter.isMultiple(of: 2), .usage, "bilateral=diameter=\(diameter)",
      why: "a circle of \(diameter) columns has no pixel in its middle", remedy: "use an odd diameter")
  }

  /// Refuses premultiplied pictures if colors are to count by their alpha.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try alphaMode.check(color, for: "bilateral")
    return color
  }

  /// One pass, unless colors count by their alpha.
  public func passes(for picture: PassPicture) -> [Pass] { alphaMode.passes(for: picture) { [means(of: $0)] } }

  private func means(of picture: PassPicture) -> Pass {
    let radius = diameter / 2
    func weights(_ values: Range<Int>, _ exponent: (Double) -> Double) -> [Int] {
      values.map { Int((65535 * exp(-exponent(Double($0)))).rounded()) }
    }
    let near = weights(0..<BilateralFunction.nearCount) { $0 / (2 * distance * distance) }
    let like = weights(0..<BilateralFunction.likeCount) { $0 * $0 / (2 * color * color) }
    let function = BilateralFunction(
      depth: picture.image.depth, edge: edgeMode, isGray: picture.pixelFormat.samplesPerPixel == 1,
      isOpaque: edgeMode == .zero && picture.image.channels == .rgb)
    return Pass(
      function, uniforms: .words([radius] + near + like + [0, 0, 0]),
      inputs: [.source(.square(radius: radius), edge: edgeMode)])
  }
}

/// A mean of pixels by the distance of their places and of their colors.
///
/// The uniforms are the radius, the weights by the square of the distance, and those by the difference of colors.
private struct BilateralFunction: BuiltInPassFunction {
  let depth: SampleDepth
  let edge: ImageEdgeMode
  let isGray: Bool
  /// True if a result has no alpha, which the edges must not change.
  let isOpaque: Bool

  /// The squares of distances, up to that of nine pixels.
  static let nearCount = 82
  /// The differences of colors in samples of 8 bits.
  static let likeCount = 3 * 255 + 1

  var name: String { "bilateral" }
  var constants: [ShaderAssembly.Constant] {
    [.init("IS_DEEP", depth == .bits16), .init("IS_GRAY", isGray), .init("IS_OPAQUE", isOpaque)]
  }

  func make(_ memory: PassMemory) {
    let operations = unsafe RowOperations.best
    switch (isGray, depth) {
    case (false, .bits8): unsafe weigh(memory, operations.bilateral_8)
    case (false, .bits16): unsafe weigh(memory, operations.bilateral_16)
    case (true, .bits8): unsafe weigh(memory, operations.bilateral_gray_8)
    case (true, .bits16): unsafe weigh(memory, operations.bilateral_gray_16)
    }
  }

  /// A pixel around, by the columns and rows to it.
  private struct Neighbor {
    let x, y: Int
    /// The square of the distance.
    var distance: Int { x * x + y * y }
  }

  private func weigh<Sample: UnsignedSample>(
    _ memory: PassMemory,
    _ weigh: (
      UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<UnsafePointer<Sample>>,
      UnsafePointer<UnsafePointer<UInt32>>, Int, Int
    ) -> Void
  ) {
    let (radius, step) = (Int(memory.uniforms[0]), memory.output.step)
    let near = memory.uniforms[1...].prefix(radius * radius + 1)
    let like = memory.uniforms[(1 + Self.nearCount)...].prefix(Self.likeCount)
    let square = (-radius...radius).flatMap { y in (-radius...radius).map { x in Neighbor(x: x, y: y) } }
    let places = square.filter { $0.distance <= radius * radius }
    let weights = near.flatMap { near in like.map { like in (like * near + 32768) >> 16 } }
    unsafe weights.withUnsafeBufferPointer { weights in
      guard let first = weights.baseAddress else { return }
      let tables = unsafe places.map { unsafe first + $0.distance * Self.likeCount }
      unsafe memory.forEachWindowRow(Sample.self, columns: radius, rows: radius, edge: edge) { made, rows, count in
        let others = unsafe places.map { unsafe rows[$0.y + radius] + $0.x * step }
        unsafe weigh(made, rows[radius], others, tables, places.count, count / step)
        if isOpaque { for alpha in stride(from: 3, to: count, by: 4) { unsafe made[alpha] = .max } }
      }
    }
  }
}
