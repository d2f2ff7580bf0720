internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// `histogram.glsl`: counts samples.
struct HistogramFunction: BuiltInPassFunction {
  /// The rule by which samples are sorted into entries; the raw value is `BINS`.
  enum Sorting: Int {
    /// Each value is an entry.
    case values
    /// Over a range.
    case range
    /// Over a range that is narrowed to that of the pixels, the second input.
    case measuredRange
    /// Of floats, by edges, the second input.
    case edges
  }

  private(set) var variant: HistogramVariant
  let planes: Int
  let entries: Int
  let sorting: Sorting
  /// Nil if samples are counted as they are.
  let luma: CountedLuma?
  let hasThreshold: Bool
  /// True if the colors of pixels of alpha 0 are left out.
  let countsVisible: Bool

  var name: String { "histogram_\(variant.rawValue)" }
  var body: ShaderText { ShaderText(.histogram) }
  var kind: Pass.Kind { .numbers(variant == .private ? .lanes : .columns) }

  var constants: [ShaderAssembly.Constant] {
    [
      .init("ENTRIES", entries), .init("BINS", sorting.rawValue), .init("PLANES", planes),
      .init("COUNTS_LUMA", luma?.rawValue ?? 0), .init("HAS_THRESHOLD", hasThreshold),
      .init("COUNTS_VISIBLE", countsVisible), .init("IS_FLOAT", sorting == .edges),
      .init("COUNTS_PRIVATELY", variant == .private), .init("COUNTS_TOGETHER", variant == .shared),
    ]
  }

  func variant(on device: DeviceInfo) -> Self {
    var function = self
    function.variant = variant.resolved(planes: planes, entries: entries, device: device)
    return function
  }

  var variants: [Self] {
    [HistogramVariant.private, .shared, .global].map { variant in
      var function = self
      function.variant = variant
      return function
    }
  }

  // MARK: Twin

  func make(_ memory: PassMemory) {
    switch (memory.inputs[0].pixelFormat.sampleKind, memory.inputs[0].pixelFormat.bytesPerSample) {
    case (.float, _): countFloats(memory)
    case (_, 1): count(UInt8.self, memory)
    default: count(UInt16.self, memory)
    }
  }

  private func countFloats(_ memory: PassMemory) {
    let (counts, threshold) = unsafe (memory.words, memory.block(BinsBlock.self).threshold)
    let halves = unsafe memory.inputs[1].entries()
    let edges = (0..<planes).map { plane in
      HistogramEdges(
        keys: (plane * entries..<(plane + 1) * entries).map { unsafe UInt32(halves[$0].x) | UInt32(halves[$0].y) << 16 }
      )
    }
    memory.forEachValue(channels: planes, visible: countsVisible) { key, plane in
      if key >= threshold[plane] { unsafe counts[plane * entries + edges[plane].bin(key)] &+= 1 }
    }
  }

  /// Returns the rule by which integers are sorted, and the least that are counted.
  private func bins(_ memory: PassMemory) -> (bins: HistogramBins, threshold: SIMD4<UInt32>) {
    if sorting == .values && !hasThreshold { return (HistogramBins(entries: entries, range: nil), .zero) }
    let block = memory.block(BinsBlock.self)
    var range: (low: SIMD4<UInt32>, high: SIMD4<UInt32>)? = (block.lowest, block.highest)
    if sorting == .values { range = nil }
    if sorting == .measuredRange {
      let extrema = ChannelExtrema(memory.inputs[1])
      let low = pointwiseMax(extrema.least(orNone: 0), block.lowest)
      range = (low, pointwiseMax(pointwiseMin(extrema.greatest, block.highest), low &+ 1))
    }
    return (HistogramBins(entries: entries, range: range), hasThreshold ? block.threshold : .zero)
  }

  /// Counts integers. The loops stand here because a closure that is called for each sample takes three times as long.
  private func count<Sample: UnsignedSample>(_ type: Sample.Type, _ memory: PassMemory) {
    let (bins, threshold) = bins(memory)
    let (source, region, counts) = unsafe (memory.inputs[0], memory.region, memory.words)
    let samples = source.step
    if bins.areValues && planes == 3 && !hasThreshold && luma == nil && samples == 4 {
      return countsVisible
        ? countColors(type, memory, isVisible: { $0 != 0 }) : countColors(type, memory, isVisible: { _ in true })
    }
    if bins.areValues && planes == 1 && !hasThreshold && luma == nil && samples == 1 && Sample.self == UInt8.self {
      return countGrays(memory)
    }
    for y in region.y..<region.y + region.size.height {
      let pixels = unsafe source.row(type, x: region.x, y: y, count: region.size.width)
      if let luma {
        for pixel in stride(from: 0, to: pixels.count, by: 4) {
          if countsVisible, unsafe pixels[pixel + 3] == 0 { continue }
          let value = unsafe luma.luma(UInt32(pixels[pixel]), UInt32(pixels[pixel + 1]), UInt32(pixels[pixel + 2]))
          if value >= threshold[0] { unsafe counts[bins.bin(value, plane: 0)] &+= 1 }
        }
      } else {
        for pixel in stride(from: 0, to: pixels.count, by: samples) {
          let isInvisible = unsafe countsVisible && pixels[pixel + 3] == 0
          for plane in (isInvisible ? min(3, planes) : 0)..<planes {
            let value = unsafe UInt32(pixels[pixel + plane])
            if value >= threshold[plane] { unsafe counts[plane * entries + bins.bin(value, plane: plane)] &+= 1 }
          }
        }
      }
    }
  }

  /// Counts grays of 8 bits, with an entry for every value, each of four neighbors in a table of its own.
  private func countGrays(_ memory: PassMemory) {
    let region = memory.region
    guard let first = unsafe memory.words.baseAddress else { return }
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 3 * 256) { table in
      unsafe table.initialize(repeating: 0)
      guard let others = table.baseAddress else { return }
      for y in region.y..<region.y + region.size.height {
        let row = unsafe memory.inputs[0].row(UInt8.self, x: region.x, y: y, count: region.size.width)
        for x in stride(from: 0, to: row.count - 3, by: 4) {
          unsafe first[Int(row[x])] &+= 1
          unsafe others[Int(row[x + 1])] &+= 1
          unsafe others[256 + Int(row[x + 2])] &+= 1
          unsafe others[512 + Int(row[x + 3])] &+= 1
        }
        for x in row.count / 4 * 4..<row.count { unsafe first[Int(row[x])] &+= 1 }
      }
      for entry in 0..<256 {
        unsafe first[entry] &+= others[entry] &+ others[256 + entry] &+ others[512 + entry]
      }
    }
  }

  /// Counts red, green and blue of pixels of four samples, with an entry for every value: the case of equalization.
  ///
  /// Neighbors of one value would wait for each other's store, so every second pixel counts in a table of its own.
  /// Inlined, so that there is a loop without `isVisible` where it is always true.
  @inline(__always)
  private func countColors<Sample: UnsignedSample>(
    _ type: Sample.Type, _ memory: PassMemory, isVisible: (_ alpha: Sample) -> Bool
  ) {
    let (region, entries) = (memory.region, Int(Sample.max) + 1)
    guard let even = unsafe memory.words.baseAddress else { return }
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 3 * entries) { table in
      unsafe table.initialize(repeating: 0)
      guard let odd = table.baseAddress else { return }
      for y in region.y..<region.y + region.size.height {
        let row = unsafe memory.inputs[0].row(type, x: region.x, y: y, count: region.size.width)
        guard var pixel = row.baseAddress else { continue }
        for _ in 0..<region.size.width / 2 {
          let (one, two): (UInt32, UInt32) = unsafe (isVisible(pixel[3]) ? 1 : 0, isVisible(pixel[7]) ? 1 : 0)
          unsafe even[Int(pixel[0])] &+= one
          unsafe even[entries + Int(pixel[1])] &+= one
          unsafe even[2 * entries + Int(pixel[2])] &+= one
          unsafe odd[Int(pixel[4])] &+= two
          unsafe odd[entries + Int(pixel[5])] &+= two
          unsafe odd[2 * entries + Int(pixel[6])] &+= two
          unsafe pixel += 8
        }
        if unsafe region.size.width % 2 == 1 && isVisible(pixel[3]) {
          for channel in 0..<3 { unsafe even[channel * entries + Int(pixel[channel])] &+= 1 }
        }
      }
      for entry in 0..<3 * entries { unsafe even[entry] &+= table[entry] }
    }
  }
}

extension Pass {
  /// Makes a pass that counts what `info` describes of `picture` into numbers 0.
  package static func histogram(_ info: HistogramInfo, of picture: PassPicture) -> Pass {
    histogram(info, of: picture, sorting: nil, threshold: .zero, variant: .automatic, to: 0)
  }

  /// Makes a pass that counts; `threshold` are the least samples that are counted, or keys of floats. `sorting` is the
  /// second input of a rule that is not in `info`.
  static func histogram(
    _ info: HistogramInfo, of picture: PassPicture, sorting: (HistogramFunction.Sorting, Input)?,
    threshold: SIMD4<UInt32>, variant: HistogramVariant, to number: Int
  ) -> Pass {
    let format = picture.pixelFormat
    let isFloat = format.sampleKind == .float
    trap(
      unless: format.isColor && (format.bytesPerSample <= 2 || isFloat),
      "histograms count samples of 8 and 16 bits, halves and floats, not \(format.rawValue)")
    trap(
      unless: !isFloat || info.channels == .each,
      "the luma of \(format.rawValue) is not counted, since sums of floats differ from device to device; count each "
        + "channel")
    let planes = info.planes(for: format)
    let bins = isFloat ? nil : HistogramBins(info, format)
    let hasThreshold = isFloat || threshold != .zero
    let block = BinsBlock(lowest: bins?.low ?? .zero, highest: bins?.high ?? .zero, threshold: threshold)
    let sorting = sorting ?? (isFloat ? (.edges, .table("edges", HistogramEdgeTable(info, planes: planes))) : nil)
    let rule = sorting?.0 ?? (bins?.areValues == true ? .values : .range)
    let function = HistogramFunction(
      variant: variant, planes: planes, entries: info.entries, sorting: rule, luma: info.luma(of: format),
      hasThreshold: hasThreshold, countsVisible: info.pixels.leavesOutPixels(of: picture))
    return Pass(
      function, uniforms: rule == .values && !hasThreshold ? [] : .block(block),
      inputs: [.source(.pixel)] + (sorting.map { [$0.1] } ?? []),
      output: .numbers(number, [.init(.sum, count: planes * info.entries)]))
  }
}

extension PassMemory {
  /// Visits what is counted of the region, each with its channel: samples, or keys of halves and floats, of the first
  /// `channels`, or lumas; with `visible`, no colors of pixels of alpha 0.
  func forEachValue(
    channels: Int, luma: CountedLuma? = nil, visible: Bool, _ body: (UInt32, Int) -> Void
  ) {
    let source = inputs[0]
    let transparent = source.pixelFormat.sampleKind == .float ? FloatKey.zero : 0
    func visit<Sample: BitwiseCopyable>(_ type: Sample.Type, _ value: (Sample) -> UInt32) {
      for y in region.y..<region.y + region.size.height {
        let pixels = unsafe source.row(type, x: region.x, y: y, count: region.size.width)
        for pixel in stride(from: 0, to: pixels.count, by: source.step) {
          let isInvisible = unsafe visible && value(pixels[pixel + 3]) <= transparent
          if let luma {
            if isInvisible { continue }
            body(unsafe luma.luma(value(pixels[pixel]), value(pixels[pixel + 1]), value(pixels[pixel + 2])), 0)
          } else {
            for channel in (isInvisible ? min(3, channels) : 0)..<channels {
              body(unsafe value(pixels[pixel + channel]), channel)
            }
          }
        }
      }
    }
    switch (source.pixelFormat.sampleKind, source.pixelFormat.bytesPerSample) {
    case (.float, 2): visit(UInt16.self) { FloatKey.key(PixelFormat.float(halfBits: $0)) }
    case (.float, _): visit(Float.self) { FloatKey.key($0) }
    case (_, 1): visit(UInt8.self) { UInt32($0) }
    default: visit(UInt16.self) { UInt32($0) }
    }
  }
}
