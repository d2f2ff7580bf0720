internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// A function that counts: one of the three `histogram_….comp`, for one kind of source.
struct HistogramFunction: Hashable, Sendable {
  /// How samples find their entries.
  enum Sorting: Hashable, Sendable {
    /// Each value has an entry of its own.
    case values
    /// By a range of integers, the block `Range`.
    case range
    /// By the edges of floats, a texture.
    case edges
  }

  var form: HistogramForm
  var planes: Int
  var entries: Int
  var sorting: Sorting
  /// Nil where samples are counted as they are.
  var luma: CountedLuma?
  var hasThreshold: Bool
  var format: PixelFormat

  /// The function for `info` and pictures of `format`; traps on formats that have no histogram.
  init(_ info: HistogramInfo, _ format: PixelFormat, form: HistogramForm, sorting: Sorting, hasThreshold: Bool) {
    trap(
      unless: format.isColor && (format.bytesPerSample <= 2 || format.sampleKind == .float),
      "histograms count samples of 8 and 16 bits, halves and floats, not \(format.rawValue)")
    trap(
      unless: sorting != .edges || info.channels == .each,
      "the luma of \(format.rawValue) is not counted, since floats' sums differ from device to device; count each channel"
    )
    self.form = form
    self.format = format
    self.sorting = sorting
    self.hasThreshold = hasThreshold
    planes = info.planes(for: format)
    entries = info.entries
    luma = info.luma(of: format)
  }

  /// Records the count of `area`, which is not empty, in `source`; `bind` binds what the sorting needs.
  func encode(
    to buffer: CommandBuffer, source: Texture, area: Region, histogram: Buffer, offset: Int,
    threshold: SIMD4<UInt32> = .zero, bind: (ComputeCommandEncoder) -> Void
  ) {
    let grid = HistogramGrid(form, area.size)
    let encoder = buffer.makeComputeCommandEncoder(label: "histogram")
    encoder.setComputePipelineState(Self.library[self])
    encoder.setTexture(source, index: 0)
    encoder.setBuffer(histogram, index: 1)
    encoder.setBytes(
      (
        SIMD4<Int32>(Int32(area.x), Int32(area.y), Int32(area.size.width), Int32(area.size.height)),
        SIMD4<UInt32>(UInt32(offset / 4), UInt32(grid.rows), 0, 0), threshold
      ), index: 2)
    bind(encoder)
    encoder.dispatchThreadgroups(grid.threadgroups, threadsPerThreadgroup: grid.threadsPerThreadgroup)
    encoder.endEncoding()
  }

  /// What the functions read samples of `format` by, and the text that they need for it.
  static func reading(_ format: PixelFormat) -> (texts: [ShaderSource], constants: [ShaderAssembly.Constant]) {
    if format.sampleKind == .float { return ([], [ShaderAssembly.Constant("IS_FLOAT", true)]) }
    return ([.pixels], format.sampleConstants + [ShaderAssembly.Constant("IS_FLOAT", false)])
  }

  private static let library = PipelineLibrary<HistogramFunction, ComputePipelineState> { function in
    let source: ShaderSource =
      switch function.form {
      case .private: .histogramPrivate
      case .shared: .histogramShared
      case .automatic, .global: .histogramGlobal
      }
    let arguments: [ShaderArgument] =
      switch function.sorting {
      case .values: []
      case .range: [.bytes(3)]
      case .edges: [.sampledTexture(4)]
      }
    let reading = reading(function.format)
    return ComputePipelineState(
      ShaderFunction(
        name: "histogram_\(function.form.rawValue)",
        assembly: ShaderAssembly(
          reading.texts + [source],
          constants: reading.constants + [
            ShaderAssembly.Constant("ENTRIES", function.entries),
            ShaderAssembly.Constant("BINS_ARE_VALUES", function.sorting == .values),
            ShaderAssembly.Constant("PLANES", function.planes),
            ShaderAssembly.Constant("COUNTS_LUMA", function.luma?.rawValue ?? 0),
            ShaderAssembly.Constant("HAS_THRESHOLD", function.hasThreshold),
          ]),
        arguments: [.sampledTexture(0), .storageBuffer(1), .bytes(2)] + arguments, twin: function.twin))
  }
}

/// How a form lays its threadgroups over an area.
struct HistogramGrid {
  let threadsPerThreadgroup: Size
  let threadgroups: Size
  /// Rows that a threadgroup takes.
  let rows: Int

  init(_ form: HistogramForm, _ area: Size) {
    switch form {
    case .private:
      threadsPerThreadgroup = Size(8, 1)
      // Few, long threadgroups: each adds all of its counts to the result.
      //
      // Driver workaround "loop limit": llvmpipe (Mesa 22.3) leaves every loop of an invocation after 65535 rounds in all,
      // without an error, and counts are lost: rounds of columns and rows, and at most 2048 over the counts. Shown by
      // ImageHistogramDeviceTests.moreRoundsThanADriverLoops; can go when no llvmpipe has the limit.
      let columns = (area.width + 7) / 8
      rows = max(1, min(63000 / (columns + 1), (area.height + 7) / 8))
      threadgroups = Size(1, (area.height + rows - 1) / rows)
    case .automatic, .shared, .global:
      threadsPerThreadgroup = Size(64, 1)
      rows = 64
      threadgroups = area.dividedCovering(Size(64, rows))
    }
  }
}
