public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A picture at several sizes, each half of the one before: Metal Performance Shaders' `MPSImageGaussianPyramid`, and
/// the differences between these sizes, of which the picture can be made again: `MPSImageLaplacianPyramidSubtract` and
/// `MPSImageLaplacianPyramidAdd`.
///
/// With `p` the samples of a picture and edges repeated outward, all channels alike:
///
///     half(x, y)   = (Σ w(i) · w(j) · p(2x + i, 2y + j) + 128) >> 8,  w = 1, 4, 6, 4, 1 for i, j from −2 to 2
///     doubled(x)   = p(x/2 − 1) + 6 · p(x/2) + p(x/2 + 1) in even columns, 4 · (p(x/2) + p(x/2 + 1)) in odd ones,
///                    the same with rows, and (sum + 32) >> 6
///     difference   = p − doubled(half) + 32768, or + 2³¹ for 16 bits
///
/// `half` gives the bytes of OpenCV's `pyrDown` with `BORDER_REPLICATE`. Textures are of gray, or of red, green, blue
/// and alpha, with integers of 8 or 16 bits.
public struct ImagePyramid: Sendable {
  /// The number of smaller pictures.
  public let levels: Int

  /// Makes the kernel for `levels` smaller pictures, at least one.
  public init(device: Device, levels: Int) { self.init(levels: levels) }

  init(levels: Int) {
    trap(unless: levels > 0, "a pyramid has at least one smaller picture, not \(levels)")
    self.levels = levels
  }

  /// Returns the sizes of the smaller pictures of one of `size`, the largest first. Odd sides are halved upward.
  public func sizes(of size: Size) -> [Size] {
    (0..<levels).reduce(into: [size]) { sizes, level in sizes.append(sizes[level].halved) }.dropFirst().map { $0 }
  }

  /// Returns the format of differences of pictures of `format`: twice as wide integers.
  public static func differenceFormat(for format: PixelFormat) -> PixelFormat {
    switch (format.samplesPerPixel == 1, format.depth) {
    case (true, .bits8): .r16Uint
    case (true, .bits16): .r32Uint
    case (false, .bits8): .rgba16Uint
    case (false, .bits16): .rgba32Uint
    }
  }

  /// Records the smaller pictures of `source`, whose sizes are ``sizes(of:)`` and whose format is that of `source`.
  public func encodeGaussian(
    to buffer: CommandBuffer, source: Texture, destinations: [Texture], pipeline: PipelineKind = .automatic
  ) {
    check(destinations)
    encodeGaussian(
      to: buffer, source: TiledTexture(source), destinations: destinations.map { TiledTexture($0) }, pipeline)
  }

  /// Records the differences between `source` and the largest of `gaussian`, its smaller pictures, and between each of
  /// these and the next. A difference has the size of its larger picture and the format ``differenceFormat(for:)``.
  public func encodeLaplacian(
    to buffer: CommandBuffer, source: Texture, gaussian: [Texture], differences: [Texture],
    pipeline: PipelineKind = .automatic
  ) {
    check(gaussian)
    check(differences)
    for ((larger, smaller), difference) in zip(zip([source] + gaussian, gaussian), differences) {
      encodeDifference(
        to: buffer, source: TiledTexture(larger), smaller: TiledTexture(smaller), destination: TiledTexture(difference),
        pipeline)
    }
  }

  /// Records the making of a picture from the smallest of its smaller pictures and its `differences`, of which the
  /// largest is the first.
  public func encodeReconstruction(
    to buffer: CommandBuffer, smallest: Texture, differences: [Texture], destination: Texture,
    pipeline: PipelineKind = .automatic
  ) {
    check(differences)
    var smaller = smallest
    for (level, difference) in differences.enumerated().reversed() {
      let made =
        level == 0
        ? destination
        : Texture(size: difference.size, pixelFormat: smallest.pixelFormat, label: "level \(level) of the pyramid")
      encodeSum(
        to: buffer, smaller: TiledTexture(smaller), difference: TiledTexture(difference),
        destination: TiledTexture(made), pipeline)
      smaller = made
    }
  }

  private func check(_ textures: [Texture]) {
    trap(unless: textures.count == levels, "the pyramid has \(levels) levels; it was given \(textures.count) textures")
  }
}

// MARK: Pictures of any size

extension ImagePyramid {
  /// Records the smaller pictures of `source`.
  package func encodeGaussian(
    to buffer: CommandBuffer, source: TiledTexture, destinations: [TiledTexture], _ pipeline: PipelineKind
  ) {
    let passes = (0..<levels).map { level in
      let larger = level == 0 ? Pass.Resource.picture : .result(level - 1)
      return Pass(
        PyramidFunction(step: .halve), inputs: [Pass.Input("source", larger, .halved)], output: .result(level))
    }
    let results = zip(sizes(of: source.size), destinations).map {
      (texture: $1, shape: PassPlan.Shape(size: $0, pixelFormat: source.pixelFormat))
    }
    record(passes, of: source, to: results, in: buffer, pipeline)
  }

  /// Records the difference between `source` and `smaller`, which is half of it.
  package func encodeDifference(
    to buffer: CommandBuffer, source: TiledTexture, smaller: TiledTexture, destination: TiledTexture,
    _ pipeline: PipelineKind
  ) {
    let pass = Pass(PyramidFunction(step: .subtract), inputs: [.source(.pixel), .second(.doubled)])
    let half = PassPlan.Shape(size: source.size.halved, pixelFormat: source.pixelFormat)
    let made = PassPlan.Shape(size: source.size, pixelFormat: Self.differenceFormat(for: source.pixelFormat))
    record([pass], of: source, (smaller, half), to: [(destination, made)], in: buffer, pipeline)
  }

  /// Records the sum of `smaller`, doubled, and `difference`.
  package func encodeSum(
    to buffer: CommandBuffer, smaller: TiledTexture, difference: TiledTexture, destination: TiledTexture,
    _ pipeline: PipelineKind
  ) {
    let pass = Pass(PyramidFunction(step: .add), inputs: [.source(.doubled), .second(.pixel)])
    let (size, format) = (difference.size, smaller.pixelFormat)
    let change = PassPlan.Shape(size: size, pixelFormat: Self.differenceFormat(for: format))
    let made = PassPlan.Shape(size: size, pixelFormat: format)
    record([pass], of: smaller, (difference, change), to: [(destination, made)], in: buffer, pipeline)
  }

  /// A texture and the shape that it must have.
  private typealias Shaped = (texture: TiledTexture, shape: PassPlan.Shape)

  private func record(
    _ passes: [Pass], of source: TiledTexture, _ second: Shaped? = nil, to results: [Shaped], in buffer: CommandBuffer,
    _ pipeline: PipelineKind
  ) {
    trap(
      unless: PixelFormat.pictureFormats.contains(source.pixelFormat),
      "a pyramid takes pictures of 8 and 16 bits, not of \(source.pixelFormat.rawValue)")
    func picture(_ size: Size, _ format: PixelFormat) -> PassPicture { PassPicture(format.descriptor(size), format) }
    do throws(SafelightError) {
      let plan = try PassPlan(
        passes, of: "pyramid", from: picture(source.size, source.pixelFormat),
        given: second.map { [.further(0): $0.shape] } ?? [:],
        to: results.map { picture($0.shape.size, $0.shape.pixelFormat) }, edge: source.edge)
      PassRecorder(plan: plan, pipeline: pipeline, call: "pyramid", buffer: buffer)
        .encode(source, second.map { [$0.texture] } ?? [], to: results.map(\.texture))
    } catch {
      trap("a pyramid does not take pictures of \(source.size): \(error.why)")
    }
  }
}

/// A step between two sizes of a picture.
private struct PyramidFunction: BuiltInPassFunction {
  enum Step: Int {
    case halve, subtract, add
  }

  let step: Step

  var name: String { "pyramid" }
  var constants: [ShaderAssembly.Constant] { [.init("STEP", step.rawValue)] }

  func make(_ memory: PassMemory) {
    switch (step, memory.inputs[0].pixelFormat.depth) {
    case (.halve, .bits8): halve(memory, UInt8.self)
    case (.halve, .bits16): halve(memory, UInt16.self)
    case (.subtract, .bits8): subtract(memory, UInt8.self, UInt16.self)
    case (.subtract, .bits16): subtract(memory, UInt16.self, UInt32.self)
    case (.add, .bits8): add(memory, UInt8.self, UInt16.self)
    case (.add, .bits16): add(memory, UInt16.self, UInt32.self)
    }
  }

  private func halve<Sample: UnsignedSample>(_ memory: PassMemory, _ type: Sample.Type) {
    let (source, region) = (memory.inputs[0], memory.region)
    let sums = ColumnSums<Sample>(of: source, needed: Footprint.halved.needed(for: region, in: source.size))
    let weights: [UInt32] = [1, 4, 6, 4, 1]
    for y in region.y..<region.y + region.size.height {
      let made = unsafe memory.output.row(type, x: region.x, y: y, count: region.size.width)
      sums.add(rows: 2 * y - 2, weights)
      for (place, x) in (region.x..<region.x + region.size.width).enumerated() {
        for sample in 0..<source.step {
          let sum = sums.total(columns: 2 * x - 2, weights, sample)
          unsafe made[place * source.step + sample] = Sample(truncatingIfNeeded: (sum &+ 128) &>> 8)
        }
      }
    }
  }

  /// Calls `body` with each sample's place in its row, its row, and the sample of the doubled picture there.
  @inline(__always)
  private func forEachDoubled<Sample: UnsignedSample>(
    _ memory: PassMemory, _ smaller: PictureMemory, _ type: Sample.Type,
    _ body: (_ row: Int, _ place: Int, _ doubled: UInt32) -> Void
  ) {
    let region = memory.region
    let sums = ColumnSums<Sample>(of: smaller, needed: Footprint.doubled.needed(for: region, in: smaller.size))
    func weights(_ position: Int) -> [UInt32] { position % 2 == 1 ? [0, 4, 4] : [1, 6, 1] }
    let (even, odd) = (weights(0), weights(1))
    for y in region.y..<region.y + region.size.height {
      sums.add(rows: y / 2 - 1, weights(y))
      for (column, x) in (region.x..<region.x + region.size.width).enumerated() {
        for sample in 0..<smaller.step {
          let sum = sums.total(columns: x / 2 - 1, x % 2 == 1 ? odd : even, sample)
          body(y, column * smaller.step + sample, (sum &+ 32) &>> 6)
        }
      }
    }
  }

  private func subtract<Sample: UnsignedSample, Difference: UnsignedSample>(
    _ memory: PassMemory, _ type: Sample.Type, _ difference: Difference.Type
  ) {
    let (region, middle) = (memory.region, Difference(1) << (Difference.bitWidth - 1))
    forEachDoubled(memory, memory.inputs[1], type) { y, place, doubled in
      let larger = unsafe memory.inputs[0].row(type, x: region.x, y: y, count: region.size.width)
      let made = unsafe memory.output.row(difference, x: region.x, y: y, count: region.size.width)
      unsafe made[place] =
        middle &+ Difference(truncatingIfNeeded: larger[place]) &- Difference(truncatingIfNeeded: doubled)
    }
  }

  private func add<Sample: UnsignedSample, Difference: UnsignedSample>(
    _ memory: PassMemory, _ type: Sample.Type, _ difference: Difference.Type
  ) {
    let (region, middle) = (memory.region, Int(Difference(1) << (Difference.bitWidth - 1)))
    let maximum = Int(Sample.max)
    forEachDoubled(memory, memory.inputs[0], type) { y, place, doubled in
      let differences = unsafe memory.inputs[1].row(difference, x: region.x, y: y, count: region.size.width)
      let made = unsafe memory.output.row(type, x: region.x, y: y, count: region.size.width)
      let change = unsafe min(max(Int(differences[place]) - middle, -maximum), maximum)
      unsafe made[place] = Sample(truncatingIfNeeded: min(max(Int(doubled) + change, 0), maximum))
    }
  }
}

/// Sums of rows of a picture, column by column, and of these sums along a row; edges are repeated.
private final class ColumnSums<Sample: UnsignedSample> {
  private let source: PictureMemory
  private let columns: Range<Int>
  private var sums: [UInt32]

  init(of source: PictureMemory, needed: Region) {
    self.source = source
    columns = needed.x..<needed.x + needed.size.width
    sums = [UInt32](repeating: 0, count: columns.count * source.step)
  }

  /// Sums the rows from `first` on, each with its weight.
  func add(rows first: Int, _ weights: [UInt32]) {
    for place in sums.indices { sums[place] = 0 }
    for (number, weight) in weights.enumerated() where weight > 0 {
      let y = min(max(first + number, 0), source.size.height - 1)
      let row = unsafe source.row(Sample.self, x: columns.lowerBound, y: y, count: columns.count)
      for place in sums.indices { sums[place] &+= unsafe weight &* UInt32(truncatingIfNeeded: row[place]) }
    }
  }

  /// The sum of a sample's sums in the columns from `first` on, each with its weight.
  func total(columns first: Int, _ weights: [UInt32], _ sample: Int) -> UInt32 {
    var total: UInt32 = 0
    for (number, weight) in weights.enumerated() where weight > 0 {
      let x = min(max(first + number, 0), source.size.width - 1)
      total &+= weight &* sums[(x - columns.lowerBound) * source.step + sample]
    }
    return total
  }
}
