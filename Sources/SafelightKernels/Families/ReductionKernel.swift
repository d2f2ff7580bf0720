public import SafelightGPU
public import SafelightImage
public import SafelightShaders

/// A kernel that makes a few numbers of a picture and leaves the picture as it is.
///
/// The device reduces blocks of 16×16 pixels to a word for each channel, and the CPU joins the blocks in 64 bits, so
/// that nothing depends on an order. The family has the function, tiles, the twin's loop and the readback.
public protocol ReductionKernel: ImageKernel {
  /// The body, which defines `uvec4 reduced(uvec4 value, uvec4 pixel)` and starts from zeros. By default this package's
  /// file with the kernel's name.
  static var shader: ShaderText { get }

  /// The pixels whose colors are reduced, where alpha is straight; alpha always is. All by default.
  var counts: CountedPixels { get }

  /// The body in Swift.
  static func reduced(_ value: SIMD4<UInt32>, _ pixel: SIMD4<UInt32>) -> SIMD4<UInt32>

  /// Joins the values of two blocks, or of blocks that were joined.
  static func joined(_ one: SIMD4<UInt64>, _ other: SIMD4<UInt64>) -> SIMD4<UInt64>

  /// Returns a channel's number from the joined `value` of its blocks, made of `count` pixels, at least one, with
  /// samples up to `maximum`.
  static func number(_ value: UInt64, count: Int, maximum: Int) -> Double

  /// The loop over the body, which the family provides.
  static func reduce(_ source: TextureMemory, into words: BufferMemory, countsVisible: Bool)
}

/// The columns and rows of a block.
private let block = 16

extension Size {
  /// The blocks of a picture of this size.
  fileprivate var blocks: Size { dividedCovering(Size(block, block)) }
}

extension ReductionKernel {
  /// This package's file with the kernel's name.
  public static var shader: ShaderText { card.shader }
  /// All.
  public var counts: CountedPixels { .all }
  /// One form: a dispatch over blocks.
  public static var forms: [KernelForm] { [.automatic] }

  /// Adds the twin of the kernel's function.
  public static func addTwins(to twins: inout TwinLibrary) { twins.add(ReductionFunction<Self>.self) }

  /// Integers of 8 and of 16 bits, without two channels.
  public static var formats: [PixelFormat] { PixelFormat.pictureFormats }

  /// A requirement, so that each kernel gets a loop with its body inlined.
  public static func reduce(_ source: TextureMemory, into words: BufferMemory, countsVisible: Bool) {
    switch source.pixelFormat.bytesPerSample {
    case 1: reduceBlocks(Self.self, UInt8.self, of: source, into: words, countsVisible)
    case 2: reduceBlocks(Self.self, UInt16.self, of: source, into: words, countsVisible)
    default: trap("kernels take samples of 8 and of 16 bits, not \(source.pixelFormat.rawValue)")
    }
  }

  /// The unchanged picture, and a measurement of it.
  public func makeStage(on device: Device, form: KernelForm) -> any ImageStage { ReductionStage(kernel: self) }

  /// Returns the number of bytes that ``encode(to:source:into:offset:)`` writes.
  public func byteCount(of source: Texture) -> Int { function(for: source, counts).byteCount(of: source) }

  /// Records the reduction of `source` into `memory`: for each block, row by row, a 32-bit word for each channel, and
  /// behind them the number of visible pixels if only those of four channels count.
  public func encode(to buffer: CommandBuffer, source: Texture, into memory: Buffer, offset: Int = 0) {
    encode(function(for: source, counts), to: buffer, source: source, into: memory, offset: offset)
  }

  fileprivate func function(for source: Texture, _ pixels: CountedPixels) -> ReductionFunction<Self> {
    ReductionFunction(format: source.pixelFormat, countsVisible: pixels.countsVisible(of: source.pixelFormat))
  }

  fileprivate func encode(
    _ function: ReductionFunction<Self>, to buffer: CommandBuffer, source: Texture, into memory: Buffer, offset: Int
  ) {
    Self.checkFormat(of: source)
    let length = function.byteCount(of: source)
    trap(
      unless: offset >= 0 && offset % 4 == 0 && offset + length <= memory.length,
      "\(Self.card.name): buffer '\(memory.label)' of \(memory.length) bytes has no room for \(length) bytes from "
        + "byte \(offset) on")
    buffer.compute(Self.card.name) { encoder in
      encoder.setComputePipelineState(function.computePipeline)
      encoder.setTexture(source, index: 0)
      encoder.setBuffer(memory, offset: offset, index: 1)
      encoder.dispatchThreads(source.size.blocks, threadsPerThreadgroup: Size(8, 8))
    }
  }
}

/// The function of a reduction.
private struct ReductionFunction<Kernel: ReductionKernel>: KernelFunction {
  let format: PixelFormat
  let countsVisible: Bool

  /// The words of a block.
  var words: Int { format.samplesPerPixel + (countsVisible ? 1 : 0) }
  func byteCount(of source: Texture) -> Int { source.size.blocks.area * words * 4 }

  static var shaders: [ShaderSource] { [] }
  static var names: [String] { [Kernel.card.functionName] }
  var assembly: ShaderAssembly {
    ShaderAssembly([ShaderText(.pixels), Kernel.shader, ShaderText(.reduction)], constants: constants)
  }
  var constants: [ShaderAssembly.Constant] {
    [
      .init("BLOCK", block), .init("CHANNELS", format.samplesPerPixel), .init("COUNTS_VISIBLE", countsVisible),
    ] + format.sampleConstants
  }
  var arguments: [ShaderArgument] { [.sampledTexture(0), .storageBuffer(1)] }

  static func captured(_ call: CapturedCall) -> Self? {
    guard let source = call.texture(0), case let format = source.pixelFormat, Kernel.formats.contains(format),
      call["BLOCK", block...block] != nil, call["CHANNELS", 1...4] == format.samplesPerPixel,
      call["SAMPLE_BITS", 8...16] == format.bytesPerSample * 8, call.arguments.grid == source.size.blocks,
      let countsVisible = call.countsVisible(of: format),
      case let function = Self(format: format, countsVisible: countsVisible),
      call.wordCount(1) >= source.size.blocks.area * function.words
    else { return nil }
    return function
  }

  func run(_ arguments: TwinArguments) {
    Kernel.reduce(arguments.texture(0), into: arguments.buffer(1), countsVisible: countsVisible)
  }
}

private struct ReductionStage<Kernel: ReductionKernel>: ImageStage, StageMeasurement {
  let kernel: Kernel

  var measurement: (any StageMeasurement)? { self }
  var name: String { Kernel.card.name }

  func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor { try kernel.output(of: image) }

  func encode(to buffer: CommandBuffer, source: TiledTexture, input: StageInput?, destination: TiledTexture) {
    for tile in destination.tiles { source.encodeCopy(of: tile.region, to: tile.texture, in: buffer) }
  }

  private func counts(_ mayHidePixels: Bool) -> CountedPixels { mayHidePixels ? kernel.counts : .all }

  func byteCount(of source: TiledTexture) -> Int {
    source.tiles.reduce(0) { sum, tile in
      sum + kernel.function(for: tile.texture, counts(source.mayHidePixels)).byteCount(of: tile.texture)
    }
  }

  func encode(to buffer: CommandBuffer, source: TiledTexture, into memory: Buffer, offset: Int) {
    var offset = offset
    for tile in source.tiles {
      let function = kernel.function(for: tile.texture, counts(source.mayHidePixels))
      kernel.encode(function, to: buffer, source: tile.texture, into: memory, offset: offset)
      offset += function.byteCount(of: tile.texture)
    }
  }

  func values(_ bytes: [UInt8], of image: ImageDescriptor) -> [(name: String, value: Double)] {
    let channels = image.pixelFormat.samplesPerPixel
    let countsVisible = counts(image.mayHidePixels).countsVisible(of: image.pixelFormat)
    let words = unsafe bytes.withUnsafeBytes { unsafe $0.bindMemory(to: UInt32.self).map(UInt64.init) }
    var whole = SIMD4<UInt64>()
    var visible = countsVisible ? 0 : image.size.area
    for first in stride(from: 0, to: words.count, by: channels + (countsVisible ? 1 : 0)) {
      var value = SIMD4<UInt64>()
      for channel in 0..<channels { value[channel] = words[first + channel] }
      whole = first == 0 ? value : Kernel.joined(whole, value)
      if countsVisible { visible += Int(words[first + channels]) }
    }
    let names = image.channels.isGray ? ["gray", "", "", "alpha"] : ["red", "green", "blue", "alpha"]
    return image.channels.sampleIndices.compactMap { channel in
      let count = channel == 3 ? image.size.area : visible
      // Colors of which none is seen have no number.
      if count == 0 { return nil }
      return (names[channel], Kernel.number(whole[channel], count: count, maximum: image.pixelFormat.maximum))
    }
  }
}

/// Reduces every block of `source` by `kernel`.
private func reduceBlocks<Kernel: ReductionKernel, Sample: UnsignedSample>(
  _ kernel: Kernel.Type, _ type: Sample.Type, of source: TextureMemory, into memory: BufferMemory,
  _ countsVisible: Bool
) {
  let (size, blocks, channels) = (source.size, source.size.blocks, source.pixelFormat.samplesPerPixel)
  let words = unsafe memory.words
  let wordsPerBlock = channels + (countsVisible ? 1 : 0)
  unsafe source.withSamples(of: type) { samples in
    RowBands(0..<blocks.height, width: size.width * block).concurrently { _, band in
      for row in band {
        let rows = row * block..<min((row + 1) * block, size.height)
        for column in 0..<blocks.width {
          var value = SIMD4<UInt32>()
          var visible: UInt32 = 0
          for y in rows {
            let line = y * size.width
            for x in column * block..<min((column + 1) * block, size.width) {
              let place = (line + x) * channels
              let pixel =
                channels == 4
                ? unsafe SIMD4<UInt32>(reading: samples, at: place)
                : unsafe SIMD4(UInt32(samples[place]), 0, 0, 0)
              let reduced = kernel.reduced(value, pixel)
              if countsVisible && pixel.w == 0 {
                value.w = reduced.w
              } else {
                value = reduced
                visible += 1
              }
            }
          }
          let first = (row * blocks.width + column) * wordsPerBlock
          for channel in 0..<channels { unsafe words[first + channel] = value[channel] }
          if countsVisible { unsafe words[first + channels] = visible }
        }
      }
    }
  }
}
