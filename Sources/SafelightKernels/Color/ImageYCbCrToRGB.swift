public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A kernel that makes red, green and blue of the luma and chroma planes of a frame; vImage's
/// `vImageConvert_420Yp8_CbCr8ToARGB8888` and related functions.
///
/// Converts by ITU-T H.273 with Kr and Kb of the matrix; coefficients are kept in 2⁻¹⁹. Chroma is interpolated between
/// the four nearest samples by their places, in sixteenths that are not rounded, and clamped at the edges; the page
/// Y'CbCr has the formula. Luma has one coefficient for all three, so grays stay gray; black and white become 0 and
/// maximum. Layouts of 8 bits become RGB of 8 bits, all others RGB of 16. Words above the largest sample, possible only
/// in right-aligned layouts of 10 and 12 bits, count as the largest.
public struct ImageYCbCrToRGB: Sendable {
  /// The layout of the planes.
  public let layout: PixelLayout
  /// The meaning of the samples: matrix, range and siting. An unspecified siting is taken as ``ChromaSiting/left``.
  public let color: ColorDescription

  private let coding: YCbCrCoding

  /// Makes the kernel.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` for layouts without chroma, and if `color` leaves matrix or
  ///   range open: nothing is guessed.
  public init(device: Device, layout: PixelLayout, color: ColorDescription) throws(SafelightError) {
    try self.init(layout, color)
  }

  package init(_ layout: PixelLayout, _ color: ColorDescription) throws(SafelightError) {
    coding = try YCbCrCoding(layout, color)
    self.layout = layout
    self.color = color
  }

  /// Checks a frame, whose unspecified tags are taken as the kernel's.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if `frame` has another layout, matrix, range or siting than the
  ///   kernel.
  public func check(_ frame: VideoFrame) throws(SafelightError) {
    try ensure(
      frame.layout == layout && coding.agrees(with: frame.color), .input, "frame \(frame.index + 1)",
      why: "it is \(frame.layout) tagged \(frame.color), but the kernel was made for \(layout) of \(color)",
      remedy: "make an ImageYCbCrToRGB for the frame's own layout and color")
  }

  /// Records the conversion.
  ///
  /// - Parameters:
  ///   - planes: The textures of the layout's planes, as a `TextureCache` makes them of a frame. Words of 16 bits may
  ///     also be normalized.
  ///   - alpha: A picture of the destination's size and depth whose alpha is taken; nil for an opaque result.
  ///   - destination: A texture of the luma's size with one or four channels of 8 or 16 bits; one channel gets red.
  public func encode(to buffer: CommandBuffer, planes: [Texture], alpha: Texture? = nil, destination: Texture) {
    checkPlanes(planes, of: layout, picture: destination)
    if let alpha {
      trap(
        unless: alpha.size == destination.size && alpha.pixelFormat.samplesPerPixel == 4
          && alpha.pixelFormat.bytesPerSample == planes[0].pixelFormat.bytesPerSample
          && alpha.pixelFormat.sampleKind != .float,
        """
        alpha '\(alpha.label)' (\(alpha.size) \(alpha.pixelFormat.rawValue)) must have the destination's size, and \
        four samples of the luma's bits
        """)
    }
    encode(
      to: buffer, planes: planes.map { TiledTexture($0) }, alpha: alpha.map { TiledTexture($0) },
      destination: TiledTexture(destination))
  }

  /// Records the conversion of a frame of any size.
  package func encode(
    to buffer: CommandBuffer, planes: [TiledTexture], alpha: TiledTexture? = nil, destination: TiledTexture
  ) {
    let call = YCbCrCall(
      layout, color, .decoding(alpha: alpha?.pixelFormat, destination.pixelFormat))
    let luma = PassPicture(planes[0].pixelFormat.descriptor(planes[0].size), planes[0].pixelFormat)
    let further = planes.dropFirst() + (alpha.map { [$0] } ?? [])
    let plan = call.plan(for: luma, coding)
    PassRecorder(plan: plan, call: call.text, buffer: buffer).encode(planes[0], Array(further), to: [destination])
  }

  /// Returns the pass that makes a picture of `planes`, luma first, with the alpha of `alpha`, or opaque.
  package func pass(from planes: [Pass.Resource], alpha: Pass.Resource? = nil) -> Pass {
    .decoding(coding, planes, alpha: alpha)
  }
}

extension Pass {
  /// Makes a picture of `planes`, luma first, with the alpha of `alpha`, or opaque.
  static func decoding(_ coding: YCbCrCoding, _ planes: [Resource], alpha: Resource?) -> Pass {
    let step = coding.layout.subsampling.step
    let footprint = step == Size(1, 1) ? Footprint.pixel : .enlarged(by: step, reach: 1)
    var inputs = [Input("luma", planes[0], .pixel)]
    inputs += zip(["chroma", "redChroma"], planes.dropFirst()).map { Input($0, $1, footprint) }
    if let alpha { inputs.append(Input("opacity", alpha, .pixel)) }
    return Pass(
      YCbCrToRGBFunction(isPlanar: planes.count == 3, hasAlpha: alpha != nil), uniforms: .block(coding.decoding),
      inputs: inputs)
  }
}

/// `ycbcr_to_rgb.glsl`.
struct YCbCrToRGBFunction: BuiltInPassFunction {
  struct Block: BitwiseCopyable, Sendable {
    /// Coefficients of y, b and r.
    var red: SIMD4<Int32>
    var green: SIMD4<Int32>
    var blue: SIMD4<Int32>
    /// Black's luma, the middle of chroma, the bits by which samples move to the left, and the largest of them.
    var levels: SIMD4<Int32>
    /// Quarters of a chroma sample from one pixel to the next, across and down, and from the first sample back to the
    /// first pixel.
    var siting: SIMD4<Int32>
  }

  let isPlanar: Bool
  let hasAlpha: Bool

  var name: String { "ycbcr_to_rgb" }
  var constants: [ShaderAssembly.Constant] { [.init("IS_PLANAR", isPlanar), .init("HAS_ALPHA", hasAlpha)] }

  func make(_ memory: PassMemory) {
    switch memory.output.pixelFormat.depth {
    case .bits8: make(UInt8.self, memory)
    case .bits16: make(UInt16.self, memory)
    }
  }

  private func make<Sample: UnsignedSample>(_ type: Sample.Type, _ memory: PassMemory) {
    let (block, region, step) = (memory.block(Block.self), memory.region, memory.output.step)
    let (zero, shift, largest) = (block.levels.x, block.levels.z, block.levels.w)
    let differences = memory.inputs[1...(isPlanar ? 2 : 1)]
    let (blue, red) = (differences[1], differences[differences.endIndex - 1])
    var line = ChromaLine(block, columns: region.x..<region.x + region.size.width, of: blue.size)
    var (b, r) = ([Int32](repeating: 0, count: region.size.width), [Int32](repeating: 0, count: region.size.width))
    for y in region.y..<region.y + region.size.height {
      // In pairs, red differences follow blue ones.
      line.read(type, blue, channel: 0, of: y, into: &b)
      line.read(type, red, channel: isPlanar ? 0 : 1, of: y, into: &r)
      let luma = unsafe memory.inputs[0].row(type, x: region.x, y: y, count: region.size.width)
      let made = unsafe memory.output.row(type, x: region.x, y: y, count: region.size.width)
      unsafe b.withUnsafeBufferPointer { b in
        unsafe r.withUnsafeBufferPointer { r in
          for (channel, row) in [block.red, block.green, block.blue].prefix(step).enumerated() {
            withConstantStep(step) { step in
              for x in 0..<region.size.width {
                let light = unsafe 16 &* ((min(Int32(truncatingIfNeeded: luma[x]), largest) &<< shift) &- zero)
                let mixed = unsafe YCbCrCoding.mixed(row, light, b[x], r[x])
                unsafe made[step * x + channel] = Sample(truncatingIfNeeded: min(max(mixed, 0), Int32(Sample.max)))
              }
            }
          }
        }
      }
      guard step == 4 else { continue }
      if hasAlpha, let last = memory.inputs.last {
        let alpha = unsafe last.row(type, x: region.x, y: y, count: region.size.width)
        for x in 0..<region.size.width { unsafe made[4 * x + 3] = alpha[4 * x + 3] }
      } else {
        for x in 0..<region.size.width { unsafe made[4 * x + 3] = Sample.max }
      }
    }
  }
}

/// The sixteenths of chroma, less those of the middle, at each pixel of a row.
private struct ChromaLine {
  private let block: YCbCrToRGBFunction.Block
  private let columns: Range<Int>
  private let size: Size
  /// The first chroma sample that a pixel of the columns needs, perhaps before the edge.
  private let first: Int
  /// Quarters of chroma samples, between two rows.
  private var quarters: [Int32]

  init(_ block: YCbCrToRGBFunction.Block, columns: Range<Int>, of size: Size) {
    (self.block, self.columns, self.size) = (block, columns, size)
    let (step, offset) = (Int(block.siting.x), Int(block.siting.z))
    first = (step * columns.lowerBound - offset) >> 2
    quarters = [Int32](repeating: 0, count: ((step * (columns.upperBound - 1) - offset) >> 2) + 2 - first)
  }

  /// Reads one kind of chroma, `channel` of `plane`, at row `y` of the picture.
  mutating func read<Sample: UnsignedSample>(
    _ type: Sample.Type, _ plane: PictureMemory, channel: Int, of y: Int, into line: inout [Int32]
  ) {
    let (spacing, shift, largest) = (plane.step, block.levels.z, block.levels.w)
    let down = Int(block.siting.y) * y - Int(block.siting.w)
    let lower = Int32(down & 3)
    func row(_ number: Int) -> UnsafeMutableBufferPointer<Sample> {
      unsafe plane.row(
        type, x: plane.region.x, y: min(max(number, 0), size.height - 1), count: plane.region.size.width)
    }
    let above = unsafe row(down >> 2)
    let below = unsafe lower == 0 ? above : row((down >> 2) + 1)
    // Those beyond the edges of the plane repeat those at the edges.
    let start = max(first, plane.region.x)
    let end = min(first + quarters.count, plane.region.x + plane.region.size.width)
    let base = (start - plane.region.x) * spacing + channel
    unsafe quarters.withUnsafeMutableBufferPointer { quarters in
      withConstantStep(spacing) { spacing in
        for place in 0..<end - start {
          let upper = unsafe min(Int32(truncatingIfNeeded: above[base + place * spacing]), largest) &<< shift
          let under = unsafe min(Int32(truncatingIfNeeded: below[base + place * spacing]), largest) &<< shift
          unsafe quarters[start - first + place] = (4 &- lower) &* upper &+ lower &* under
        }
      }
      for place in 0..<start - first { unsafe quarters[place] = quarters[start - first] }
      for place in end - first..<quarters.count { unsafe quarters[place] = quarters[end - first - 1] }
    }
    weigh(into: &line)
  }

  /// Weighs the quarters on both sides of each pixel.
  private func weigh(into line: inout [Int32]) {
    let (step, offset, middle) = (Int(block.siting.x), Int(block.siting.z), 16 &* block.levels.y)
    // Pixels that share chroma lie at different places beside it; one loop for each place.
    let period = 4 / step
    unsafe quarters.withUnsafeBufferPointer { quarters in
      unsafe line.withUnsafeMutableBufferPointer { line in
        for phase in 0..<min(period, columns.count) {
          let across = step * (columns.lowerBound + phase) - offset
          let (place, farther) = ((across >> 2) - first, Int32(across & 3))
          withConstantStep(period) { period in
            for number in 0..<(columns.count - phase + period - 1) / period {
              let near = unsafe (4 &- farther) &* quarters[place + number]
              let far = unsafe farther &* quarters[place + number + 1]
              unsafe line[phase + number * period] = near &+ far &- middle
            }
          }
        }
      }
    }
  }
}

/// Traps unless `planes` are those of `layout` for `picture`.
func checkPlanes(_ planes: [Texture], of layout: PixelLayout, picture: Texture) {
  let formats = layout.planeFormats
  trap(unless: planes.count == formats.count, "\(layout) has \(formats.count) planes; \(planes.count) were given")
  for (index, plane) in planes.enumerated() {
    let size = layout.planeSize(index, of: picture.size)
    trap(
      unless: plane.size == size && plane.pixelFormat.samplesPerPixel == formats[index].samplesPerPixel
        && plane.pixelFormat.bytesPerSample == formats[index].bytesPerSample
        && plane.pixelFormat.sampleKind == planes[0].pixelFormat.sampleKind && plane.pixelFormat.sampleKind != .float,
      """
      plane \(index) of \(layout) is '\(plane.label)', \(plane.size) \(plane.pixelFormat.rawValue); a picture of \
      \(picture.size) needs \(size) \(formats[index].rawValue), and either all planes or none must be normalized
      """)
  }
  trap(
    unless: PixelFormat.pictureFormats.contains(picture.pixelFormat)
      && picture.pixelFormat.bytesPerSample == formats[0].bytesPerSample,
    "a picture of \(picture.pixelFormat.rawValue) cannot hold a frame of \(layout); use rgba8Unorm for 8 bits, "
      + "rgba16Uint for more")
}
