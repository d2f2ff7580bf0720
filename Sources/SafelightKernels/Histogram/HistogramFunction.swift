internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// A function that counts: one of the three `histogram_….comp`, for one kind of source.
struct HistogramFunction: KernelFunction {
  var form: HistogramForm
  var planes: Int
  var entries: Int
  /// True if each value has an entry of its own; others are sorted by a range, the block at 3, and floats by edges, the
  /// texture at 4.
  var areValues: Bool
  /// Nil if samples are counted as they are.
  var luma: CountedLuma?
  var hasThreshold: Bool
  /// True if the colors of pixels of alpha 0 are left out.
  var countsVisible: Bool
  var format: PixelFormat

  /// Records the count of `area`, which is not empty, in `source`; `bind` binds the range or the edges.
  func encode(
    to buffer: CommandBuffer, source: Texture, area: Region, histogram: Buffer, offset: Int,
    threshold: SIMD4<UInt32> = .zero, bind: (ComputeCommandEncoder) -> Void
  ) {
    let grid = form.grid(area.size)
    buffer.compute("histogram") { encoder in
      encoder.setComputePipelineState(computePipeline)
      encoder.setTexture(source, index: 0)
      encoder.setBuffer(histogram, index: 1)
      encoder.setBytes((area.block, SIMD4<UInt32>(UInt32(offset / 4), UInt32(grid.rows), 0, 0), threshold), index: 2)
      bind(encoder)
      encoder.dispatchThreadgroups(grid.threadgroups, threadsPerThreadgroup: grid.threadsPerThreadgroup)
    }
  }

  static let shaders = [ShaderSource.histogramPrivate, .histogramShared, .histogramGlobal]
  /// In the order of ``shaders``.
  private static let forms = [HistogramForm.private, .shared, .global]
  private var number: Int { Self.forms.firstIndex(of: form) ?? 2 }
  var name: String { Self.names[number] }
  var sources: [ShaderSource] { format.countedTexts + [Self.shaders[number]] }

  var constants: [ShaderAssembly.Constant] {
    format.countedConstants + [
      .init("ENTRIES", entries), .init("BINS_ARE_VALUES", areValues), .init("PLANES", planes),
      .init("COUNTS_LUMA", luma?.rawValue ?? 0), .init("HAS_THRESHOLD", hasThreshold),
      .init("COUNTS_VISIBLE", countsVisible),
    ]
  }

  var arguments: [ShaderArgument] {
    [.sampledTexture(0), .storageBuffer(1), .bytes(2)]
      + (format.sampleKind == .float ? [.sampledTexture(4)] : areValues ? [] : [.bytes(3)])
  }

  static func captured(_ call: CapturedCall) -> Self? {
    let words = call.words(2)
    guard let source = call.texture(0), case let format = source.pixelFormat,
      let form = names.firstIndex(of: call.name).map({ forms[$0] }),
      let planes = call["PLANES", 1...format.samplesPerPixel], let entries = call.entries,
      let areValues = call[isSet: "BINS_ARE_VALUES"], let luma = call["COUNTS_LUMA", 0...2],
      let hasThreshold = call[isSet: "HAS_THRESHOLD"], let countsVisible = call.countsVisible(of: format),
      call.counts(format),
      luma == 0 || (planes == 1 && format.samplesPerPixel == 4 && format.sampleKind != .float), words.count >= 12,
      source.contains(words), Int(words[4]) + planes * entries <= call.wordCount(1)
    else { return nil }
    if format.sampleKind == .float {
      guard let edges = call.texture(4), entries & (entries - 1) == 0, edges.pixelFormat == .r32Uint,
        edges.size.width == 256, edges.size.area >= planes * entries
      else { return nil }
    } else if call.bins(sampleBits: format.bytesPerSample * 8) == nil {
      return nil
    }
    return Self(
      form: form, planes: planes, entries: entries, areValues: areValues, luma: CountedLuma(rawValue: luma),
      hasThreshold: hasThreshold, countsVisible: countsVisible, format: format)
  }

  // MARK: Twin

  func run(_ arguments: TwinArguments) {
    let words = arguments.words(2)
    let area = Region(words)
    let threshold = hasThreshold ? SIMD4(words[8], words[9], words[10], words[11]) : .zero
    let source = arguments.texture(0)
    let counts = unsafe UnsafeMutableBufferPointer(rebasing: arguments.buffer(1).words[Int(words[4])...])
    if format.sampleKind == .float {
      let edges = unsafe arguments.texture(4).withSamples(of: UInt32.self) { keys in
        (0..<planes).map { HistogramEdges(keys: unsafe Array(keys[$0 * entries..<($0 + 1) * entries])) }
      }
      source.forEachValue(in: area, channels: planes, visible: countsVisible) { key, plane in
        if key >= threshold[plane] { unsafe counts[plane * entries + edges[plane].bin(key)] &+= 1 }
      }
      return
    }
    let bins = areValues ? HistogramBins(values: entries) : HistogramBins(entries: entries, arguments)
    if format.bytesPerSample == 1 {
      unsafe count(UInt8.self, source, area, bins, threshold, counts)
    } else {
      unsafe count(UInt16.self, source, area, bins, threshold, counts)
    }
  }

  /// Counts integers. The loops stand here because a closure that is called for each sample takes three times as long.
  private func count<Sample: UnsignedSample>(
    _ type: Sample.Type, _ source: TextureMemory, _ area: Region, _ bins: HistogramBins, _ threshold: SIMD4<UInt32>,
    _ counts: UnsafeMutableBufferPointer<UInt32>
  ) {
    let samples = format.samplesPerPixel
    if bins.areValues && planes == 3 && !hasThreshold && luma == nil && samples == 4 {
      return countsVisible
        ? unsafe countColors(type, source, area, counts, isVisible: { $0 != 0 })
        : unsafe countColors(type, source, area, counts, isVisible: { _ in true })
    }
    let leavesOut = countsVisible
    unsafe source.withSamples(of: type) { pixels in
      for y in area.y..<area.y + area.size.height {
        let first = (y * source.size.width + area.x) * samples
        let end = first + area.size.width * samples
        if let luma {
          for pixel in stride(from: first, to: end, by: 4) {
            if leavesOut, unsafe pixels[pixel + 3] == 0 { continue }
            let value = unsafe luma.luma(UInt32(pixels[pixel]), UInt32(pixels[pixel + 1]), UInt32(pixels[pixel + 2]))
            if value >= threshold[0] { unsafe counts[bins.bin(value, plane: 0)] &+= 1 }
          }
        } else {
          for pixel in stride(from: first, to: end, by: samples) {
            let isInvisible = unsafe leavesOut && pixels[pixel + 3] == 0
            for plane in (isInvisible ? min(3, planes) : 0)..<planes {
              let value = unsafe UInt32(pixels[pixel + plane])
              if value >= threshold[plane] { unsafe counts[plane * entries + bins.bin(value, plane: plane)] &+= 1 }
            }
          }
        }
      }
    }
  }

  /// Counts red, green and blue of pixels of four samples, with an entry for every value: the case of equalization.
  ///
  /// Bands of rows count for themselves. Neighbors of one value would wait for each other's store, so every second
  /// pixel counts in a table of its own. Inlined, so that there is a loop without `isVisible` where it is always true.
  @inline(__always)
  private func countColors<Sample: UnsignedSample>(
    _ type: Sample.Type, _ source: TextureMemory, _ area: Region, _ counts: UnsafeMutableBufferPointer<UInt32>,
    isVisible: @Sendable (_ alpha: Sample) -> Bool
  ) {
    let entries = Int(Sample.max) + 1
    let length = 6 * entries
    // Tables of 16 bits take 1.5 MiB a band.
    let bands = RowBands(area.y..<area.y + area.size.height, width: area.size.width, most: Sample.max == 255 ? 64 : 4)
    let width = source.size.width
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: bands.count * length) { tables in
      unsafe tables.initialize(repeating: 0)
      unsafe source.withSamples(of: type) { pixels in
        bands.concurrently { number, rows in
          let even = unsafe tables.baseAddress.unsafelyUnwrapped + number * length
          let odd = unsafe even + 3 * entries
          for y in rows {
            var pixel = unsafe pixels.baseAddress.unsafelyUnwrapped + (y * width + area.x) * 4
            for _ in 0..<area.size.width / 2 {
              let (one, two): (UInt32, UInt32) = unsafe (isVisible(pixel[3]) ? 1 : 0, isVisible(pixel[7]) ? 1 : 0)
              unsafe even[Int(pixel[0])] &+= one
              unsafe even[entries + Int(pixel[1])] &+= one
              unsafe even[2 * entries + Int(pixel[2])] &+= one
              unsafe odd[Int(pixel[4])] &+= two
              unsafe odd[entries + Int(pixel[5])] &+= two
              unsafe odd[2 * entries + Int(pixel[6])] &+= two
              unsafe pixel += 8
            }
            if unsafe area.size.width % 2 == 1 && isVisible(pixel[3]) {
              for channel in 0..<3 { unsafe even[channel * entries + Int(pixel[channel])] &+= 1 }
            }
          }
        }
      }
      for table in 0..<2 * bands.count {
        for entry in 0..<3 * entries { unsafe counts[entry] &+= tables[table * 3 * entries + entry] }
      }
    }
  }
}

extension HistogramFunction {
  /// The function for `info` and pictures of `format`; traps on formats without histograms.
  init(
    _ info: HistogramInfo, _ format: PixelFormat, form: HistogramForm, areValues: Bool, hasThreshold: Bool,
    pixels: CountedPixels
  ) {
    trap(
      unless: format.isColor && (format.bytesPerSample <= 2 || format.sampleKind == .float),
      "histograms count samples of 8 and 16 bits, halves and floats, not \(format.rawValue)")
    trap(
      unless: format.sampleKind != .float || info.channels == .each,
      "the luma of \(format.rawValue) is not counted, since sums of floats differ from device to device; count each "
        + "channel")
    self.init(
      form: form, planes: info.planes(for: format), entries: info.entries, areValues: areValues,
      luma: info.luma(of: format), hasThreshold: hasThreshold, countsVisible: pixels.countsVisible(of: format),
      format: format)
  }
}

extension HistogramForm {
  /// Returns how the form lays its threadgroups, of some rows of pixels each, over an area.
  func grid(_ area: Size) -> (threadgroups: Size, threadsPerThreadgroup: Size, rows: Int) {
    guard self == .private else { return (area.dividedCovering(Size(64, 64)), Size(64, 1), 64) }
    // Few, long threadgroups: each adds all of its counts to the result.
    //
    // Driver workaround "loop limit": llvmpipe (Mesa 22.3) leaves every loop of an invocation after 65535 rounds in
    // all, without an error, and counts are lost: rounds of columns and rows, and at most 2048 over the counts. Shown
    // by ImageHistogramDeviceTests.moreRoundsThanADriverLoops; can go when no llvmpipe has the limit.
    let columns = (area.width + 7) / 8
    let rows = max(1, min(63000 / (columns + 1), (area.height + 7) / 8))
    return (Size(1, (area.height + rows - 1) / rows), Size(8, 1), rows)
  }
}

extension PixelFormat {
  /// The texts by which functions that count or compare read samples.
  var countedTexts: [ShaderSource] { sampleKind == .float ? [] : [.pixels] }

  /// The constants for ``countedTexts``.
  var countedConstants: [ShaderAssembly.Constant] {
    sampleKind == .float ? [.init("IS_FLOAT", true)] : sampleConstants + [.init("IS_FLOAT", false)]
  }
}

extension CapturedCall {
  /// True if the macros read samples of `format`.
  func counts(_ format: PixelFormat) -> Bool {
    guard let isFloat = self[isSet: "IS_FLOAT"] else { return false }
    if isFloat { return format.sampleKind == .float }
    return format.isColor && format.sampleKind != .float && self["SAMPLE_BITS", 8...16] == format.bytesPerSample * 8
  }

  /// True if the macros leave out pixels of alpha 0; nil if `format` has no alpha for that.
  func countsVisible(of format: PixelFormat) -> Bool? {
    self[isSet: "COUNTS_VISIBLE"].flatMap { $0 && format.samplesPerPixel < 4 ? nil : $0 }
  }
}

extension Region {
  /// The region in the first four words of a block.
  init(_ words: [UInt32]) {
    self.init(x: Int(words[0]), y: Int(words[1]), width: Int(words[2]), height: Int(words[3]))
  }

  init(_ block: SIMD4<Int32>) {
    self.init(x: Int(block.x), y: Int(block.y), width: Int(block.z), height: Int(block.w))
  }

  var block: SIMD4<Int32> { SIMD4(Int32(x), Int32(y), Int32(size.width), Int32(size.height)) }
}

extension TextureMemory {
  /// True if the region in the first four of `words` lies in the texture.
  func contains(_ words: [UInt32]) -> Bool {
    words.count >= 4 && words[..<4].allSatisfy { $0 <= 1 << 20 } && Region(words).isInside(size)
  }

  /// Visits what is counted of an area, each with its channel: samples, or keys of halves and floats, of the first
  /// `channels`, or lumas; with `visible`, no colors of pixels of alpha 0.
  func forEachValue(
    in area: Region, channels: Int, luma: CountedLuma? = nil, visible: Bool, _ body: (UInt32, Int) -> Void
  ) {
    let transparent = pixelFormat.sampleKind == .float ? FloatKey.zero : 0
    let samples = pixelFormat.samplesPerPixel
    func visit<Sample: BitwiseCopyable>(_ type: Sample.Type, _ value: (Sample) -> UInt32) {
      unsafe withSamples(of: type) { pixels in
        for y in area.y..<area.y + area.size.height {
          let first = (y * size.width + area.x) * samples
          for pixel in stride(from: first, to: first + area.size.width * samples, by: samples) {
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
    }
    switch (pixelFormat.sampleKind, pixelFormat.bytesPerSample) {
    case (.float, 2): visit(UInt16.self) { FloatKey.key(PixelFormat.float(halfBits: $0)) }
    case (.float, _): visit(Float.self) { FloatKey.key($0) }
    case (_, 1): visit(UInt8.self) { UInt32($0) }
    default: visit(UInt16.self) { UInt32($0) }
    }
  }
}
