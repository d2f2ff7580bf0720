internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders
internal import Synchronization

/// The second half of kernels that make a table from histograms: the table, and the look-up of every sample in it.
///
/// Tables hold integers of 16 bits for every format, as those of ``ImageLookup``.
final class HistogramLookUp: Sendable {
  private let info: HistogramInfo
  private let name: String
  /// The table that a transform fills: 256 columns, entries / 256 rows, a channel for each plane; below them the marks
  /// of planes that stay as they are.
  private let table: Texture
  private let transformed = Mutex<PixelFormat?>(nil)

  init(_ info: HistogramInfo, name: String) {
    self.info = info
    self.name = name
    table = Texture(size: Size(256, info.entries / 256 + 1), pixelFormat: .rgba16Uint, label: "\(name) table")
  }

  /// Returns the table that a transform of pictures of `format` fills, and notes that it is recorded.
  func tableToFill(for format: PixelFormat) -> Texture {
    trap(
      unless: PixelFormat.pointFormats.contains(format),
      "\(name) takes pictures of 8 and 16 bits, not \(format.rawValue); convert them first")
    transformed.withLock { $0 = format }
    return table
  }

  func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm) {
    let format = source.pixelFormat
    trap(
      unless: transformed.withLock { $0 } == format,
      "\(name) of \(format.rawValue) needs a transform of that format; call encodeTransform first")
    let bins = HistogramBins(info, format)
    var bindings = Bindings()
    bindings.textures[2] = table
    bindings.setBytes(bins.range, index: 3)
    let forms =
      info.channels == .histeqLuma
      ? LevelLookUp(format: format).forms
      : EqualizationLookUp(
        bins: bins, planes: info.planes(for: format), usesLuma: info.luma(of: format) != nil, format: format
      ).forms
    forms.encode(to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: name)
  }
}

/// `equalization_apply.glsl`: looks samples or lumas up in a table.
struct EqualizationLookUp: PointFunction {
  var bins: HistogramBins
  var planes: Int
  var usesLuma: Bool
  var format: PixelFormat

  static let shaders = [ShaderSource.equalizationApply]
  static let worksInBands = false
  var constants: [ShaderAssembly.Constant] {
    bins.constants + [.init("PLANES", planes), .init("COUNTS_LUMA", usesLuma)]
  }
  var arguments: [ShaderArgument] { [.sampledTexture(2)] + bins.arguments }

  static func captured(_ call: CapturedCall, _ format: PixelFormat) -> Self? {
    guard let planes = call["PLANES", 1...format.samplesPerPixel],
      let bins = call.bins(sampleBits: format.bytesPerSample * 8), let usesLuma = call[isSet: "COUNTS_LUMA"],
      format.samplesPerPixel == 4 ? usesLuma || planes >= 3 : !usesLuma, call.hasTable(2, rows: bins.entries / 256 + 1)
    else { return nil }
    return Self(bins: bins, planes: planes, usesLuma: usesLuma, format: format)
  }

  func paint(_ arguments: TwinArguments, _ source: TextureMemory, _ destination: TextureMemory) {
    switch format.bytesPerSample {
    case 1: apply(UInt8.self, arguments.texture(2), source, destination)
    default: apply(UInt16.self, arguments.texture(2), source, destination)
    }
  }

  private func apply<Sample: UnsignedSample>(
    _ type: Sample.Type, _ table: TextureMemory, _ source: TextureMemory, _ destination: TextureMemory
  ) {
    let values = outputs(type, table)
    let size = source.size
    let samples = source.pixelFormat.samplesPerPixel
    let plane = Int(Sample.max) + 1
    unsafe values.withUnsafeBufferPointer { values in
      unsafe source.withSamples(of: type) { source in
        unsafe destination.withMutableSamples(of: type) { destination in
          let (source, destination) = unsafe (source, destination)
          let pixels = size.width * samples
          RowBands(size).concurrently { _, rows in
            let range = rows.lowerBound * pixels..<rows.upperBound * pixels
            if usesLuma {
              unsafe applyLuma(values, source, destination, range)
            } else if samples < 4 {
              for index in range {
                let (channel, value) = unsafe (index % samples, source[index])
                unsafe destination[index] = unsafe channel < planes ? values[channel * plane + Int(value)] : value
              }
            } else {
              unsafe applyEach(values, source, destination, range)
            }
          }
        }
      }
    }
  }

  private func applyEach<Sample: UnsignedSample>(
    _ values: UnsafeBufferPointer<Sample>, _ source: UnsafeBufferPointer<Sample>,
    _ destination: UnsafeMutableBufferPointer<Sample>, _ range: Range<Int>
  ) {
    let plane = Int(Sample.max) + 1
    for pixel in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
      unsafe destination[pixel] = unsafe values[Int(source[pixel])]
      unsafe destination[pixel + 1] = unsafe values[plane + Int(source[pixel + 1])]
      unsafe destination[pixel + 2] = unsafe values[2 * plane + Int(source[pixel + 2])]
      let alpha = unsafe source[pixel + 3]
      unsafe destination[pixel + 3] = unsafe planes == 4 ? values[3 * plane + Int(alpha)] : alpha
    }
  }

  private func applyLuma<Sample: UnsignedSample>(
    _ values: UnsafeBufferPointer<Sample>, _ source: UnsafeBufferPointer<Sample>,
    _ destination: UnsafeMutableBufferPointer<Sample>, _ range: Range<Int>
  ) {
    let maximum = Int32(Sample.max)
    for pixel in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
      let luma = unsafe LumaWeights.bt601.luma(
        UInt32(source[pixel]), UInt32(source[pixel + 1]), UInt32(source[pixel + 2]))
      let shift = unsafe Int32(values[Int(luma)]) - Int32(luma)
      for channel in pixel..<pixel + 3 {
        unsafe destination[channel] = unsafe Sample(min(max(Int32(source[channel]) + shift, 0), maximum))
      }
      unsafe destination[pixel + 3] = unsafe source[pixel + 3]
    }
  }

  /// Returns the output for each sample value, plane after plane: the entry of its bin, or the value itself.
  private func outputs<Sample: UnsignedSample>(_ type: Sample.Type, _ table: TextureMemory) -> [Sample] {
    let count = Int(Sample.max) + 1
    return unsafe table.withSamples(of: UInt16.self) { table in
      unsafe [Sample](unsafeUninitializedCapacity: planes * count) { values, initialized in
        for plane in 0..<planes {
          let isEmpty = unsafe table[bins.entries * 4 + plane] != 0
          for value in 0..<count {
            let entry = unsafe table[bins.bin(UInt32(value), plane: plane) * 4 + plane]
            unsafe values.initializeElement(
              at: plane * count + value, to: isEmpty ? Sample(value) : Sample(truncatingIfNeeded: entry))
          }
        }
        initialized = planes * count
      }
    }
  }
}

/// `equalization_gain.glsl`: looks up levels for the luma of ffmpeg's histeq.
struct LevelLookUp: PointFunction {
  var format: PixelFormat

  static let shaders = [ShaderSource.equalizationGain]
  private var luma: Int { format.samplesPerPixel == 4 ? CountedLuma.histeq.rawValue : 0 }
  var constants: [ShaderAssembly.Constant] { [.init("COUNTS_LUMA", luma)] }
  var arguments: [ShaderArgument] { [.sampledTexture(2)] }

  static func captured(_ call: CapturedCall, _ format: PixelFormat) -> Self? {
    let function = Self(format: format)
    let isKnown = format.depth == .bits8 && call["COUNTS_LUMA", 0...2] == function.luma && call.hasTable(2, rows: 2)
    return isKnown ? function : nil
  }

  func paint(_ arguments: TwinArguments, _ source: TextureMemory, _ destination: TextureMemory) {
    let table = LevelTable(arguments.texture(2))
    let isGray = source.pixelFormat.samplesPerPixel < 4
    walkPixels(from: source, to: destination) { pixel, _ in
      let color = SIMD4<UInt32>(truncatingIfNeeded: pixel)
      var result = color
      if isGray {
        result.x = table.atLevel(SIMD4(repeating: color.x), color.x).x
      } else {
        result = table.atLevel(color, CountedLuma.histeq.luma(color.x, color.y, color.z))
        result.w = color.w
      }
      return SIMD4(truncatingIfNeeded: result)
    }
  }
}

/// The levels for lumas in a table that was made by ``ImageHistogramEqualization/Rule/ffmpeg``.
private struct LevelTable {
  /// The levels, negative ones in two's complement.
  private let levels: [UInt32]
  private let isEmpty: Bool

  init(_ table: TextureMemory) {
    (levels, isEmpty) = unsafe table.withSamples(of: UInt16.self) { table in
      let levels = (0..<256).map { luma in
        unsafe UInt32(bitPattern: Int32(Int16(bitPattern: table[luma * 4])))
      }
      return unsafe (levels, table[256 * 4] != 0)
    }
  }

  /// Returns `color` with its `luma` at the level of the table, with products modulo 2³² like ffmpeg's.
  @inline(__always)
  func atLevel(_ color: SIMD4<UInt32>, _ luma: UInt32) -> SIMD4<UInt32> {
    if luma == 0 { return isEmpty ? color : .zero }
    let level = levels[Int(luma)]
    let brightest = max(color.x, color.y, color.z)
    if Int32(bitPattern: level) >= 0 && brightest &* level / luma > 255 { return color &* 255 / brightest }
    return (color &* level / luma) & 255
  }
}
