internal import SafelightGPU
internal import SafelightImage

extension HistogramFunction {
  static func addTwins(to twins: inout TwinLibrary) {
    for form in HistogramForm.allCases where form != .automatic {
      twins.add("histogram_\(form.rawValue)", textures: [0], buffers: [1], bytes: [2]) { arguments, macros in
        guard let function = HistogramFunction(macros, arguments, form) else { return nil }
        return function.twin
      }
    }
  }

  /// Nil where the area, the buffer or the macros do not go together.
  private init?(_ macros: FunctionMacros, _ arguments: TwinArguments, _ form: HistogramForm) {
    let source = arguments.texture(0)
    let format = source.pixelFormat
    let words = arguments.words(2)
    guard let planes = macros["PLANES", 1...format.samplesPerPixel], let entries = macros["ENTRIES", 256...65536],
      let areValues = macros[isSet: "BINS_ARE_VALUES"], let luma = macros["COUNTS_LUMA", 0...2],
      let hasThreshold = macros[isSet: "HAS_THRESHOLD"], macros.agrees(with: format),
      luma == 0 || (planes == 1 && format.samplesPerPixel == 4 && format.sampleKind != .float),
      words.count >= 12, macros.covers(source, words)
    else { return nil }
    let count = unsafe arguments.buffer(1).withWords { $0.count }
    guard Int(words[4]) + planes * entries <= count else { return nil }
    self.form = form
    self.planes = planes
    self.entries = entries
    self.luma = CountedLuma(rawValue: luma)
    self.hasThreshold = hasThreshold
    self.format = format
    if format.sampleKind == .float {
      sorting = .edges
      guard arguments.has(textures: [4]) else { return nil }
      let edges = arguments.texture(4)
      guard entries & (entries - 1) == 0, edges.pixelFormat == .r32Uint, edges.size.width == 256,
        edges.size.area >= planes * entries
      else {
        return nil
      }
    } else {
      sorting = areValues ? .values : .range
      guard macros.bins(arguments, sampleBits: format.bytesPerSample * 8) != nil else { return nil }
    }
  }
}

extension ExtremaFunction {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add("histogram_extrema", textures: [0], buffers: [1], bytes: [2]) { arguments, macros in
      let source = arguments.texture(0)
      let format = source.pixelFormat
      let words = arguments.words(2)
      let count = unsafe arguments.buffer(1).withWords { $0.count }
      guard let channels = macros["CHANNELS", 1...format.samplesPerPixel],
        let luma = macros["COUNTS_LUMA", 0...2], macros.agrees(with: format),
        luma == 0 || (format.samplesPerPixel == 4 && format.sampleKind != .float), count >= 8, words.count >= 4,
        macros.covers(source, words)
      else { return nil }
      return ExtremaFunction(channels: channels, luma: CountedLuma(rawValue: luma), format: format).twin
    }
  }
}

extension RangeFunction {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add("histogram_range", stored: [1], buffers: [0, 2], bytes: [3]) { arguments, macros in
      let result = unsafe arguments.buffer(2).withWords { $0.count }
      guard let bits = macros["SAMPLE_BITS", 8...16], hasExtrema(arguments), result >= 8,
        FunctionMacros.isTable(arguments.texture(1), size: Size(2, 1), sampleBits: bits)
      else { return nil }
      return integers(sampleBits: bits).twin
    }
    twins.add("histogram_edges", stored: [1, 2], buffers: [0], bytes: [3]) { arguments, macros in
      let edges = arguments.texture(2)
      guard let entries = macros["ENTRIES", 256...65536], entries & (entries - 1) == 0, hasExtrema(arguments),
        arguments.grid.width == entries, edges.size.width == 256, hasFiniteLimits(arguments),
        (1...4).contains(arguments.grid.height), edges.pixelFormat == .r32Uint,
        edges.size.area >= arguments.grid.height * entries,
        FunctionMacros.isTable(arguments.texture(1), size: Size(2, 1), sampleBits: 32)
      else { return nil }
      return Self.edges(entries: entries).twin
    }
  }

  /// Between others no edge can be found.
  private static func hasFiniteLimits(_ arguments: TwinArguments) -> Bool {
    arguments.words(3)[..<8].allSatisfy { FloatKey.value($0).isFinite }
  }

  private static func hasExtrema(_ arguments: TwinArguments) -> Bool {
    unsafe arguments.buffer(0).withWords { $0.count } >= 8 && arguments.words(3).count >= 8
  }
}

extension HistogramLookUp {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add(point: "equalization_apply", textures: [2], worksInBands: false) { format, arguments, macros in
      guard PixelFormat.pointFormats.contains(format), let planes = macros["PLANES", 1...format.samplesPerPixel],
        let bins = macros.bins(arguments, sampleBits: format.bytesPerSample * 8),
        let usesLuma = macros[isSet: "COUNTS_LUMA"], format.bytesPerSample <= 2,
        format.samplesPerPixel == 4 ? usesLuma || planes >= 3 : !usesLuma,
        FunctionMacros.isTable(arguments.texture(2), entries: bins.entries)
      else { return nil }
      return twin(bins: bins, planes: planes, usesLuma: usesLuma, format: format)
    }
    twins.add(point: "equalization_gain", textures: [2]) { format, arguments, macros in
      guard format.bytesPerSample == 1, let luma = macros["COUNTS_LUMA", 0...2],
        luma == (format.samplesPerPixel == 4 ? CountedLuma.histeq.rawValue : 0),
        FunctionMacros.isTable(arguments.texture(2), entries: 256)
      else { return nil }
      return gainTwin
    }
  }
}

extension ImageHistogramSpecification {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add("specification_sums", buffers: [0, 1, 2], bytes: [3]) { arguments, macros in
      let words = arguments.words(3)
      let counts = (0..<3).map { index in unsafe arguments.buffer(index).withWords { $0.count } }
      guard let entries = macros["ENTRIES", 256...65536], let planes = macros["PLANES", 1...4], words.count >= 2,
        (0..<2).allSatisfy({ Int(words[$0]) + planes * entries <= counts[$0] }), 2 * planes * entries <= counts[2]
      else { return nil }
      return sumsTwin(entries: entries, planes: planes)
    }
    twins.add("specification_transform", stored: [1], buffers: [0]) { arguments, macros in
      let count = unsafe arguments.buffer(0).withWords { $0.count }
      guard let planes = macros["PLANES", 1...4], let bits = macros["SAMPLE_BITS", 8...16],
        let bins = macros.bins(arguments, sampleBits: bits),
        arguments.grid.width == bins.entries, 2 * planes * bins.entries <= count,
        FunctionMacros.isTable(arguments.texture(1), entries: bins.entries)
      else { return nil }
      return transformTwin(bins: bins, planes: planes)
    }
  }
}

extension TemporalHistogram {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add("temporal_distance", buffers: [0, 1, 2]) { arguments, macros in
      let counts = (0..<3).map { index in unsafe arguments.buffer(index).withWords { $0.count } }
      guard let entries = macros["ENTRIES", 256...65536], entries % 64 == 0,
        counts[..<2].allSatisfy({ $0 >= arguments.grid.width / 64 * entries }), counts[2] >= 4
      else { return nil }
      return distanceTwin(entries: entries)
    }
    twins.add("temporal_sum", buffers: [0, 1, 2, 3], bytes: [4]) { arguments, macros in
      let counts = (0..<4).map { index in unsafe arguments.buffer(index).withWords { $0.count } }
      let parameters = arguments.words(4)
      guard let entries = macros["ENTRIES", 256...65536], let length = macros["LENGTH", lengths],
        arguments.grid.width == entries, counts[..<3].allSatisfy({ $0 >= arguments.grid.height * entries }),
        counts[3] >= 4, parameters.count >= 2,
        parameters[0] < 2, parameters[1] <= 65536
      else { return nil }
      return sumTwin(entries: entries, length: length)
    }
  }
}

extension FunctionMacros {
  /// Whether samples of `format` are read as the macros say.
  fileprivate func agrees(with format: PixelFormat) -> Bool {
    guard let isFloat = self[isSet: "IS_FLOAT"] else { return false }
    if isFloat { return format.sampleKind == .float }
    return format.isColor && format.sampleKind != .float && self["SAMPLE_BITS", 8...16] == format.bytesPerSample * 8
  }

  /// Whether the area of the first four words lies in `source`.
  fileprivate func covers(_ source: TextureMemory, _ words: [UInt32]) -> Bool {
    words[..<4].allSatisfy { $0 <= 1 << 20 }
      && Region(x: Int(words[0]), y: Int(words[1]), width: Int(words[2]), height: Int(words[3])).isInside(source.size)
  }
}
