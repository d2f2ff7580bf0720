internal import SafelightImage

/// A region of a picture that is turned upright and scaled; the twin of `image_sampling.glsl`.
struct ScaledPicture {
  private let columns: [SampleSpan]
  private let rows: [SampleSpan]
  private let scale: SIMD4<UInt32>
  private let isGray: Bool
  /// Samples from the first in memory to upright (0, 0), then to the next upright column, and to the next row.
  private let first: Int
  private let columnStep: Int
  private let rowStep: Int

  /// Reads the pixels of `source` that `region` of the result needs.
  init(
    _ block: RenderFunction.Block, _ filter: ImageRenderer.Filter?, of source: PictureMemory, for region: Region,
    isGray: Bool, isDeep: Bool
  ) {
    let (turn, extent, width) = (block.turn, block.extent, source.region.size.width)
    scale = block.scale
    columns = block.spans(from: region.x, count: region.size.width, axis: 0, filter, isDeep: isDeep)
    rows = block.spans(from: region.y, count: region.size.height, axis: 1, filter, isDeep: isDeep)
    self.isGray = isGray
    let channels = source.step
    first = channels * (Int(extent.x) - source.region.x + width * (Int(extent.y) - source.region.y))
    columnStep = channels * (Int(turn.x) + width * Int(turn.z))
    rowStep = channels * (Int(turn.y) + width * Int(turn.w))
  }

  /// Returns the pixel that a center falls into.
  @inline(__always)
  func nearest<Sample: UnsignedSample>(_ samples: UnsafeBufferPointer<Sample>, _ x: Int, _ y: Int) -> SIMD4<UInt32> {
    unsafe upright(samples, columns[x].low, rows[y].low)
  }

  /// Returns the weighted mean of four pixels.
  @inline(__always)
  func linear<Sample: UnsignedSample>(
    _ samples: UnsafeBufferPointer<Sample>, _ x: Int, _ y: Int, isWeighted: Bool
  ) -> SIMD4<UInt32> {
    let (column, row) = (columns[x], rows[y])
    let isDeep = Sample.bitWidth == 16
    func summand(_ x: Int, _ y: Int) -> SIMD4<UInt32> {
      let pixel = unsafe upright(samples, x, y)
      guard isWeighted else { return pixel }
      if isDeep { return pixel.premultiplied(Sample.self) }
      var product = pixel &* SIMD4(repeating: pixel.w)
      product.w = pixel.w
      return product
    }
    let upper = column.weigh(summand(column.low, row.low), summand(column.high, row.low))
    let lower = column.weigh(summand(column.low, row.high), summand(column.high, row.high))
    if isDeep {
      let halves = row.weigh(upper & 65535, lower & 65535)
      let mean = (row.weigh(upper &>> 16, lower &>> 16) &+ halves &>> 16 &+ 32768) &>> 16
      return isWeighted ? mean.averaged(Sample.self) : mean
    }
    let sum = row.weigh(upper, lower)
    guard isWeighted else { return (sum &+ 32768) &>> 16 }
    if sum.w == 0 { return .zero }
    var made = (sum &+ sum.w / 2) / sum.w
    made.w = (sum.w + 32768) >> 16
    return made
  }

  /// Returns the mean of an area.
  @inline(__always)
  func area<Sample: UnsignedSample>(
    _ samples: UnsafeBufferPointer<Sample>, _ x: Int, _ y: Int, isWeighted: Bool
  ) -> SIMD4<UInt32> {
    let spareBits = UInt32(16 - Sample.bitWidth)
    let (column, row) = (columns[x], rows[y])
    var sum = SIMD4<UInt32>()
    for v in row.low...row.high {
      var line = SIMD4<UInt32>()
      for u in column.low...column.high {
        let pixel = unsafe upright(samples, u, v)
        let summand = isWeighted ? pixel.premultiplied(Sample.self) : pixel &<< SIMD4(repeating: spareBits)
        line = line &+ summand &* SIMD4(repeating: column.weight(of: u, inner: scale.y))
      }
      let mean = (line &+ scale.x / 2) / scale.x
      sum = sum &+ mean &* SIMD4(repeating: row.weight(of: v, inner: scale.w))
    }
    let mean = (sum &+ scale.z / 2) / scale.z
    if isWeighted { return mean.averaged(Sample.self) }
    return (mean &+ (1 << spareBits) / 2) &>> SIMD4(repeating: spareBits)
  }

  /// Returns a pixel of the source; gray becomes opaque red, green and blue.
  @inline(__always)
  private func upright<Sample: UnsignedSample>(
    _ samples: UnsafeBufferPointer<Sample>, _ x: Int, _ y: Int
  ) -> SIMD4<UInt32> {
    let index = first + x * columnStep + y * rowStep
    guard isGray else { return unsafe SIMD4(reading: samples, at: index) }
    let gray = unsafe UInt32(samples[index])
    return SIMD4(gray, gray, gray, UInt32(Sample.max))
  }
}

extension SIMD4<UInt32> {
  /// Returns colors times alpha, and alpha, in 16 bits, of which 256 stand for a level of 8 bits.
  @inline(__always)
  fileprivate func premultiplied<Sample: UnsignedSample>(_ type: Sample.Type) -> Self {
    let (maximum, alpha) = (UInt32(Sample.max), w << UInt32(16 - Sample.bitWidth))
    var made = (self &* Self(repeating: alpha) &+ maximum / 2) / maximum
    made.w = alpha
    return made
  }

  /// Returns the pixel of a mean of such pixels.
  @inline(__always)
  fileprivate func averaged<Sample: UnsignedSample>(_ type: Sample.Type) -> Self {
    if w == 0 { return .zero }
    let (maximum, spareBits) = (UInt32(Sample.max), UInt32(16 - Sample.bitWidth))
    var made = (self &* Self(repeating: maximum) &+ w / 2) / w
    made.clamp(lowerBound: .zero, upperBound: Self(repeating: maximum))
    made.w = (w + (1 << spareBits) / 2) >> spareBits
    return made
  }
}

extension RenderFunction.Block {
  /// Returns the spans of pixels of a result along an axis.
  func spans(
    from first: Int, count: Int, axis: Int, _ filter: ImageRenderer.Filter?, isDeep: Bool
  ) -> [SampleSpan] {
    (0..<count).map { place in
      SampleSpan(
        UInt32(first - Int(corner[axis]) + place), filter, from: scale[2 * axis], to: scale[2 * axis + 1],
        last: UInt32(extent[2 + axis]), isDeep: isDeep)
    }
  }
}

/// The pixels along one axis from which a pixel is made.
struct SampleSpan {
  let low: Int
  let high: Int
  private let lowWeight: UInt32
  let highWeight: UInt32

  /// The pixels, from 0 to `last`, for pixel `index` if `from` pixels become `to`; weights of samples of 16 bits are
  /// finer.
  init(
    _ index: UInt32, _ filter: ImageRenderer.Filter?, from: UInt32, to: UInt32, last: UInt32, isDeep: Bool = false
  ) {
    let center = (2 * index + 1) * from
    switch filter {
    case nil: self.init(index, index, 1, 0)
    case .nearest: self.init(center / (2 * to), center / (2 * to), 1, 0)
    case .linear:
      let position = max(center, to) - to
      let low = position / (2 * to)
      let whole: UInt64 = isDeep ? 65536 : 256
      let (part, rest) = (whole * UInt64(position % (2 * to))).quotientAndRemainder(dividingBy: UInt64(2 * to))
      let weight = UInt32(rest + part % 2 > to ? part + 1 : part)
      self.init(low, min(low + 1, last), UInt32(whole) - weight, weight)
    case .area:
      let (begin, end) = (index * from, (index + 1) * from)
      let (low, high) = (begin / to, (end - 1) / to)
      self.init(low, high, min((low + 1) * to, end) - begin, end - high * to)
    }
  }

  private init(_ low: UInt32, _ high: UInt32, _ lowWeight: UInt32, _ highWeight: UInt32) {
    self.low = Int(low)
    self.high = Int(high)
    self.lowWeight = lowWeight
    self.highWeight = highWeight
  }

  @inline(__always)
  func weigh(_ a: SIMD4<UInt32>, _ b: SIMD4<UInt32>) -> SIMD4<UInt32> {
    a &* SIMD4(repeating: lowWeight) &+ b &* SIMD4(repeating: highWeight)
  }

  /// Returns the weight of a pixel of the span; `inner` is that of a pixel wholly inside.
  @inline(__always)
  func weight(of pixel: Int, inner: UInt32) -> UInt32 { pixel == low ? lowWeight : pixel == high ? highWeight : inner }
}
