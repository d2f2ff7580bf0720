public import SafelightGLES
public import SafelightImage

/// One image of a texture in the CPU's memory.
///
/// The samples are copy-on-write arrays: uploads and readbacks of whole images copy nothing. Channels are in the order
/// red, green, blue, alpha in every format; transfers swap the bytes of `bgra8Unorm`.
@safe public final class TextureMemory {
  /// Columns and rows of the image.
  public let size: Size
  /// The format of a pixel.
  public let pixelFormat: PixelFormat
  /// The shape of the whole texture.
  public let descriptor: TextureDescriptor

  private let images: TextureImages
  private let level: Int
  private let slice: Int

  /// Makes all images of a texture, filled with zeros.
  package convenience init(_ descriptor: TextureDescriptor) {
    self.init(descriptor, TextureImages(descriptor), level: 0, slice: 0)
  }

  private init(_ descriptor: TextureDescriptor, _ images: TextureImages, level: Int, slice: Int) {
    self.descriptor = descriptor
    self.images = images
    self.level = level
    self.slice = slice
    size = images.descriptor.size(atLevel: level)
    pixelFormat = descriptor.pixelFormat
  }

  /// Returns the same pixels as another texture, whose first image is at `level` and `slice` of this one.
  func view(_ descriptor: TextureDescriptor, level: Int, slice: Int) -> TextureMemory {
    TextureMemory(descriptor, images, level: self.level + level, slice: self.slice + slice)
  }

  /// Returns another image of the texture, `level` levels below this one and `slice` slices after it.
  public func image(level: Int = 0, slice: Int = 0) -> TextureMemory { view(descriptor, level: level, slice: slice) }

  func sharesMemory(with other: TextureMemory) -> Bool { images === other.images }

  /// The samples, row by row.
  package var bytes: [UInt8] {
    get { images.bytes[images.index(level: level, slice: slice)] }
    _modify { yield &images.bytes[images.index(level: level, slice: slice)] }
  }

  /// Notes that somebody else also holds the samples, so that the next write copies them.
  func share() { images.shared.insert(images.index(level: level, slice: slice)) }

  /// Call before writing all samples: replaces samples that somebody else also holds instead of copying them.
  package func beginOverwriting() {
    guard images.shared.remove(images.index(level: level, slice: slice)) != nil else { return }
    let count = bytes.count
    bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { memory, initialized in
      #if DEBUG
        // Shows samples that a twin forgets to write.
        unsafe memory.update(repeating: 0xA5)
      #endif
      initialized = count
    }
  }

  /// Fills all images with zeros, in place unless somebody else holds them.
  func erase() {
    for index in images.bytes.indices {
      unsafe images.bytes[index].withUnsafeMutableBytes { _ = unsafe $0.initializeMemory(as: UInt8.self, repeating: 0) }
    }
  }

  var bytesPerRow: Int { size.width * pixelFormat.bytesPerPixel }

  /// The place of a pixel with one sample in ``bytes``.
  func offset(_ x: Int, _ y: Int) -> Int { (y * size.width + x) * pixelFormat.bytesPerPixel }

  /// Reads all samples, row by row, as integers or floats of the format's width.
  public func withSamples<Sample: BitwiseCopyable, Result>(
    of type: Sample.Type, _ body: (UnsafeBufferPointer<Sample>) throws -> Result
  ) rethrows -> Result {
    unsafe try bytes.withUnsafeBytes { unsafe try body($0.bindMemory(to: type)) }
  }

  /// Writes samples, row by row.
  public func withMutableSamples<Sample: BitwiseCopyable, Result>(
    of type: Sample.Type, _ body: (UnsafeMutableBufferPointer<Sample>) throws -> Result
  ) rethrows -> Result {
    unsafe try bytes.withUnsafeMutableBytes { unsafe try body($0.bindMemory(to: type)) }
  }
}

/// The samples of all images of a texture, shared by its views.
private final class TextureImages {
  let descriptor: TextureDescriptor
  var bytes: [[UInt8]]
  /// The images whose samples somebody else also holds, unless they were written since.
  var shared: Set<Int> = []

  init(_ descriptor: TextureDescriptor) {
    self.descriptor = descriptor
    bytes = (0..<descriptor.mipmapLevelCount).flatMap { level in
      let count = descriptor.size(atLevel: level).area * descriptor.pixelFormat.bytesPerPixel * descriptor.sampleCount
      return (0..<descriptor.sliceCount()).map { _ in [UInt8](repeating: 0, count: count) }
    }
  }

  func index(level: Int, slice: Int) -> Int { level * descriptor.sliceCount() + slice }
}

extension TextureMemory {
  /// Returns the result of `texture()` at (`u`, `v`), from 0 to 1 over the image, on mipmap level `level` (ES 3.2
  /// §8.14).
  ///
  /// Drivers weight neighbors with about 8 bits, so filtered 8-bit results agree within 1. Anisotropy is ignored.
  public func sample(_ sampler: SamplerDescriptor, _ u: Float, _ v: Float, level: Float = 0) -> SIMD4<Float> {
    let last = Float(descriptor.mipmapLevelCount - 1)
    let level = level.isNaN ? 0 : max(0, min(last, max(sampler.lodMinClamp, min(sampler.lodMaxClamp, level))))
    let filter = level > 0 ? sampler.minFilter : sampler.magFilter
    switch sampler.mipFilter {
    case .notMipmapped: return sample(sampler, filter, u, v)
    case .nearest: return image(level: Int(level.rounded(.toNearestOrAwayFromZero))).sample(sampler, filter, u, v)
    case .linear:
      let lower = Int(level)
      let weight = level - Float(lower)
      let first = image(level: lower).sample(sampler, filter, u, v)
      guard weight > 0 else { return first }
      let second = image(level: lower + 1).sample(sampler, filter, u, v)
      return first + (second - first) * weight
    }
  }

  private func sample(
    _ sampler: SamplerDescriptor, _ filter: SamplerDescriptor.Filter, _ u: Float, _ v: Float
  ) -> SIMD4<Float> {
    let (x, y) = (place(u, size.width), place(v, size.height))
    guard filter == .linear else { return texel(sampler, Int(x.rounded(.down)), Int(y.rounded(.down))) }
    let (left, top) = ((x - 0.5).rounded(.down), (y - 0.5).rounded(.down))
    let (right, bottom) = (x - 0.5 - left, y - 0.5 - top)
    let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map { texel(sampler, Int(left) + $0, Int(top) + $1) }
    switch sampler.reduction {
    case .weightedAverage:
      let upper = corners[0] + (corners[1] - corners[0]) * right
      let lower = corners[2] + (corners[3] - corners[2]) * right
      return upper + (lower - upper) * bottom
    case .minimum: return corners.dropFirst().reduce(corners[0]) { $0.replacing(with: $1, where: $1 .< $0) }
    case .maximum: return corners.dropFirst().reduce(corners[0]) { $0.replacing(with: $1, where: $1 .> $0) }
    }
  }

  /// Converts a coordinate to pixels; NaN and places far outside become arbitrary pixels.
  private func place(_ coordinate: Float, _ count: Int) -> Float {
    coordinate.isNaN ? 0 : max(-1e9, min(1e9, coordinate * Float(count)))
  }

  /// Returns the pixel at a place that may be beyond an edge.
  private func texel(_ sampler: SamplerDescriptor, _ x: Int, _ y: Int) -> SIMD4<Float> {
    guard let column = sampler.sAddressMode.index(x, count: size.width),
      let row = sampler.tAddressMode.index(y, count: size.height)
    else { return SIMD4(sampler.borderColor.value) }
    return texel(column, row)
  }
}

extension SamplerDescriptor.AddressMode {
  /// Returns which of `count` pixels is at `index`; nil for the border.
  fileprivate func index(_ index: Int, count: Int) -> Int? {
    switch self {
    case .clampToEdge: return max(0, min(count - 1, index))
    case .repeat: return (index % count + count) % count
    case .mirrorRepeat:
      let place = (index % (2 * count) + 2 * count) % (2 * count)
      return place < count ? place : 2 * count - 1 - place
    case .clampToBorderColor: return (0..<count).contains(index) ? index : nil
    }
  }
}

extension TextureMemory {
  /// Returns the result of `texelFetch` at (`x`, `y`), swizzled: values from 0 to 1 in normalized formats, sample
  /// values in others. Channels that the format lacks are 0, alpha 1 (ES 3.2 §15.2.1).
  public func texel(_ x: Int, _ y: Int) -> SIMD4<Float> {
    // A stencil beside a depth is not a channel.
    let values = numbers(at: offset(x, y), pixelFormat.isColor ? 4 : 1)
    return descriptor.swizzle == [.red, .green, .blue, .alpha] ? values : swizzled(values)
  }

  /// Sets the pixel at (`x`, `y`), rounded to nearest; normalized formats clamp to 0 to 1.
  public func setTexel(_ value: SIMD4<Float>, _ x: Int, _ y: Int) {
    let first = offset(x, y)
    for channel in 0..<pixelFormat.samplesPerPixel {
      setBits(pixelFormat.bits(ofNumber: value[channel]), at: first + channel * pixelFormat.bytesPerSample)
    }
  }

  /// Returns the first `limit` channels of the pixel at byte `offset`; those that the format lacks are 0, alpha 1.
  func numbers(at offset: Int, _ limit: Int = 4) -> SIMD4<Float> {
    var numbers = SIMD4<Float>(0, 0, 0, 1)
    for channel in 0..<min(limit, pixelFormat.samplesPerPixel) {
      numbers[channel] = pixelFormat.number(ofBits: bits(at: offset + channel * pixelFormat.bytesPerSample))
    }
    return numbers
  }

  /// Returns the sample at byte `offset`.
  func bits(at offset: Int) -> UInt32 {
    unsafe withSamples(of: UInt8.self) { bytes in
      var bits: UInt32 = 0
      for byte in 0..<pixelFormat.bytesPerSample { unsafe bits |= UInt32(bytes[offset + byte]) << UInt32(8 * byte) }
      return bits
    }
  }

  /// Sets the sample at byte `offset`.
  func setBits(_ bits: UInt32, at offset: Int) {
    unsafe withMutableSamples(of: UInt8.self) { bytes in
      for byte in 0..<pixelFormat.bytesPerSample {
        unsafe bytes[offset + byte] = UInt8(truncatingIfNeeded: bits >> UInt32(8 * byte))
      }
    }
  }

  private func swizzled(_ values: SIMD4<Float>) -> SIMD4<Float> {
    var result = SIMD4<Float>()
    for (channel, swizzle) in descriptor.swizzle.prefix(4).enumerated() {
      result[channel] =
        switch swizzle {
        case .red: values[0]
        case .green: values[1]
        case .blue: values[2]
        case .alpha: values[3]
        case .zero: 0
        case .one: 1
        }
    }
    return result
  }
}

extension PixelFormat {
  /// Returns the number that a function reads for a sample: 0 to 1 in normalized formats, the value in others.
  func number(ofBits bits: UInt32) -> Float {
    switch (sampleKind, bytesPerSample) {
    case (.float, 2): Self.float(halfBits: UInt16(truncatingIfNeeded: bits))
    case (.float, _), (.depth, 4): Float(bitPattern: bits)
    case (.normalized, _), (.depth, _): Float(bits) / Float(maximum)
    case (.integer, _), (.stencil, _): Float(bits)
    }
  }

  /// Returns the sample nearest to a number; integers drop its fraction.
  func bits(ofNumber number: Float) -> UInt32 {
    switch (sampleKind, bytesPerSample) {
    case (.float, 2): UInt32(Self.halfBits(number))
    case (.float, _), (.depth, 4): number.bitPattern
    case (.integer, _): UInt32(max(0, min(Double(maximum), Double(number))))
    default: UInt32(sample(normalized: number))
    }
  }
}

/// A buffer in the CPU's memory, from its bound offset on.
@safe public final class BufferMemory {
  let host: HostMemory
  private let range: Range<Int>

  init(_ host: HostMemory, range: Range<Int>) {
    self.host = host
    self.range = range
  }

  /// A part of the bytes.
  subscript(_ part: Range<Int>) -> UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[part])
  }

  /// Returns the same bytes from `offset` on.
  func from(_ offset: Int) -> BufferMemory {
    offset == 0 ? self : BufferMemory(host, range: range.lowerBound + offset..<range.upperBound)
  }

  /// The bytes, valid as long as the buffer.
  var bytes: UnsafeMutableRawBufferPointer { unsafe UnsafeMutableRawBufferPointer(rebasing: host.bytes[range]) }

  /// Reads and writes the buffer as 32-bit words.
  public func withWords<Result>(_ body: (UnsafeMutableBufferPointer<UInt32>) throws -> Result) rethrows -> Result {
    unsafe try body(bytes.bindMemory(to: UInt32.self))
  }

  convenience init(copying bytes: [UInt8]) {
    let host = HostMemory(length: bytes.count)
    unsafe host.bytes.copyBytes(from: bytes)
    self.init(host, range: 0..<bytes.count)
  }

  var length: Int { unsafe bytes.count }

  /// One to four bytes in host order.
  func integer(at offset: Int, length: Int) -> UInt32 {
    (0..<length).reversed().reduce(0) { unsafe $0 << 8 | UInt32(bytes[offset + $1]) }
  }
}
